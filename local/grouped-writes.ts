/** Writes of one turn of the event loop share a transaction, and are answered after its commit. */
import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../shared/core/problem.ts';

type Waiting = {
  work: () => unknown;
  mayFade: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

export function groupedWrites(db: DatabaseSync) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const syncing = syncingOf(db);
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    if (!db.isOpen) {
      rejectAll(group, new Problem('busy', 'The product is stopping.'));
      return;
    }
    try {
      syncing.set(group.some(({ mayFade }) => !mayFade));
      begin.run();
      const answers = group.map(answered);
      commit.run();
      for (const answer of answers) answer();
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      rejectAll(group, translated(error));
    }
  }

  return {
    /** What may fade is in the file as the rest is, but a power cut may undo it: its commit alone waits for no disk. */
    write<T>(work: () => T, mayFade = false): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ work, mayFade, resolve: resolve as (result: unknown) => void, reject });
      });
    },
    flush,
  };
}

/** The log is one file: syncing a later commit syncs all before it. */
function syncingOf(db: DatabaseSync) {
  let isOn = true;
  return {
    set(on: boolean): void {
      if (on === isOn) return;
      db.exec(`PRAGMA synchronous = ${on ? 'FULL' : 'NORMAL'}`);
      isOn = on;
    },
  };
}

const rejectAll = (group: Waiting[], error: unknown): void => {
  for (const { reject } of group) reject(error);
};

/** One write that throws fails alone: SQLite undoes its statement, the others of the group stand. */
function answered({ work, resolve, reject }: Waiting): () => void {
  try {
    const result = work();
    return () => resolve(result);
  } catch (error) {
    return () => reject(error);
  }
}

/** SQLite's primary result codes for "somebody else holds the file" and "no room left". */
const BUSY = 5;
const FULL = 13;

function translated(error: unknown): unknown {
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) return error;
  if ((code & 0xff) === BUSY)
    return new Problem('busy', 'Another process holds the state; try again.', { cause: error });
  if ((code & 0xff) === FULL) return new Problem('busy', 'No room is left for the state.', { cause: error });
  return error;
}
