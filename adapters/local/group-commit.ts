/** Group commit: writes of one turn of the event loop share a transaction, and resolve when it is on disk. */
import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../../shared/core/problem.ts';
import type { Durability } from '../../shared/ports.ts';
import type { LogSync } from './log-sync.ts';
import { diskFault } from './state-folder.ts';

type Waiting = {
  work: () => unknown;
  durability: Durability;
  /** How many attempts failed because another process held the file. */
  tries: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

/** AGAIN_MS * MAX_ATTEMPTS is how long another process may hold the file; only writers wait for it. */
const AGAIN_MS = 30;
const MAX_ATTEMPTS = 100;

/** Resolves or rejects one write after the commit. */
type Answer = () => void;

/** While the disk syncs one group, the next group gathers and the event loop continues. */
export function groupedWrites(db: DatabaseSync, log: LogSync) {
  const committed = committer(db, retryLater);
  let lasting: Waiting[] = [];
  let fading: Waiting[] = [];
  let isPlanned = false;
  let syncing: Promise<void> | undefined;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(flush);
  }

  /** Requeues a group in front of later writes. */
  function retryLater(group: Waiting[]): void {
    if (group.length === 0) return;
    fading.unshift(...group.filter(({ durability }) => durability === 'relaxed'));
    lasting.unshift(...group.filter(({ durability }) => durability === 'full'));
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(flush, AGAIN_MS);
  }

  function flush(): void {
    isPlanned = false;
    const group = { lasting: syncing ? [] : lasting, fading };
    fading = [];
    if (!syncing) lasting = [];
    const writes = [...group.fading, ...group.lasting];
    if (writes.length === 0) return;
    const answers = committed(writes);
    for (const answer of answers?.splice(0, group.fading.length) ?? []) answer();
    if (answers && answers.length > 0) answerWhenSynced(group.lasting, answers);
  }

  function answerWhenSynced(group: Waiting[], answers: Answer[]): void {
    const ended = log.sync().then(
      () => {
        for (const answer of answers) answer();
      },
      // The write may be lost in a power failure; for the caller this equals a lost response.
      (error) => rejectAll(group, diskFault.toProblem(error)),
    );
    syncing = ended.finally(() => {
      syncing = undefined;
      if (lasting.length > 0) plan();
    });
  }

  return {
    /** A write with relaxed durability is in the file like any other, but does not wait for the disk: a power failure may undo it. */
    write<T>(work: () => T, durability: Durability = 'full'): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const settle = resolve as (result: unknown) => void;
        (durability === 'relaxed' ? fading : lasting).push({ work, durability, tries: 0, resolve: settle, reject });
        if (durability === 'relaxed' || !syncing) plan();
      });
    },
    /** Resolves when everything readable now is on disk, except writes with relaxed durability. */
    settled: (): Promise<void> | undefined => syncing,
    /** Commits and syncs the remaining writes synchronously. */
    close(): void {
      const writes = [...fading, ...lasting];
      [fading, lasting] = [[], []];
      const answers = writes.length > 0 ? committed(writes) : [];
      log.close();
      for (const answer of answers ?? []) answer();
    },
  };
}

/** Commits a group. Returns `undefined` if all of its writes were rejected or will be retried. */
function committer(db: DatabaseSync, retryLater: (group: Waiting[]) => void) {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');

  function putOff(group: Waiting[], error: unknown): undefined {
    for (const write of group) write.tries++;
    const isPatient = ({ tries }: Waiting): boolean => diskFault.isBusy(error) && tries < MAX_ATTEMPTS;
    retryLater(group.filter(isPatient));
    rejectAll(
      group.filter((write) => !isPatient(write)),
      diskFault.toProblem(error),
    );
  }

  return (group: Waiting[]): Answer[] | undefined => {
    if (!db.isOpen) {
      rejectAll(group, new Problem('busy', 'The product is stopping.'));
      return undefined;
    }
    try {
      begin.run();
    } catch (error) {
      return putOff(group, error);
    }
    try {
      const answers = group.map((write) => runWrite(db, write));
      commit.run();
      return answers;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      rejectAll(group, diskFault.toProblem(error));
      return undefined;
    }
  };
}

const rejectAll = (group: Waiting[], error: unknown): void => {
  for (const { reject } of group) reject(error);
};

/** A write that throws fails alone: SQLite rolls back its statement, and the others of the group stand. */
function runWrite(db: DatabaseSync, { work, resolve, reject }: Waiting): Answer {
  try {
    const result = work();
    return () => resolve(result);
  } catch (error) {
    // A full disk may roll back the whole transaction; the next writes would then run outside of any.
    if (!db.isTransaction) throw error;
    return () => reject(diskFault.toProblem(error));
  }
}
