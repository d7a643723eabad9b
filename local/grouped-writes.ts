/** Writes of one turn of the event loop share a transaction, and are answered after its commit. */
import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../shared/core/problem.ts';
import { isBusy, stateFault } from './state-fault.ts';

type Waiting = {
  work: () => unknown;
  mayFade: boolean;
  /** How often somebody else held the file. */
  tries: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/** Another process may hold the file for that long in all, and nobody but the writers waits for it. */
const AGAIN_MS = 30;
const MOST_TRIES = 100;

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
    } catch (error) {
      if (isBusy(error)) comeAgain(group, error);
      else rejectAll(group, stateFault(error));
      return;
    }
    commitAll(group);
  }

  function commitAll(group: Waiting[]): void {
    try {
      const answers = group.map((one) => answered(db, one));
      commit.run();
      for (const answer of answers) answer();
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      rejectAll(group, stateFault(error));
    }
  }

  function comeAgain(group: Waiting[], error: unknown): void {
    for (const one of group) one.tries++;
    const [patient, tired] = [
      group.filter((one) => one.tries < MOST_TRIES),
      group.filter((one) => one.tries >= MOST_TRIES),
    ];
    rejectAll(tired, stateFault(error));
    waiting = patient;
    if (patient.length > 0) setTimeout(flush, AGAIN_MS);
  }

  return {
    /** What may fade is in the file as the rest is, but a power cut may undo it: its commit alone waits for no disk. */
    write<T>(work: () => T, mayFade = false): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ work, mayFade, tries: 0, resolve: resolve as (result: unknown) => void, reject });
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
function answered(db: DatabaseSync, { work, resolve, reject }: Waiting): () => void {
  try {
    const result = work();
    return () => resolve(result);
  } catch (error) {
    // A full disk may undo the whole transaction, and what came behind would be written outside of any.
    if (!db.isTransaction) throw error;
    return () => reject(stateFault(error));
  }
}
