/** The uploads of this tab: they continue on other pages, two at a time, and end with the session. */
import type { ErrandError } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { session } from '../session.ts';
import { store } from '../store.ts';

export type Upload = {
  id: number;
  file: File;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  sentBytes: number;
  fault?: ErrandError;
  /** Of one that is done. */
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

/** Ends one that is under way, and takes it off the list. */
export function drop(id: number): void {
  ending.get(id)?.abort();
  uploads.set(uploads.get().filter((each) => each.id !== id));
}

export function repeat(id: number): void {
  change(id, { state: 'waiting', sentBytes: 0 });
  next();
}

export const clearDone = (): void => uploads.set(uploads.get().filter(({ state }) => state !== 'done'));

function change(id: number, to: Partial<Upload>): void {
  uploads.set(uploads.get().map((each) => (each.id === id ? { ...each, ...to } : each)));
}

function next(): void {
  const all = uploads.get();
  const room = AT_ONCE - all.filter(({ state }) => state === 'sending').length;
  for (const { id, file } of all.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, room))) send(id, file);
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
