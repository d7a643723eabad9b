/** Fields to choose from a list: entries that the service offers, and the organization's files with an upload. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, faultOf } from '../api.ts';
import { add, DropZone, UploadList, uploads } from '../files/file-list.tsx';
import { bytes, words } from '../format.ts';
import { useAsked, useStore } from '../hooks.ts';
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
  const { data, fault, again, change } = useAsked('files to attach', (signal) => pageOf({ signal }));
  const [olderFault, setOlderFault] = useState<ReturnType<typeof faultOf>>();
  const [wanted, setWanted] = useState('');
  const chosen = linesIn(value);
  const tick = (fileIds: readonly string[], isOn: boolean) =>
    onChange((current) =>
      [...linesIn(current).filter((other) => !fileIds.includes(other)), ...(isOn ? fileIds : [])].join('\n'),
    );
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
  const isWanted = (fileName: string) => fileName.toLowerCase().includes(wanted.trim().toLowerCase());
  const found = files.filter(({ fileName }) => isWanted(fileName));
  const unlisted = chosen.filter(
    (id) => isFileId(id) && !files.some(({ fileId }) => fileId === id) && isWanted(fileNames.get(id) ?? id),
  );
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
      {found.length + unlisted.length === 0 && wanted.trim() !== '' && (
        <p class="muted small">
          No file{nextCursor && ' that is listed'} has “{wanted.trim()}” in its name.
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

/** A ticked file that is older than those listed, or gone. */
function UnlistedName({ fileId }: { fileId: string }) {
  const known = fileNames.get(fileId);
  const { data, fault } = useAsked(`name of ${fileId}`, async (signal) => {
    const { fileName } = known ? { fileName: known } : await api().files.get(fileId, { signal });
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
  const all = useStore(uploads);
  const seen = useRef(new Set(all.flatMap(({ fileId }) => fileId ?? [])));
  useEffect(() => {
    const done = all.flatMap(({ fileId }) => (fileId && !seen.current.has(fileId) ? [fileId] : []));
    for (const fileId of done) seen.current.add(fileId);
    if (done.length > 0) onDone(done);
  }, [all]);
  return all;
}

type Choosable = { id: string; name: string; note: string };
type Load = (signal: AbortSignal) => Promise<Choosable[]>;

const LOADERS = {
  workflows: async (signal) =>
    (await all(api().workflows({ signal, pageSize: 100 }))).map(({ workflowId: id, name, steps }) => ({
      id,
      name,
      note: steps.join(' → '),
    })),
  rulesets: async (signal) =>
    (await all(api().rulesets({ signal, pageSize: 100 }))).map(({ rulesetId: id, name, version }) => ({
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

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

type ChooseProps = { id: string; kind: ChooseKind; value: string; onChange: (text: string) => void };

export function ChooseField({ id, kind, value, onChange }: ChooseProps) {
  const { data, fault, again } = useAsked(`${kind} to choose`, async (signal) => {
    const loaded = await LOADERS[kind](signal);
    for (const { id: one, name } of loaded) choiceNames.set(one, name);
    return loaded;
  });
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted small">Loading {kind}…</p>;
  if (data.length === 0) return <p class="muted small">Your organization has no {kind} yet.</p>;
  const chosen = linesIn(value);
  const tick = (one: string, isOn: boolean) =>
    onChange([...chosen.filter((other) => other !== one), ...(isOn ? [one] : [])].join('\n'));
  return (
    <ul class="choose" id={id}>
      {data.map(({ id: one, name, note }) => (
        <li key={one}>
          <label class="tick">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={(event) => tick(one, event.currentTarget.checked)}
            />
            <span class="clip">{name}</span> <span class="muted small clip">{note}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
