/** Fields to choose from a list: entries that the service offers, and the organization's files with an upload. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, faultOf } from '../api.ts';
import { add, DropZone, UploadList, uploads } from '../files/file-list.tsx';
import { bytes, words } from '../format.ts';
import { useApiData, useStore } from '../hooks.ts';
import { Fault } from '../ui/fault.tsx';
import { Time } from '../ui/parts.tsx';
import { type ChooseKind, choiceNames, isFileId, linesIn } from './field-spec.ts';
import { fileNames } from './request-summary.ts';
import type { NextText } from './use-form.ts';

type Props = { id: string; value: string; onChange: (next: NextText) => void };

const PAGE_SIZE = 50;

async function pageOf(more: { signal?: AbortSignal; cursor?: string }) {
  const page = await api().files.page({ pageSize: PAGE_SIZE, ...more });
  for (const { fileId, fileName } of page.files) fileNames.set(fileId, fileName);
  return page;
}

/** `value` may have other lines, which are no files. */
export function FilesField({ id, value, onChange }: Props) {
  const { data, fault, again, change } = useApiData('files to attach', (signal) => pageOf({ signal }));
  const [olderFault, setOlderFault] = useState<ReturnType<typeof faultOf>>();
  const [nameFilter, setWanted] = useState('');
  const chosen = linesIn(value);
  const tick = (fileIds: readonly string[], isOn: boolean) =>
    onChange((current) =>
      [...linesIn(current).filter((fileId) => !fileIds.includes(fileId)), ...(isOn ? fileIds : [])].join('\n'),
    );
  const currentUploads = useTickedUploads((fileIds) => {
    tick(fileIds, true);
    again();
  });
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted small">Looking for your files…</p>;
  const { files, nextCursor } = data;
  const showOlder = () =>
    pageOf(nextCursor ? { cursor: nextCursor } : {}).then(
      (older) => change((before) => ({ ...older, files: [...before.files, ...older.files] })),
      (error) => setOlderFault(faultOf(error)),
    );
  const isWanted = (fileName: string) => fileName.toLowerCase().includes(nameFilter.trim().toLowerCase());
  const matches = files.filter(({ fileName }) => isWanted(fileName));
  const unlisted = chosen.filter(
    (id) => isFileId(id) && !files.some(({ fileId }) => fileId === id) && isWanted(fileNames.get(id) ?? id),
  );
  return (
    <div class="stack">
      <DropZone onFiles={add} />
      <UploadList all={currentUploads} />
      {(files.length > 5 || nextCursor) && (
        <input
          type="search"
          aria-label="Find a file by its name"
          placeholder="Find by name"
          value={nameFilter}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {matches.length + unlisted.length === 0 && nameFilter.trim() !== '' && (
        <p class="muted small">
          No file{nextCursor && ' that is listed'} has “{nameFilter.trim()}” in its name.
        </p>
      )}
      <ul class="choose" id={id}>
        {unlisted.map((fileId) => (
          <li key={fileId}>
            <label class="tick">
              <input type="checkbox" checked onChange={() => tick([fileId], false)} />
              <UnlistedName fileId={fileId} />
            </label>
          </li>
        ))}
        {matches.map(({ fileId, fileName, size, createdAt }) => (
          <li key={fileId}>
            <label class="tick">
              <input
                type="checkbox"
                checked={chosen.includes(fileId)}
                onChange={(event) => tick([fileId], event.currentTarget.checked)}
              />
              <span class="clip">{fileName}</span>
              <span class="muted small nowrap">
                {bytes(size)} · <Time at={createdAt} />
              </span>
            </label>
          </li>
        ))}
      </ul>
      {nextCursor && (
        <button type="button" class="button" onClick={showOlder}>
          Show older files
        </button>
      )}
      <Fault fault={olderFault} />
    </div>
  );
}

/** A ticked file that is older than those listed, or gone. */
function UnlistedName({ fileId }: { fileId: string }) {
  const knownName = fileNames.get(fileId);
  const { data, fault } = useApiData(`name of ${fileId}`, async (signal) => {
    const { fileName } = knownName ? { fileName: knownName } : await api().files.get(fileId, { signal });
    fileNames.set(fileId, fileName);
    return fileName;
  });
  return (
    <>
      <span class="clip">{data ?? fileId}</span>
      {fault && <span class="muted small nowrap">cannot be found: untick it</span>}
    </>
  );
}

/** The uploads of this tab. Calls `onDone` once with the ids of those that completed since this field appeared. */
function useTickedUploads(onDone: (fileIds: string[]) => void) {
  const currentUploads = useStore(uploads);
  const seenIds = useRef(new Set(currentUploads.flatMap(({ fileId }) => fileId ?? [])));
  useEffect(() => {
    const doneIds = currentUploads.flatMap(({ fileId }) => (fileId && !seenIds.current.has(fileId) ? [fileId] : []));
    for (const fileId of doneIds) seenIds.current.add(fileId);
    if (doneIds.length > 0) onDone(doneIds);
  }, [currentUploads]);
  return currentUploads;
}

type Choosable = { id: string; name: string; note: string };
type Load = (signal: AbortSignal) => Promise<Choosable[]>;

const LOADERS = {
  workflows: async (signal) =>
    (await collect(api().workflows({ signal, pageSize: 100 }))).map(({ workflowId: id, name, steps }) => ({
      id,
      name,
      note: steps.join(' → '),
    })),
  rulesets: async (signal) =>
    (await collect(api().rulesets({ signal, pageSize: 100 }))).map(({ rulesetId: id, name, version }) => ({
      id,
      name,
      note: `version ${version}`,
    })),
  sources: async (signal) =>
    (await api().agents.sources({ signal })).sources.map(({ name, custom }) => ({
      id: name,
      name: words(name),
      note: custom ? 'your own' : '',
    })),
} satisfies Record<ChooseKind, Load>;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

type ChooseProps = { id: string; kind: ChooseKind; value: string; onChange: (text: string) => void };

export function ChooseField({ id, kind, value, onChange }: ChooseProps) {
  const { data, fault, again } = useApiData(`${kind} to choose`, async (signal) => {
    const loaded = await LOADERS[kind](signal);
    for (const { id: choiceId, name } of loaded) choiceNames.set(choiceId, name);
    return loaded;
  });
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted small">Loading {kind}…</p>;
  if (data.length === 0) return <p class="muted small">Your organization has no {kind} yet.</p>;
  const chosen = linesIn(value);
  const tick = (choiceId: string, isOn: boolean) =>
    onChange([...chosen.filter((chosenId) => chosenId !== choiceId), ...(isOn ? [choiceId] : [])].join('\n'));
  return (
    <ul class="choose" id={id}>
      {data.map(({ id: choiceId, name, note }) => (
        <li key={choiceId}>
          <label class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(choiceId)}
              onChange={(event) => tick(choiceId, event.currentTarget.checked)}
            />
            <span class="clip">{name}</span> <span class="muted small clip">{note}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
