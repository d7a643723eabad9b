/** The organization's files, to tick: the newest first, with a search by name, and an upload that ticks what it brought. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, faultOf } from '../api.ts';
import { DropZone, UploadList } from '../files/file-list.tsx';
import { add, uploads } from '../files/uploads.ts';
import { bytes } from '../format.ts';
import { useAsked, useStore } from '../hooks.ts';
import { Fault } from '../ui/fault.tsx';
import { Time } from '../ui/parts.tsx';
import { linesIn } from './field-spec.ts';
import { fileNames } from './request-summary.ts';

type Props = { id: string; value: string; onChange: (text: string) => void };

const PAGE_SIZE = 50;

async function pageOf(more: { signal?: AbortSignal; cursor?: string }) {
  const page = await api().files.page({ pageSize: PAGE_SIZE, ...more });
  for (const { fileId, fileName } of page.files) fileNames.set(fileId, fileName);
  return page;
}

export function FilesField({ id, value, onChange }: Props) {
  const { data, fault, again, change } = useAsked('files to attach', (signal) => pageOf({ signal }));
  const [olderFault, setOlderFault] = useState<ReturnType<typeof faultOf>>();
  const [wanted, setWanted] = useState('');
  const chosen = linesIn(value);
  const tick = (fileIds: readonly string[], isOn: boolean) =>
    onChange([...chosen.filter((other) => !fileIds.includes(other)), ...(isOn ? fileIds : [])].join('\n'));
  const all = useTickedUploads((fileIds) => {
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
  const found = files.filter(({ fileName }) => fileName.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <div class="stack">
      <DropZone onFiles={add} />
      <UploadList all={all} />
      {(files.length > 5 || nextCursor) && (
        <input
          type="search"
          aria-label="Find a file by its name"
          placeholder="Find by name"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      <ul class="choose" id={id}>
        {found.map(({ fileId, fileName, size, createdAt }) => (
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

/** The uploads of this tab; calls back once with the ids of those that are done since this field appeared. */
function useTickedUploads(onDone: (fileIds: string[]) => void) {
  const all = useStore(uploads);
  const seen = useRef(new Set(all.flatMap(({ fileId }) => fileId ?? [])));
  useEffect(() => {
    const done = all.flatMap(({ fileId }) => (fileId && !seen.current.has(fileId) ? [fileId] : []));
    for (const fileId of done) seen.current.add(fileId);
    if (done.length > 0) onDone(done);
  }, [all]);
  return all;
}
