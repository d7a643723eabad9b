/** Makes one attempt at a claimed task: runs its agent's stages under a lease, counts its tokens, and ends with a result or a failure. */

import type { Log } from '../core/log.ts';
import type { Prerequisites, Row } from '../ports.ts';
import { openActivity } from './activity.ts';
import { type AttemptUsage, attemptUsage, spentBefore } from './attempt-usage.ts';
import { budgetGuard } from './budget.ts';
import { FIRST_CHECKPOINT_VERSION, usageAtCheckpoint } from './checkpoints.ts';
import type { TaskEvent } from './decide.ts';
import { inputOf, type TaskDetails } from './details.ts';
import { type AttemptEnd, type ClaimedTask, logEnd, writeEnd } from './end-attempt.ts';
import { leaseTask, type TaskLease } from './lease.ts';
import { type Result, resultDrafts } from './results.ts';
import { detailsExpireAt, type TaskAddress } from './rows.ts';
import { runStages, type StagedRun } from './run-stages.ts';
import { TASK_LIMITS, type Task } from './task.ts';
import { TaskFailure } from './task-failure.ts';
import type { WorkerPorts } from './worker-ports.ts';

type ClaimedRow = { row: Row<Task>; about: TaskDetails | undefined; stopSignal: AbortSignal };

export async function runAttempt(
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

type WorkerAttempt = ClaimedTask & { usage: AttemptUsage };

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
  const run = { address, stages: agent.stages(input), version, lease, usage, activity, input };
  return runStages({ table, clock, every }, run);
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
