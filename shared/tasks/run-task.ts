/** Runs one task as far as it comes: claims it, works through its agent's stages, and leaves a result or a reason. */
import type { Log } from '../core/log.ts';
import type { First } from '../ports.ts';
import { type AttemptUsage, attemptUsage, spentBefore } from '../usage/attempt-usage.ts';
import { inputOf, type TaskDetails } from './about.ts';
import type { Agents } from './agent.ts';
import type { TaskEvent } from './decide.ts';
import { TaskFailure } from './failure.ts';
import type { FirstSender } from './first-sender.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import { type LeasePorts, leaseTask, type TaskLease } from './hold-task.ts';
import { type MoveOutcome, moveTask } from './move-task.ts';
import { type Result, resultDrafts } from './result.ts';
import { runStages } from './run-stages.ts';
import { isBetweenRuns, TASK_LIMITS, type Task } from './task.ts';
import { detailsExpireAt, type TaskAddress } from './task-rows.ts';
import { readWithDetails } from './with-about.ts';

const MINUTE_MS = 60_000;

export type WorkerPorts = LeasePorts & {
  log: Log;
  agents: Agents;
  /** Without one the senders are hinted at every event. */
  firstSender?: FirstSender;
  /** Of where submits come in to the same process. */
  fresh?: Pick<FreshTasks, 'take'>;
};

/** `mustGo` is aborted when this worker will end soon: then the task goes back to the queue from its last checkpoint. */
export async function runTask(ports: WorkerPorts, address: TaskAddress, mustGo: AbortSignal): Promise<void> {
  const known = ports.fresh?.take(address);
  const { row: held, about } = known ?? (await readWithDetails(ports.table, address));
  if (!held) return;
  const claimed = await moveTask(ports, address, { type: 'claim' }, { held, isFresh: known === undefined, about });
  if (claimed?.ignored === 'notDue') return hintAtItsTime(ports, address, claimed.row.value);
  // Not ours to run: ended, held by another, or not yet due. Whatever is still needed, the reconciler hints again.
  if (!claimed || claimed.ignored || claimed.row.value.state !== 'running') return;
  const hold = leaseTask(ports, { address, row: claimed.row, mustGo });
  let stopWriting = () => {};
  try {
    const before = await readUsageBefore(ports, address, hold.task());
    const usage = attemptUsage(ports, address, hold.task(), before);
    stopWriting = ports.every(TASK_LIMITS.beatMs, () => void usage.write());
    const end = await makeAttempt(ports, address, { hold, about, usage });
    let isWritten = false;
    try {
      isWritten = await writeEnd(ports, address, { hold, about, end });
    } finally {
      // As when another ended the task meanwhile: the result that holds the usage is not there.
      if (end.event.type === 'finish' && !isWritten) await usage.close({ hasResult: false });
    }
    logEnd(ports, address, { task: hold.task(), ...end });
  } finally {
    stopWriting();
    hold.release();
  }
}

/** A first attempt reads nothing. */
async function readUsageBefore({ table, log }: WorkerPorts, address: TaskAddress, task: Task) {
  if (task.past === undefined) return undefined;
  return spentBefore(table, address, task).catch((error) => {
    log.warn('the tokens of earlier attempts are not shown', { ...address, error });
    return undefined;
  });
}

/** A schedule is as exact as a minute: what it hints too early is hinted again for its time. */
async function hintAtItsTime({ clock, hints }: WorkerPorts, address: TaskAddress, task: Task): Promise<void> {
  const earlyMs = task.queuedAt - clock.now();
  if (!isBetweenRuns(task) || earlyMs > MINUTE_MS) return;
  const delaySeconds = Math.max(0, Math.ceil(earlyMs / 1_000));
  await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
}

type ClaimedTask = { hold: TaskLease; about: TaskDetails | undefined };
type WorkerAttempt = ClaimedTask & { usage: AttemptUsage };

/** What the attempt came to, as the event that says so, with its result and the rows of that. */
type AttemptEnd = { event: TaskEvent; result?: Result; first: First; trace?: string | undefined };

async function makeAttempt(ports: WorkerPorts, address: TaskAddress, begun: WorkerAttempt): Promise<AttemptEnd> {
  const { hold, about } = begun;
  const { attempt } = hold;
  const trace = about?.trace?.id;
  try {
    const result = await runAgent(ports, address, begun);
    return await closeUsage(address, begun, { trace, event: { type: 'finish', attempt, as: 'succeeded' }, result });
  } catch (error) {
    if (hold.signal.aborted) return closeUsage(address, begun, { trace, ...interruption(hold) });
    return closeUsage(address, begun, { trace, ...failureEnd(ports.log, address, { hold, error, trace }) });
  }
}

/** What was spent is written before the end, so that no end is known without it. */
async function closeUsage(
  address: TaskAddress,
  { hold, usage }: WorkerAttempt,
  end: Omit<AttemptEnd, 'first'>,
): Promise<AttemptEnd> {
  await usage.close({ hasResult: end.event.type === 'finish' });
  if (!end.result) return { ...end, first: [] };
  const total = usage.total();
  const result: Result = { ...end.result, ...(total ? { usage: total } : {}) };
  return { ...end, result, first: resultRows(address, hold, result) };
}

async function runAgent(
  ports: WorkerPorts,
  address: TaskAddress,
  { hold, about, usage }: WorkerAttempt,
): Promise<Result> {
  const { table, clock, every, agents } = ports;
  const [type = ''] = hold.task().type.split('#');
  const agent = agents[type];
  if (!agent) throw new Error(`No agent runs tasks of the type ${type}.`);
  const input = await inputOf(table, address, about);
  return runStages({ table, clock, every }, { address, stages: agent.stages(input), hold, usage, input });
}

/** Whether the end was written. Its event goes out from here if it may go at once. */
async function writeEnd(
  ports: WorkerPorts,
  address: TaskAddress,
  o: ClaimedTask & { end: AttemptEnd },
): Promise<boolean> {
  const { hold, about } = o;
  const { event, result, first } = o.end;
  if (event.type !== 'finish') return isMoved(await hold.move(event, first));
  const place = hold.task().recurs ? undefined : await ports.firstSender?.place(address, about);
  const outcome = await hold.move(place ? { ...event, sends: true } : event, first).catch((error) => {
    place?.leave();
    throw error;
  });
  if (outcome && isMoved(outcome)) place?.send(outcome.row, result);
  else place?.leave();
  return isMoved(outcome);
}

const isMoved = (outcome: MoveOutcome | undefined): boolean => outcome !== undefined && outcome.ignored === undefined;

type EndedTask = { task: Task } & Pick<AttemptEnd, 'result' | 'trace'>;

function logEnd({ log }: WorkerPorts, address: TaskAddress, { task, result, trace }: EndedTask) {
  const { state, type, code, createdAt, startedAt = createdAt, endedAt } = task;
  if (endedAt === undefined) return;
  const times = { taskMs: endedAt - createdAt, workMs: endedAt - startedAt };
  const [kind] = type.split('#');
  log.info('a task ended', { ...address, trace, face: task.face, type: kind, state, code, ...times, ...result?.usage });
}

/** Ended from outside: a lost task ignores the event, a cancelled one ends by it, any other is queued anew. */
const interruption = ({ attempt }: TaskLease): Omit<AttemptEnd, 'first'> => ({ event: { type: 'yield', attempt } });

type FailedAttempt = { hold: TaskLease; error: unknown; trace: string | undefined };

function failureEnd(log: Log, address: TaskAddress, { hold, error, trace }: FailedAttempt): Omit<AttemptEnd, 'first'> {
  const { attempt } = hold;
  const failure =
    error instanceof TaskFailure
      ? error
      : new TaskFailure('PROCESSING_FAILED', 'The task could not be processed.', { cause: error, mayPass: true });
  const { code, message, mayPass } = failure;
  const result = { failure: { code, message } };
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

const resultRows = (address: TaskAddress, hold: TaskLease, result: Result): First =>
  resultDrafts(address, { attempt: hold.attempt, result, expiresAt: detailsExpireAt(hold.task()) });
