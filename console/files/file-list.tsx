/** The list of files, and the uploads of this tab: two at a time, on every page, until the session ends. */
import { useRef, useState } from 'preact/hooks';
import type { ErrandError, FilesContract } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { bytes } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { session } from '../session.ts';
import { store } from '../store.ts';
import { Fault } from '../ui/fault.tsx';
import { Icon, Letters, Time } from '../ui/parts.tsx';

type Upload = {
  id: number;
  file: File;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  sentBytes: number;
  fault?: ErrandError;
  /** Present after the upload is complete. */
  fileId?: string;
};

const AT_ONCE = 2;

export const uploads = store<readonly Upload[]>([]);
const ending = new Map<number, AbortController>();
let count = 0;

export function add(files: Iterable<File>): void {
  const added = Array.from(files, (file): Upload => ({ id: ++count, file, state: 'waiting', sentBytes: 0 }));
  uploads.set([...uploads.get(), ...added]);
  next();
}

/** Aborts an upload in progress and removes it from the list. */
function drop(id: number): void {
  ending.get(id)?.abort();
  uploads.set(uploads.get().filter((upload) => upload.id !== id));
}

function repeat(id: number): void {
  change(id, { state: 'waiting', sentBytes: 0 });
  next();
}

const clearDone = (): void => uploads.set(uploads.get().filter(({ state }) => state !== 'done'));

function change(id: number, to: Partial<Upload>): void {
  uploads.set(uploads.get().map((upload) => (upload.id === id ? { ...upload, ...to } : upload)));
}

function next(): void {
  const current = uploads.get();
  const room = AT_ONCE - current.filter(({ state }) => state === 'sending').length;
  for (const { id, file } of current.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, room)))
    send(id, file);
}

function send(id: number, file: File): void {
  const stop = new AbortController();
  ending.set(id, stop);
  change(id, { state: 'sending' });
  const onProgress = ({ sentBytes }: { sentBytes: number }) => change(id, { sentBytes });
  api()
    .files.upload(file, { signal: stop.signal, onProgress })
    .then(
      ({ fileId }) => change(id, { state: 'done', sentBytes: file.size, fileId }),
      (error) => stop.signal.aborted || change(id, { state: 'failed', fault: faultOf(error) }),
    )
    .finally(() => {
      ending.delete(id);
      next();
    });
}

session.subscribe(() => {
  if (session.get()) return;
  for (const stop of ending.values()) stop.abort();
  uploads.set([]);
});

/** The error of one file, below its row. */
const RowFault = ({ fault }: Parameters<typeof Fault>[0]) =>
  fault ? (
    <div class="upload-fault">
      <Fault fault={fault} />
    </div>
  ) : null;

/** The text that agents get from the file. It is shown as plain text: a stranger's text never becomes a link or an image. */
function ShownText({ fileId, fileName }: { fileId: string; fileName: string }) {
  const { data, fault, isLoading, again } = useApiData(`text ${fileId}`, (signal) =>
    api().files.text(fileId, { signal }),
  );
  return (
    <div class="beside-file" aria-busy={isLoading}>
      {isLoading && <p class="small muted">The file is being read.</p>}
      <Fault fault={fault} onAgain={again} />
      {data !== undefined && <Letters label={`Text of ${fileName}`} class="letters file-text" text={data} />}
    </div>
  );
}

type Props = { file: FilesContract.FileInList; mayDelete: boolean; onGone: () => void };

/** A file in the list: shows its text, downloads it by a signed URL, and deletes it after a confirmation. */
export function FileRow({ file: { fileId, fileName, mimeType, size, createdAt }, mayDelete, onGone }: Props) {
  const [fault, setFault] = useState<ErrandError>();
  const [isAsked, setAsked] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const tried = (work: Promise<unknown>) => {
    setFault(undefined);
    work.catch((error) => setFault(faultOf(error)));
  };
  const remove = () => tried(api().files.delete(fileId).then(onGone));
  return (
    <li class="file">
      <span class="row-name">
        <strong>{fileName}</strong>
        <span class="small muted">{mimeType}</span>
      </span>
      <span class="small muted nowrap">{bytes(size)}</span>
      <span class="small muted nowrap">
        <Time at={createdAt} />
      </span>
      <span class="actions">
        <button
          type="button"
          class="button"
          aria-label={`Text of ${fileName}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Text
        </button>
        <button
          type="button"
          class="button"
          aria-label={`Download ${fileName}`}
          onClick={() => tried(download(fileId))}
        >
          Download
        </button>
        {mayDelete && (
          <button
            type="button"
            class={`button ${isAsked ? 'danger' : 'quiet'}`}
            aria-label={isAsked ? `Really delete ${fileName}` : `Delete ${fileName}`}
            onBlur={() => setAsked(false)}
            onClick={() => (isAsked ? remove() : setAsked(true))}
          >
            {isAsked ? 'Really delete?' : 'Delete'}
          </button>
        )}
      </span>
      <RowFault fault={fault} />
      {isOpen && <ShownText fileId={fileId} fileName={fileName} />}
    </li>
  );
}

/** The URL is valid for ten minutes and returns an attachment, so the page stays open. */
async function download(fileId: string): Promise<void> {
  const { url, fileName } = await api().files.get(fileId);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}

/** The uploads with their progress and outcome. */
export function UploadList({ all: entries }: { all: readonly Upload[] }) {
  if (entries.length === 0) return null;
  return (
    <section class="stack uploads" aria-label="Uploads">
      <ul class="rows">
        {entries.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
      {entries.some(({ state }) => state === 'done') && (
        <div class="actions">
          <button type="button" class="button quiet" onClick={clearDone}>
            Clear finished uploads
          </button>
        </div>
      )}
    </section>
  );
}

function Row({ upload: { id, file, state, sentBytes, fault } }: { upload: Upload }) {
  const share = file.size === 0 ? 0 : Math.floor((sentBytes / file.size) * 100);
  const word = state === 'failed' ? 'Remove' : 'Cancel';
  return (
    <li class="upload" data-state={state}>
      <span class="clip">{file.name}</span>
      <span class="small muted nowrap">{bytes(file.size)}</span>
      <progress max={100} value={share} aria-label={`Upload of ${file.name}`} />
      <span class="small muted nowrap">{state === 'sending' ? `${share} %` : WORDS[state]}</span>
      <span class="actions">
        {state === 'failed' && (
          <button type="button" class="button" aria-label={`Upload ${file.name} again`} onClick={() => repeat(id)}>
            Again
          </button>
        )}
        {state !== 'done' && (
          <button type="button" class="button quiet" aria-label={`${word} ${file.name}`} onClick={() => drop(id)}>
            {word}
          </button>
        )}
      </span>
      <RowFault fault={fault} />
    </li>
  );
}

const WORDS = { waiting: 'waits', sending: '', done: 'done', failed: 'failed' } as const;

/** An area for dropped files, with a button to pick files. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const showTarget = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const takeFiles = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles(filesIn(event.dataTransfer));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without a mouse
    <div
      class={`drop-zone${isOver ? ' over' : ''}`}
      onDragOver={showTarget}
      onDragEnter={showTarget}
      onDragLeave={() => setOver(false)}
      onDrop={takeFiles}
    >
      <p>Drop files here, or</p>
      <button type="button" class="button main" onClick={() => picker.current?.click()}>
        <Icon name="plus" />
        Choose files
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          onFiles(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = '';
        }}
      />
      <p class="small muted">Documents, spreadsheets, slides, images and plain text, each up to 512 MiB.</p>
    </div>
  );
}

/** Ignores folders, which have no bytes of their own. */
function filesIn(transfer: DataTransfer | null): File[] {
  const items = Array.from(transfer?.items ?? []);
  return items.flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory ? null : item.getAsFile();
    return file ? [file] : [];
  });
}
