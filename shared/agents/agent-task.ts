/** An agent task as callers read it: status, progress, results, estimates and runs. */
import { loadingCache } from '../core/cache.ts';
import { type LongRowLocation, readLongs } from '../core/long-values.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { Clock, Table } from '../ports.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slots.ts';
import { usageOf } from '../tasks/attempt-usage.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoints.ts';
import { renewed } from '../tasks/decide.ts';
import { checkedTask, readWithDetails, type TaskDetails } from '../tasks/details.ts';
import { type Result, resultLocation, resultsOf } from '../tasks/results.ts';
import { type TaskAddress, tasksList } from '../tasks/rows.ts';
import { missedSlots, runsOf } from '../tasks/runs.ts';
import {
  AGENTS_FACE,
  isBetweenRuns,
  isOpen,
  isRunEnd,
  type Recurrence,
  type RunOf,
  type ShownState,
  type Task,
} from '../tasks/task.ts';
import type { Usage } from '../usage/tokens.ts';
import { TASK_TYPES, type TaskType } from './agent-input.ts';

/**
 * A background agent's task with the results of its completed stages: one read, and another one once there are results.
 * `result` is the ended task's own; `reached` is the checkpoint of its last completed stage; `usage` covers all attempts.
 */
export type AgentTask = {
  taskId: string;
  task: Task;
  about: TaskDetails;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
  /** For a recurring task between runs: the last run, to which `result` belongs. */
  lastRun?: Task;
};

/** When the next run starts, or should have started if it waits for a worker. `undefined` after the last run. */
export const nextRunAt = (task: Task): number | undefined =>
  isBetweenRuns(task) ? task.queuedAt : isOpen(task) && task.recurs ? slotAfterRun(task.recurs) : undefined;

const slotAfterRun = ({ by, slotAt, extraAt }: Recurrence): number =>
  extraAt === undefined ? slotAfter(parseSchedule(by), slotAt) : slotAt;

/** The task as it is after a run that has just ended and has no row of its own yet. */
const withoutEndedRun = (task: Task, now: number): Task => (isRunEnd(task) ? (renewed(task, now)?.next ?? task) : task);

type AgentTaskPorts = { table: Table; clock: Clock };

export async function readAgentTask({ table, clock }: AgentTaskPorts, address: TaskAddress): Promise<AgentTask> {
  const { row, about } = await readWithDetails(table, address);
  const { value } = checkedTask(row, AGENTS_FACE);
  const task = withoutEndedRun(value, clock.now());
  const lastRun = task.recurs && isBetweenRuns(task) ? (await runsOf(table, address, 1))[0]?.value : undefined;
  const { result, reached, known } = await readResults(table, address, lastRun ?? task);
  const usage = await usageOf(table, address, lastRun ?? task, known);
  const common = { taskId: address.taskId, task, about: about ?? {}, result, reached, usage };
  return lastRun ? { ...common, lastRun } : common;
}

async function readResults(table: Table, address: TaskAddress, { state, resultOf, checkpoint, checkpointOf }: Task) {
  const result = resultOf === undefined ? undefined : resultLocation(address, resultOf);
  // The result of a succeeded task contains everything.
  const reached =
    checkpointOf === undefined || state === 'succeeded'
      ? undefined
      : checkpointLocation(address, { checkpoint, attempt: checkpointOf });
  const locations = [result, reached].filter((location): location is LongRowLocation => location !== undefined);
  const values = await readLongs<Result | CheckpointState>(table, locations);
  const valueAt = (place: LongRowLocation | undefined) => (place ? values[locations.indexOf(place)] : undefined);
  const ownResult = valueAt(result) as Result | undefined;
  const carried = valueAt(reached) as CheckpointState | undefined;
  return {
    result: ownResult,
    reached: carried?.value as Result | undefined,
    known: ownResult?.usage ?? carried?.usage,
  };
}

/** The newest runs of a recurring task with their results, and the slots without a run. */
const MAX_RUNS = 100;

/** `reached`: the last checkpoint of a run that did not succeed. */
export type EndedRun = {
  run: RunOf;
  task: Task;
  result: Result | undefined;
  reached: Result | undefined;
  usage: Usage | undefined;
};
export type MissedRun = { slotAt: number };

/** Newest first. */
export async function readRuns(
  { table }: { table: Table },
  address: TaskAddress,
  { by }: Recurrence,
): Promise<(EndedRun | MissedRun)[]> {
  const [rows, slots] = await Promise.all([
    runsOf(table, address, MAX_RUNS),
    missedSlots(table, address, { by, max: MAX_RUNS }),
  ]);
  const tasks = rows.map(({ value }) => value);
  const results = await resultsOf(
    table,
    tasks.map((task) => ({ address, task })),
  );
  const reached = await reachedBy(table, address, tasks);
  const all = await Promise.all(
    tasks.map(async (task, at): Promise<EndedRun[]> => {
      if (!task.run) return [];
      const result = results[at];
      const carried = reached.get(task);
      const usage = await usageOf(table, address, task, result?.usage ?? carried?.usage);
      return [{ run: task.run, task, result, reached: carried?.value as Result | undefined, usage }];
    }),
  );
  const ended = all.flat();
  // A slot may be recorded as missed although it ran: of two concurrent writers, the later one may have found a worker.
  const ran = new Set(ended.map(({ run }) => run.slotAt));
  const missed = slots.filter((slotAt) => !ran.has(slotAt)).map((slotAt): MissedRun => ({ slotAt }));
  return [...ended, ...missed].sort((a, b) => slotOf(b) - slotOf(a)).slice(0, MAX_RUNS);
}

async function reachedBy(
  table: Table,
  address: TaskAddress,
  tasks: Task[],
): Promise<Map<Task, CheckpointState | undefined>> {
  const reached = tasks.flatMap((task) => {
    const { state, checkpoint, checkpointOf: attempt } = task;
    if (state === 'succeeded' || attempt === undefined) return [];
    return [{ task, place: checkpointLocation(address, { checkpoint, attempt }) }];
  });
  const found = await readLongs<CheckpointState>(
    table,
    reached.map(({ place: location }) => location),
  );
  return new Map(reached.map(({ task }, at) => [task, found[at]]));
}

const slotOf = (run: EndedRun | MissedRun): number => ('run' in run ? run.run.slotAt : run.slotAt);

/** The estimated remaining time of an unfinished task, from the usual duration of its type and from its progress. */
export function remainingMs(task: Task, typicalMs: number, now: number): number {
  if (!isOpen(task)) return 0;
  const left = beginOf(task) + typicalMs - now;
  // It takes longer than usual, so only its own pace is a basis.
  return left > 0 ? left : byPace(task, typicalMs, now);
}

/** A postponed task begins at its planned time, and a recurring one with each run. */
export const beginOf = ({ createdAt, queuedAt, startedAt = queuedAt, recurs }: Task): number =>
  recurs ? startedAt : Math.max(createdAt, queuedAt);

function byPace({ startedAt, progress }: Task, typicalMs: number, now: number): number {
  if (startedAt === undefined || progress === 0) return typicalMs;
  return ((now - startedAt) * (100 - progress)) / progress;
}

/**
 * The usual duration of tasks of a type, from submit to completion: the median of the organization's newest ones, read from
 * the index. Until enough are known, a table of defaults is used.
 */
const LOOKED_AT = 500;
const MIN_KNOWN = 20;
const KEPT_MS = MINUTE_MS;
const MAX_ENTRIES = 10_000;

const DEFAULT_MS: Record<TaskType, number> = {
  research_agent: 3 * MINUTE_MS,
  processing_agent: 2 * MINUTE_MS,
  notification_agent: MINUTE_MS,
};

type UsualDurations = Record<TaskType, number>;
export type TypicalDuration = (organization: string, type: TaskType) => Promise<number>;

export function typicalDuration({ table, clock }: { table: Table; clock: Clock }): TypicalDuration {
  const read = (organization: string) => measureDurations(table, organization);
  const known = loadingCache({ clock, ttlMs: KEPT_MS, max: MAX_ENTRIES, load: read });
  return async (organization, type) => ((await known.get(organization)) ?? DEFAULT_MS)[type];
}

async function measureDurations(table: Table, organization: string): Promise<UsualDurations> {
  const { rows } = await table.listed(tasksList(organization, AGENTS_FACE), { limit: LOOKED_AT, newestFirst: true });
  const taken = Map.groupBy(
    rows.filter(({ state }) => state === 'succeeded'),
    ({ type }) => type,
  );
  const durationOf = (type: TaskType): number => {
    const times = (taken.get(type) ?? []).map(({ at, endedAt = at }) => endedAt - at);
    return times.length < MIN_KNOWN ? DEFAULT_MS[type] : median(times);
  };
  return Object.fromEntries(TASK_TYPES.map((type) => [type, durationOf(type)])) as UsualDurations;
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The states of a task in the background-agent API. */
export const STATUSES = {
  queued: 'pending',
  recurring: 'pending',
  running: 'processing',
  cancelling: 'cancelling',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<ShownState, string>;

export type Status = (typeof STATUSES)[ShownState];
