/** The reconciler: once a minute it advances all rows that are due, and repairs the scheduler's entries. */
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { DUE_SHARDS } from '../core/port-limits.ts';
import { expireFile } from '../files/cleanup.ts';
import { maintainReading } from '../files/reading.ts';
import { laneWatch } from '../lanes/admission.ts';
import type { Blobs, Clock, Key, Row, ScheduledTask, Scheduler, Table } from '../ports.ts';
import { maintainConnection, type NotifyConnectionEnd } from '../realtime/connections.ts';
import { parseTaskAddress, retentionMs, type TaskAddress, taskKey, taskPartition } from '../tasks/rows.ts';
import { isBetweenRuns, isOpen, isRunEnd, type Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { maintainBreaker } from '../webhooks/circuit-breaker.ts';

const ROWS_AT_ONCE = 100;

/** Processes a due task: updates its schedule, sends a tick, and records whether it still waits for a worker. */
type TickPorts = MovePorts & SchedulePorts & { lanes: Pick<ReturnType<typeof laneWatch>, 'note'> };

export async function tickTask(ports: TickPorts, key: Key): Promise<void> {
  const held = await ports.table.get<Task>(key);
  if (!held) return;
  // Before the task's own row changes: if the process dies in between, it happens again.
  await maintainSchedule(ports, parseTaskAddress(key), held.value);
  const outcome = await moveTask(ports, parseTaskAddress(key), { type: 'tick' }, { held, isCurrent: true });
  if (outcome) ports.lanes.note(key, outcome.row.value);
}

/** Runs once a minute over all due rows. */
export type ReconcilePorts = MovePorts & {
  blobs: Blobs;
  log: Log;
  sayEnding: NotifyConnectionEnd;
  scheduler: Scheduler;
};
type Ports = ReconcilePorts & { lanes: ReturnType<typeof laneWatch> };

const MAX_PAGES = 20;

/** The handler of each kind of due row. Each reads the row again first, because the index may lag. */
const CARE: Record<string, (ports: Ports, key: Key) => Promise<void>> = {
  FILE: expireFile,
  READING: maintainReading,
  TASK: tickTask,
  RUN: tickTask,
  CONNECTION: maintainConnection,
  BREAKER: maintainBreaker,
};

/** Returns the number of processed rows. A failing row or shard does not stop the others; a failed shard throws at the end. */
export async function reconcile(input: ReconcilePorts): Promise<number> {
  const ports = { ...input, lanes: laneWatch(input) };
  const rounds = Array.from({ length: DUE_SHARDS }, (_, shard) => reconcileShard(ports, shard));
  await Promise.allSettled(rounds);
  const laneMs = await ports.lanes.write();
  const shards = await Promise.all(rounds);
  const cared = shards.reduce((sum, shard) => sum + shard.cared, 0);
  const lagMs = Math.max(...shards.map((shard) => shard.lagMs));
  input.log.info('due rows were processed', { cared, lagMs, laneMs });
  return cared;
}

/** Reads pages until one is not full, or until no row of a page could be processed and only the same rows would come again. */
async function reconcileShard(ports: Ports, shard: number): Promise<{ cared: number; lagMs: number }> {
  let all = 0;
  let lagMs = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const keys = await ports.table.due(shard, ports.clock.now(), ROWS_AT_ONCE);
    if (page === 0) lagMs = await lagOf(ports, keys[0]);
    let cared = 0;
    for (const key of keys) if (await maintain(ports, key)) cared++;
    all += cared;
    if (keys.length < ROWS_AT_ONCE || cared === 0) break;
  }
  return { cared: all, lagMs };
}

/** How long the oldest due row has waited. Rows processed meanwhile do not count. */
async function lagOf({ table, clock }: Ports, oldest: Key | undefined): Promise<number> {
  const row = oldest && (await table.get(oldest));
  return row?.dueAt === undefined ? 0 : Math.max(0, clock.now() - row.dueAt);
}

async function maintain(ports: Ports, key: Key): Promise<boolean> {
  try {
    const [kind = ''] = key.sk.split('#');
    const care = CARE[kind];
    if (!care) throw new Error('No handler for this row.');
    await care(ports, key);
    return true;
  } catch (error) {
    ports.log.error('a due row could not be processed', { key, error });
    return false;
  }
}

/** Creates and removes the schedule of a task. */
type SchedulePorts = { table: Table; clock: Clock; scheduler: Scheduler; log: Log };

async function maintainSchedule(ports: SchedulePorts, address: TaskAddress, task: Task): Promise<void> {
  const { state, recurs, endedAt } = task;
  if (state === 'cancelled' && recurs && !recurs.isOff) {
    await ports.scheduler.remove(address);
    return removeSchedule(ports.table, address, (endedAt ?? ports.clock.now()) + retentionMs(task));
  }
  if (isBetweenRuns(task)) await putSchedule(ports, address, task);
}

/** For a new task, or for one whose slot has passed without a hint from a schedule. */
async function putSchedule({ scheduler, clock, log }: SchedulePorts, address: TaskAddress, task: Task): Promise<void> {
  const { priority, recurs, queuedAt, hintAt } = task;
  const now = clock.now();
  if (now < hintAt || recurs?.extraAt !== undefined) return;
  const timing = recurs ? { by: recurs.by } : { at: queuedAt };
  if (!recurs && queuedAt <= now) return;
  await scheduler.put(address, { priority, timing }).catch((error) => {
    // Before its time, a later round can retry; after it, the run does not wait for a schedule.
    if (queuedAt > now) throw error;
    log.warn('a schedule was not created', { ...address, error });
  });
}

/** Rows that last as long as a task recurs get an expiry. A row that changes at this moment keeps its own expiry. */
async function removeSchedule(table: Table, address: TaskAddress, expiresAt: number): Promise<void> {
  for (let after: string | undefined; ; ) {
    const paging = { limit: ROWS_AT_ONCE, ...definedFields({ after }) };
    const { rows, next } = await table.rows(taskPartition(address), '', paging);
    for (const row of rows) {
      if (row.sk === 'TASK' || (row.expiresAt ?? Number.POSITIVE_INFINITY) <= expiresAt) continue;
      const { pk: _pk, sk: _sk, version: _version, ...kept } = row;
      await table.replace(row, { ...kept, expiresAt });
    }
    if (next === undefined) return;
    after = next;
  }
}

type MendPorts = { scheduler: Scheduler; table: Table; log: Log };

/**
 * Once a minute reads a page of all schedules and removes those whose task no longer needs one. A task without its
 * schedule gets one when its slot has passed.
 */
export function scheduleRepairer(ports: MendPorts): () => Promise<void> {
  const { scheduler, table, log } = ports;
  let after: string | undefined;

  async function mendPage(): Promise<void> {
    const paging = { limit: ROWS_AT_ONCE, ...definedFields({ after }) };
    after = undefined;
    const { rows: scheduled, next } = await scheduler.list(paging);
    const tasks = scheduled.length === 0 ? [] : await table.getMany<Task>(scheduled.map((each) => taskKey(each)));
    const idle = scheduled.filter((_, at): boolean => !isWaitedFor(tasks[at]));
    for (const each of idle) await removeUnlessNew(ports, each);
    after = next;
  }

  return () => mendPage().catch((error) => log.error('schedules could not be looked through', { error }));
}

const isWaitedFor = (row: Row<Task> | undefined): boolean =>
  row !== undefined && (isOpen(row.value) || isRunEnd(row.value));

/** Reads the task again, because a batch read is not a snapshot. */
async function removeUnlessNew({ scheduler, table, log }: MendPorts, each: ScheduledTask): Promise<void> {
  if (isWaitedFor(await table.get<Task>(taskKey(each)))) return;
  await scheduler.remove(each);
  log.warn('a schedule without a task was removed', each);
}
