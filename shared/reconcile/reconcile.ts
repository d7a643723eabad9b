/** Runs once a minute over all due rows. */

import type { Log } from '../core/log.ts';
import { DUE_SHARDS } from '../core/shard.ts';
import { KEYS_AT_ONCE } from '../core/table-access.ts';
import { expireFile } from '../files/cleanup.ts';
import { maintainReading, readingCanWait } from '../files/reading.ts';
import { laneWatch } from '../lanes/lane-ages.ts';
import type { Blobs, Key, Row, Scheduler, Table } from '../ports.ts';
import { maintainConnection, type NotifyConnectionEnd } from '../realtime/connections.ts';
import type { Task } from '../tasks/task.ts';
import type { MovePorts } from '../tasks/transition.ts';
import { maintainBreaker } from '../webhooks/maintain-breaker.ts';
import { isReminder } from './reminder.ts';
import { tickTask } from './tick-task.ts';

export type ReconcilePorts = MovePorts & {
  blobs: Blobs;
  log: Log;
  sayEnding: NotifyConnectionEnd;
  scheduler: Scheduler;
};

/** `stop`: no further row is begun. `end`: the round is reported and fails, even if a call has not returned. */
export type RoundLimits = { stop: AbortSignal; end: AbortSignal };

/** Longer than the slowest row takes: the repair of schedules and the sweep of uploads follow as well. */
export const STOP_BEFORE_MS = 10_000;
/** Long enough to write the log line. */
const END_BEFORE_MS = 3_000;

/** The limits of a round that must be over in this time. */
export const limitsWithin = (ms: number): RoundLimits => ({
  stop: AbortSignal.timeout(Math.max(0, ms - STOP_BEFORE_MS)),
  end: AbortSignal.timeout(Math.max(0, ms - END_BEFORE_MS)),
});

const never = new AbortController().signal;

type Ports = ReconcilePorts & { lanes: ReturnType<typeof laneWatch>; stop: AbortSignal };

/** What a round has done so far. `lagMs`: how long the oldest due row had waited, if at least one shard could be read. */
type Round = { cared: number; left: number; lagMs?: number; laneMs?: object };

/**
 * Returns the number of processed rows. Rows that can wait are processed after all others, the oldest first; what does not
 * fit into the round is `left` for the next one. A failing row or shard does not stop the others; a failed shard throws at
 * the end. The round is logged in any case, because alarms are made from that line.
 */
export async function reconcile(
  input: ReconcilePorts,
  { stop, end }: RoundLimits = { stop: never, end: never },
): Promise<number> {
  const round: Round = { cared: 0, left: 0 };
  const ports = { ...input, lanes: laneWatch(input), stop };
  try {
    await beforeAbort(runRound(ports, round), end);
    return round.cared;
  } finally {
    input.log.info('due rows were processed', round);
  }
}

async function runRound(ports: Ports, round: Round): Promise<void> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => processUrgent(ports, round, shard));
  const urgent = await Promise.allSettled(shards);
  const waiting = urgent.map(async (shard) => {
    if (shard.status === 'fulfilled') await processRows(ports, round, shard.value);
  });
  const waited = await Promise.allSettled(waiting);
  round.laneMs = await ports.lanes.write();
  for (const outcome of [...urgent, ...waited]) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Work that never returns must not keep the round from being reported. */
function beforeAbort(work: Promise<void>, end: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    end.addEventListener('abort', () => reject(new Error('The round did not end in time.')), { once: true });
    work.then(resolve, reject);
  });
}

/**
 * Of one shard; all shards together are several times what a round can move. Everything that is due is read before anything
 * that can wait is processed, because a backlog of reminders is older than the leases and retries behind it.
 */
const MAX_DUE = 20_000;

/** Returns the keys of the shard's rows that can wait. */
async function processUrgent(ports: Ports, round: Round, shard: number): Promise<Key[]> {
  const keys = await ports.table.due(shard, ports.clock.now(), MAX_DUE);
  const lagMs = await lagOf(ports, keys[0]);
  round.lagMs = Math.max(round.lagMs ?? 0, lagMs);
  const waiting: Key[] = [];
  await processRows(ports, round, keys, (key) => waiting.push(key));
  return waiting;
}

/** How long the oldest due row has waited. Rows processed meanwhile do not count. */
async function lagOf({ table, clock }: Ports, oldest: Key | undefined): Promise<number> {
  const row = oldest && (await table.get(oldest));
  return row?.dueAt === undefined ? 0 : Math.max(0, clock.now() - row.dueAt);
}

/** Read in one request, because requests take most of the CPU time of a round. */
const ROWS_AT_ONCE = KEYS_AT_ONCE;
/** Of one shard, so that all shards together stay below the number of pooled connections. */
const MOVED_AT_ONCE = 3;

/** `postpone` gets the rows that can wait; without it they are processed as well. */
async function processRows(ports: Ports, round: Round, keys: Key[], postpone?: (key: Key) => void): Promise<void> {
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    const page = keys.slice(from, from + ROWS_AT_ONCE);
    const rowOf = ports.stop.aborted ? undefined : await pageReader(ports.table, page);
    await eachAtOnce(page, MOVED_AT_ONCE, async (key) => {
      if (rowOf === undefined || ports.stop.aborted) round.left++;
      else if (await processRow(ports, { key, rowOf, postpone })) round.cared++;
    });
  }
}

type ReadRow = (key: Key) => Promise<Row<unknown> | undefined>;

/** If a page cannot be read at once, its rows are read one by one: an unreadable row does not hold up the others. */
async function pageReader(table: Table, page: Key[]): Promise<ReadRow> {
  const rows = await table.getMany(page).catch(() => undefined);
  if (!rows) return (key) => table.get(key);
  const byKey = new Map(page.map((key, at) => [key, rows[at]]));
  return async (key) => byKey.get(key);
}

async function eachAtOnce<T>(items: readonly T[], atOnce: number, run: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values();
  const runners = Array.from({ length: atOnce }, async () => {
    for (const item of remaining) await run(item);
  });
  await Promise.all(runners);
}

type DueRow = { key: Key; rowOf: ReadRow; postpone: ((key: Key) => void) | undefined };

/** True if the row was processed. */
async function processRow(ports: Ports, { key, rowOf, postpone }: DueRow): Promise<boolean> {
  try {
    const [name = ''] = key.sk.split('#');
    const kind = KINDS[name];
    if (!kind) throw new Error('No handler for this row.');
    const row = await rowOf(key);
    if (row && postpone && kind.canWait(row, ports.clock.now())) {
      postpone(key);
      return false;
    }
    if (row) await kind.process(ports, row);
    return true;
  } catch (error) {
    ports.log.error('a due row could not be processed', { key, error });
    return false;
  }
}

/** `canWait`: the row is processed after all rows that cannot. */
type Kind = {
  process(ports: Ports, row: Row<unknown>): Promise<void>;
  canWait(row: Row<unknown>, now: number): boolean;
};

const tickRow = (ports: Ports, row: Row<Task>): Promise<void> => tickTask(ports, row, row);
const cannotWait = (): boolean => false;

/** The kinds of due rows, by the first part of their key. Those that are not tasks read the row again. */
const KINDS: Record<string, Kind> = {
  TASK: { process: tickRow, canWait: ({ value }: Row<Task>, now: number) => isReminder(value, now) },
  RUN: { process: tickRow, canWait: cannotWait },
  READING: { process: maintainReading, canWait: readingCanWait },
  // A file that has expired is no longer shown, whether its bytes are removed or not.
  FILE: { process: expireFile, canWait: () => true },
  CONNECTION: { process: maintainConnection, canWait: cannotWait },
  BREAKER: { process: maintainBreaker, canWait: cannotWait },
};
