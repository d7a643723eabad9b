/** Runs one task as far as possible: claims it, runs its agent's stages, and stores a result or a failure. */

import type { Log } from '../core/log.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import type { Prerequisites, Row } from '../ports.ts';
import { type NotifyActivity, openActivity } from './activity.ts';
import type { Agents } from './agent.ts';
import { type AttemptUsage, attemptUsage, spentBefore } from './attempt-usage.ts';
import { type BudgetNotify, budgetGuard } from './budget.ts';
import { FIRST_CHECKPOINT_VERSION, usageAtCheckpoint } from './checkpoints.ts';
import type { TaskEvent } from './decide.ts';
import { inputOf, readWithDetails, type TaskDetails } from './details.ts';
import type { FirstSender } from './first-sender.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import { type LeasePorts, leaseTask, type TaskLease } from './lease.ts';
import { type Result, resultDrafts } from './results.ts';
import { detailsExpireAt, type TaskAddress } from './rows.ts';
import { runStages, type StagedRun } from './run-stages.ts';
import { isMoved } from './stored-steps.ts';
import { isBetweenRuns, TASK_LIMITS, type Task } from './task.ts';
import { TaskFailure } from './task-failure.ts';
import { moveTask } from './transition.ts';

export type WorkerPorts = LeasePorts & {
  log: Log;
  agents: Agents;
  /** Without it the senders receive a hint for every event. */
  firstSender?: FirstSender;
  /** Warns an organization about its budget. */
  notify?: BudgetNotify;
  notifyActivity?: NotifyActivity;
  /** For a process that also accepts submits. */
  fresh?: Pick<FreshTasks, 'take'>;
  /** Without it, the process also runs other tasks. */
  process?: WorkerProcess | undefined;
};

/** `crowded`: nothing was done, because the task needs a process of its own. */
export type RunOutcome = 'crowded' | undefined;

/** `mustGo` is aborted when this worker must stop soon: the task then returns to the queue from its last checkpoint. */
export async function runTask(ports: WorkerPorts, address: TaskAddress, stopSignal: AbortSignal): Promise<RunOutcome> {
  const freshTask = ports.fresh?.take(address);
  const { row, about } = freshTask ?? (await readWithDetails(ports.table, address));
  if (!row) return undefined;
  const claim: TaskEvent = { type: 'claim', process: ports.process };
  const claimed = await moveTask(ports, address, claim, { cachedRow: row, isCurrent: freshTask === undefined, about });
  if (claimed?.ignored === 'crowded') return 'crowded';
  if (claimed?.ignored === 'notDue') await hintAtItsTime(ports, address, claimed.row.value);
  // Ended, leased by another worker, or not yet due. If it still needs a worker, the reconciler sends another hint.
  if (!claimed || claimed.ignored || claimed.row.value.state !== 'running') return undefined;
  await runClaimed(ports, address, { row: claimed.row, about, stopSignal });
  return undefined;
}

type ClaimedRow = { row: Row<Task>; about: TaskDetails | undefined; stopSignal: AbortSignal };

async function runClaimed(
  ports: WorkerPorts,
  address: TaskAddress,
  { row, about, stopSignal }: ClaimedRow,
): Promise<void> {
  const lease = leaseTask(ports, { address, row, stopSignal });
  let stopWriting = () => {};
  try {
    const before = await readUsageBefore(ports, address, lease.task());
    const reserve = budgetGuard(ports, { address, task: lease.task(), budget: about?.budget });
    const usage = attemptUsage(ports, address, { task: lease.task(), before, reserve });
    lease.countTokens(usage.soFar);
    stopWriting = ports.every(TASK_LIMITS.beatMs, () => void usage.write());
    const end = await makeAttempt(ports, address, { lease, about, usage });
    let isWritten = false;
    try {
      isWritten = await writeEnd(ports, address, { lease, about, end });
    } finally {
      // If another process ended the task meanwhile, the result with the usage was not stored.
      if (end.event.type === 'finish' && !isWritten) await usage.close({ hasResult: false });
    }
    logEnd(ports, address, { task: lease.task(), ...end });
  } finally {
    stopWriting();
    lease.release();
  }
}

/** The first attempt reads nothing. */
async function readUsageBefore({ table, log }: WorkerPorts, address: TaskAddress, task: Task) {
  if (task.past === undefined) return undefined;
  return usageAtCheckpoint(table, address, task)
    .then((reached) => spentBefore(table, address, task, reached))
    .catch((error) => {
      log.warn('the tokens of earlier attempts are not shown', { ...address, error });
      return undefined;
    });
}

/** Schedules are accurate to a minute: a hint that came too early is repeated for the exact time. */
async function hintAtItsTime({ clock, hints }: WorkerPorts, address: TaskAddress, task: Task): Promise<void> {
  const earlyMs = task.queuedAt - clock.now();
  if (!isBetweenRuns(task) || earlyMs > MINUTE_MS) return;
  const delaySeconds = Math.max(0, Math.ceil(earlyMs / 1_000));
  await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
}

type ClaimedTask = { lease: TaskLease; about: TaskDetails | undefined };
type WorkerAttempt = ClaimedTask & { usage: AttemptUsage };

/** The end of an attempt: its event, its result, and the rows to write before. */
type AttemptEnd = {
  event: TaskEvent;
  result?: Result;
  prerequisites: Prerequisites;
  /** Called after the end was written. */
  markStored?: () => void;
  trace?: string | undefined;
};

async function makeAttempt(ports: WorkerPorts, address: TaskAddress, begun: WorkerAttempt): Promise<AttemptEnd> {
  const { lease, about } = begun;
  const { attempt } = lease;
  const trace = about?.trace?.id;
  try {
    const options = { address, task: lease.task(), notify: ports.notifyActivity };
    const activity = await openActivity(ports.table, options);
    const result = await runAgent(ports, address, { ...begun, activity });
    const event: TaskEvent = { type: 'finish', attempt, as: 'succeeded' };
    const end = await closeUsage(address, begun, { trace, event, result });
    const last = { upTo: activity.count(), expiresAt: detailsExpireAt(lease.task()) };
    const { drafts, markStored } = activity.batch('END', last);
    return { ...end, prerequisites: [...end.prerequisites, ...drafts], markStored };
  } catch (error) {
    if (lease.signal.aborted) return closeUsage(address, begun, { trace, ...interruption(lease) });
    return closeUsage(address, begun, { trace, ...failureEnd(ports.log, address, { lease, error, trace }) });
  }
}

/** Usage is written before the end, so that no task ends without it. */
async function closeUsage(
  address: TaskAddress,
  { lease, usage }: WorkerAttempt,
  end: Omit<AttemptEnd, 'prerequisites'>,
): Promise<AttemptEnd> {
  await usage.close({ hasResult: end.event.type === 'finish' });
  if (!end.result) return { ...end, prerequisites: [] };
  const total = usage.total();
  const result: Result = { ...end.result, ...(total ? { usage: total } : {}) };
  return { ...end, result, prerequisites: resultRows(address, lease, result) };
}

async function runAgent(
  ports: WorkerPorts,
  address: TaskAddress,
  { lease, about, usage, activity }: WorkerAttempt & Pick<StagedRun, 'activity'>,
): Promise<Result> {
  const { table, clock, every, agents } = ports;
  const [type = ''] = lease.task().type.split('#');
  const agent = agents[type];
  if (!agent) throw new Error(`No agent runs tasks of the type ${type}.`);
  const input = await inputOf(table, address, about);
  const { checkpointVersion: version = FIRST_CHECKPOINT_VERSION } = agent;
  const run = { address, stages: agent.stages(input), version, hold: lease, usage, activity, input };
  return runStages({ table, clock, every }, run);
}

/** Returns whether the end was written. Then sends the event if a slot was free. */
async function writeEnd(
  ports: WorkerPorts,
  address: TaskAddress,
  o: ClaimedTask & { end: AttemptEnd },
): Promise<boolean> {
  const { lease, about } = o;
  const { event, result, prerequisites, markStored } = o.end;
  if (event.type !== 'finish') return isMoved(await lease.move(event, prerequisites));
  const slot = lease.task().recurs ? undefined : await ports.firstSender?.tryAcquire(address, about);
  const outcome = await lease.move(slot ? { ...event, claimsDelivery: true } : event, prerequisites).catch((error) => {
    slot?.release();
    throw error;
  });
  if (!outcome || !isMoved(outcome)) {
    slot?.release();
    return false;
  }
  markStored?.();
  slot?.send(outcome.row, result);
  return true;
}

type EndedTask = { task: Task } & Pick<AttemptEnd, 'result' | 'trace'>;

function logEnd({ log }: WorkerPorts, address: TaskAddress, { task, result, trace }: EndedTask) {
  const { state, type, code, createdAt, startedAt = createdAt, endedAt } = task;
  if (endedAt === undefined) return;
  const times = { taskMs: endedAt - createdAt, workMs: endedAt - startedAt };
  const [kind] = type.split('#');
  log.info('a task ended', { ...address, trace, face: task.face, type: kind, state, code, ...times, ...result?.usage });
}

/** The lease ended: a lost task ignores this event, a cancelled one ends by it, any other is queued again. */
const interruption = ({ attempt }: TaskLease): Omit<AttemptEnd, 'prerequisites'> => ({
  event: { type: 'yield', attempt },
});

type FailedAttempt = { lease: TaskLease; error: unknown; trace: string | undefined };

function failureEnd(
  log: Log,
  address: TaskAddress,
  { lease, error, trace }: FailedAttempt,
): Omit<AttemptEnd, 'prerequisites'> {
  const { attempt } = lease;
  const failure =
    error instanceof TaskFailure
      ? error
      : new TaskFailure('PROCESSING_FAILED', 'The task could not be processed.', { cause: error, mayPass: true });
  const { code, message, mayPass, partial, wait } = failure;
  if (wait) {
    log.info('an attempt waits', { ...address, trace, attempt, ...wait });
    const { until, waitsFor } = wait;
    return { event: { type: 'wait', attempt, until, waitsFor } };
  }
  const result: Result = { ...partial, failure: { code, message } };
  log[error instanceof TaskFailure ? 'info' : 'error']('an attempt failed', {
    ...address,
    trace,
    attempt,
    code,
    error,
  });
  return {
    event: mayPass ? { type: 'fault', attempt, code } : { type: 'finish', attempt, as: 'failed', code },
    result,
  };
}

const resultRows = (address: TaskAddress, lease: TaskLease, result: Result): Prerequisites =>
  resultDrafts(address, { attempt: lease.attempt, result, expiresAt: detailsExpireAt(lease.task()) });
