/** Runs one task as far as it comes: claims it, works through its agent's stages, and leaves a result or a reason. */
import type { Log } from '../core/log.ts';
import type { First } from '../ports.ts';
import { type AttemptUsage, attemptUsage, spentBefore } from '../usage/attempt-usage.ts';
import { type About, inputOf } from './about.ts';
import type { Agents } from './agent.ts';
import type { TaskEvent } from './decide.ts';
import { TaskFailure } from './failure.ts';
import type { FirstSender } from './first-sender.ts';
import type { FreshTasks } from './fresh-tasks.ts';
import { type Hold, type HoldPorts, holdTask } from './hold-task.ts';
import { moveTask, type Outcome } from './move-task.ts';
import { type Result, resultDrafts } from './result.ts';
import { runStages } from './run-stages.ts';
import { isBetweenRuns, TASK_LIMITS, type Task } from './task.ts';
import { aroundExpiresAt, type TaskAddress } from './task-rows.ts';
import { withAbout } from './with-about.ts';

const MINUTE_MS = 60_000;

export type WorkerPorts = HoldPorts & {
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
  const { row: held, about } = known ?? (await withAbout(ports.table, address));
  if (!held) return;
  const claimed = await moveTask(ports, address, { type: 'claim' }, { held, isFresh: known === undefined, about });
  if (claimed?.ignored === 'notDue') return hintInTime(ports, address, claimed.row.value);
  // Not ours to run: ended, held by another, or not yet due. Whatever is still needed, the reconciler hints again.
  if (!claimed || claimed.ignored || claimed.row.value.state !== 'running') return;
  const hold = holdTask(ports, { address, row: claimed.row, mustGo });
  let stopWriting = () => {};
  try {
    const before = await usageBefore(ports, address, hold.task());
    const usage = attemptUsage(ports, address, hold.task(), before);
    stopWriting = ports.every(TASK_LIMITS.beatMs, () => void usage.write());
    const end = await attempted(ports, address, { hold, about, usage });
    let isWritten = false;
    try {
      isWritten = await ended(ports, address, { hold, about, end });
    } finally {
      // As when another ended the task meanwhile: the result that holds the usage is not there.
      if (end.event.type === 'finish' && !isWritten) await usage.close({ hasResult: false });
    }
    said(ports, address, { task: hold.task(), ...end });
  } finally {
    stopWriting();
    hold.release();
  }
}

/** A first attempt reads nothing. */
async function usageBefore({ table, log }: WorkerPorts, address: TaskAddress, task: Task) {
  if (task.past === undefined) return undefined;
  return spentBefore(table, address, task).catch((error) => {
    log.warn('the tokens of earlier attempts are not shown', { ...address, error });
    return undefined;
  });
}

/** A schedule is as exact as a minute: what it hints too early is hinted again for its time. */
async function hintInTime({ clock, hints }: WorkerPorts, address: TaskAddress, task: Task): Promise<void> {
  const earlyMs = task.queuedAt - clock.now();
  if (!isBetweenRuns(task) || earlyMs > MINUTE_MS) return;
  const delaySeconds = Math.max(0, Math.ceil(earlyMs / 1_000));
  await hints([{ do: 'hintWorker', delaySeconds }], { ...address, priority: task.priority });
}

type Begun = { hold: Hold; about: About | undefined };
type Attempt = Begun & { usage: AttemptUsage };

/** What the attempt came to, as the event that says so, with its result and the rows of that. */
type End = { event: TaskEvent; result?: Result; first: First; trace?: string | undefined };

async function attempted(ports: WorkerPorts, address: TaskAddress, begun: Attempt): Promise<End> {
  const { hold, about } = begun;
  const { attempt } = hold;
  const trace = about?.trace?.id;
  try {
    const result = await worked(ports, address, begun);
    return await endOf(address, begun, { trace, event: { type: 'finish', attempt, as: 'succeeded' }, result });
  } catch (error) {
    if (hold.signal.aborted) return endOf(address, begun, { trace, ...interrupted(hold) });
    return endOf(address, begun, { trace, ...failed(ports.log, address, { hold, error, trace }) });
  }
}

/** What was spent is written before the end, so that no end is known without it. */
async function endOf(address: TaskAddress, { hold, usage }: Attempt, end: Omit<End, 'first'>): Promise<End> {
  await usage.close({ hasResult: end.event.type === 'finish' });
  if (!end.result) return { ...end, first: [] };
  const total = usage.total();
  const result: Result = { ...end.result, ...(total ? { usage: total } : {}) };
  return { ...end, result, first: rowsOf(address, hold, result) };
}

async function worked(ports: WorkerPorts, address: TaskAddress, { hold, about, usage }: Attempt): Promise<Result> {
  const { table, clock, every, agents } = ports;
  const [type = ''] = hold.task().type.split('#');
  const agent = agents[type];
  if (!agent) throw new Error(`No agent runs tasks of the type ${type}.`);
  const input = await inputOf(table, address, about);
  return runStages({ table, clock, every }, { address, stages: agent.stages(input), hold, usage, input });
}

/** Whether the end was written. Its event goes out from here if it may go at once. */
async function ended(ports: WorkerPorts, address: TaskAddress, o: Begun & { end: End }): Promise<boolean> {
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

const isMoved = (outcome: Outcome | undefined): boolean => outcome !== undefined && outcome.ignored === undefined;

type Ended = { task: Task } & Pick<End, 'result' | 'trace'>;

function said({ log }: WorkerPorts, address: TaskAddress, { task, result, trace }: Ended) {
  const { state, type, code, createdAt, startedAt = createdAt, endedAt } = task;
  if (endedAt === undefined) return;
  const times = { taskMs: endedAt - createdAt, workMs: endedAt - startedAt };
  const [kind] = type.split('#');
  log.info('a task ended', { ...address, trace, face: task.face, type: kind, state, code, ...times, ...result?.usage });
}

/** Ended from outside: a lost task ignores the event, a cancelled one ends by it, any other is queued anew. */
const interrupted = ({ attempt }: Hold): Omit<End, 'first'> => ({ event: { type: 'yield', attempt } });

type Failed = { hold: Hold; error: unknown; trace: string | undefined };

function failed(log: Log, address: TaskAddress, { hold, error, trace }: Failed): Omit<End, 'first'> {
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

const rowsOf = (address: TaskAddress, hold: Hold, result: Result): First =>
  resultDrafts(address, { attempt: hold.attempt, result, expiresAt: aroundExpiresAt(hold.task()) });
