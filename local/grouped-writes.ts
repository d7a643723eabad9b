/**
 * Writes of one turn of the event loop share a transaction, and are answered when its commit is on the disk. While the
 * disk syncs one group, the next one gathers and the loop goes on.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../shared/core/problem.ts';
import type { LogSync } from './log-sync.ts';

type Waiting = { work: () => unknown; resolve: (result: unknown) => void; reject: (error: unknown) => void };

/** In the transaction: what is to be said behind its commit. */
type Answer = () => void;

export function groupedWrites(db: DatabaseSync, log: LogSync) {
  const committed = committer(db);
  let lasting: Waiting[] = [];
  let fading: Waiting[] = [];
  let isPlanned = false;
  let syncing: Promise<void> | undefined;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(flush);
  }

  function flush(): void {
    isPlanned = false;
    const group = { lasting: syncing ? [] : lasting, fading };
    fading = [];
    if (!syncing) lasting = [];
    const all = [...group.fading, ...group.lasting];
    if (all.length === 0) return;
    const answers = committed(all);
    for (const answer of answers?.splice(0, group.fading.length) ?? []) answer();
    if (answers && answers.length > 0) answerWhenSynced(group.lasting, answers);
  }

  function answerWhenSynced(group: Waiting[], answers: Answer[]): void {
    const ended = log.sync().then(
      () => {
        for (const answer of answers) answer();
      },
      // Written, and perhaps lost with the power: as good as an answer that got lost.
      (error) => rejectAll(group, translated(error)),
    );
    syncing = ended.finally(() => {
      syncing = undefined;
      if (lasting.length > 0) plan();
    });
  }

  return {
    /** What may fade is in the file as the rest is, but a power cut may undo it: it waits for no disk. */
    write<T>(work: () => T, mayFade = false): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        (mayFade ? fading : lasting).push({ work, resolve: resolve as (result: unknown) => void, reject });
        if (mayFade || !syncing) plan();
      });
    },
    /** Resolves when all that can be read by now is on the disk, but for what may fade. */
    settled: (): Promise<void> | undefined => syncing,
    /** At once, and for the last time. */
    close(): void {
      const all = [...fading, ...lasting];
      [fading, lasting] = [[], []];
      const answers = all.length > 0 ? committed(all) : [];
      log.close();
      for (const answer of answers ?? []) answer();
    },
  };
}

/** Undefined = all were told that it failed. */
function committer(db: DatabaseSync): (group: Waiting[]) => Answer[] | undefined {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');

  return (group) => {
    if (!db.isOpen) {
      rejectAll(group, new Problem('busy', 'The product is stopping.'));
      return undefined;
    }
    try {
      begin.run();
      const answers = group.map(answered);
      commit.run();
      return answers;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      rejectAll(group, translated(error));
      return undefined;
    }
  };
}

const rejectAll = (group: Waiting[], error: unknown): void => {
  for (const { reject } of group) reject(error);
};

/** One write that throws fails alone: SQLite undoes its statement, the others of the group stand. */
function answered({ work, resolve, reject }: Waiting): Answer {
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
