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
export async function runTask(ports: WorkerPorts, address: TaskAddress, mustGo: AbortSignal): Promise<RunOutcome> {
  const known = ports.fresh?.take(address);
  const { row: held, about } = known ?? (await readWithDetails(ports.table, address));
  if (!held) return undefined;
  const claim: TaskEvent = { type: 'claim', process: ports.process };
  const claimed = await moveTask(ports, address, claim, { held, isCurrent: known === undefined, about });
  if (claimed?.ignored === 'crowded') return 'crowded';
  if (claimed?.ignored === 'notDue') await hintAtItsTime(ports, address, claimed.row.value);
  // Ended, leased by another worker, or not yet due. If it still needs a worker, the reconciler sends another hint.
  if (!claimed || claimed.ignored || claimed.row.value.state !== 'running') return undefined;
  await runClaimed(ports, address, { row: claimed.row, about, mustGo });
  return undefined;
}

type ClaimedRow = { row: Row<Task>; about: TaskDetails | undefined; mustGo: AbortSignal };

async function runClaimed(ports: WorkerPorts, address: TaskAddress, { row, about, mustGo }: ClaimedRow): Promise<void> {
  const hold = leaseTask(ports, { address, row, mustGo });
  let stopWriting = () => {};
  try {
    const before = await readUsageBefore(ports, address, hold.task());
    const reserve = budgetGuard(ports, { address, task: hold.task(), budget: about?.budget });
    const usage = attemptUsage(ports, address, { task: hold.task(), before, reserve });
    hold.countTokens(usage.soFar);
    stopWriting = ports.every(TASK_LIMITS.beatMs, () => void usage.write());
    const end = await makeAttempt(ports, address, { hold, about, usage });
    let isWritten = false;
    try {
      isWritten = await writeEnd(ports, address, { hold, about, end });
    } finally {
      // If another process ended the task meanwhile, the result with the usage was not stored.
      if (end.event.type === 'finish' && !isWritten) await usage.close({ hasResult: false });
    }
    logEnd(ports, address, { task: hold.task(), ...end });
  } finally {
    stopWriting();
    hold.release();
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

type ClaimedTask = { hold: TaskLease; about: TaskDetails | undefined };
type WorkerAttempt = ClaimedTask & { usage: AttemptUsage };

/** The end of an attempt: its event, its result, and the rows to write before. */
type AttemptEnd = {
  event: TaskEvent;
  result?: Result;
  prerequisites: Prerequisites;
  /** Called after the end was written. */
  kept?: () => void;
  trace?: string | undefined;
};

async function makeAttempt(ports: WorkerPorts, address: TaskAddress, begun: WorkerAttempt): Promise<AttemptEnd> {
  const { hold, about } = begun;
  const { attempt } = hold;
  const trace = about?.trace?.id;
  try {
    const options = { address, task: hold.task(), notify: ports.notifyActivity };
    const activity = await openActivity(ports.table, options);
    const result = await runAgent(ports, address, { ...begun, activity });
    const event: TaskEvent = { type: 'finish', attempt, as: 'succeeded' };
    const end = await closeUsage(address, begun, { trace, event, result });
    const last = { upTo: activity.count(), expiresAt: detailsExpireAt(hold.task()) };
    const { drafts, kept } = activity.batch('END', last);
    return { ...end, prerequisites: [...end.prerequisites, ...drafts], kept };
  } catch (error) {
    if (hold.signal.aborted) return closeUsage(address, begun, { trace, ...interruption(hold) });
    return closeUsage(address, begun, { trace, ...failureEnd(ports.log, address, { hold, error, trace }) });
  }
}

/** Usage is written before the end, so that no task ends without it. */
async function closeUsage(
  address: TaskAddress,
  { hold, usage }: WorkerAttempt,
  end: Omit<AttemptEnd, 'prerequisites'>,
): Promise<AttemptEnd> {
  await usage.close({ hasResult: end.event.type === 'finish' });
  if (!end.result) return { ...end, prerequisites: [] };
  const total = usage.total();
  const result: Result = { ...end.result, ...(total ? { usage: total } : {}) };
  return { ...end, result, prerequisites: resultRows(address, hold, result) };
}

async function runAgent(
  ports: WorkerPorts,
  address: TaskAddress,
  { hold, about, usage, activity }: WorkerAttempt & Pick<StagedRun, 'activity'>,
): Promise<Result> {
  const { table, clock, every, agents } = ports;
  const [type = ''] = hold.task().type.split('#');
  const agent = agents[type];
  if (!agent) throw new Error(`No agent runs tasks of the type ${type}.`);
  const input = await inputOf(table, address, about);
  const { checkpointVersion: version = FIRST_CHECKPOINT_VERSION } = agent;
  const run = { address, stages: agent.stages(input), version, hold, usage, activity, input };
  return runStages({ table, clock, every }, run);
}

/** Returns whether the end was written. Then sends the event if a slot was free. */
async function writeEnd(
  ports: WorkerPorts,
  address: TaskAddress,
  o: ClaimedTask & { end: AttemptEnd },
): Promise<boolean> {
  const { hold, about } = o;
  const { event, result, prerequisites, kept } = o.end;
  if (event.type !== 'finish') return isMoved(await hold.move(event, prerequisites));
  const place = hold.task().recurs ? undefined : await ports.firstSender?.place(address, about);
  const outcome = await hold.move(place ? { ...event, claimsDelivery: true } : event, prerequisites).catch((error) => {
    place?.leave();
    throw error;
  });
  if (!outcome || !isMoved(outcome)) {
    place?.leave();
    return false;
  }
  kept?.();
  place?.send(outcome.row, result);
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

type FailedAttempt = { hold: TaskLease; error: unknown; trace: string | undefined };

function failureEnd(
  log: Log,
  address: TaskAddress,
  { hold, error, trace }: FailedAttempt,
): Omit<AttemptEnd, 'prerequisites'> {
  const { attempt } = hold;
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

const resultRows = (address: TaskAddress, hold: TaskLease, result: Result): Prerequisites =>
  resultDrafts(address, { attempt: hold.attempt, result, expiresAt: detailsExpireAt(hold.task()) });
