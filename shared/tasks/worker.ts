/** Runs one task: claims it, runs its agent's stages, and stores a result or a failure. */

import type { Log } from '../core/log.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import type { Clock, Every, Prerequisites, Row, Table } from '../ports.ts';
import { type NotifyActivity, openActivity } from './activity.ts';
import { type Agents, type Stage, TaskFailure, type Work } from './agent.ts';
import { type AttemptUsage, attemptUsage, type ReachedUsage, spentBefore } from './attempt-usage.ts';
import { type BudgetNotify, budgetGuard } from './budget.ts';
import type { TaskEvent } from './decide.ts';
import {
  beginningOf,
  checkpointDrafts,
  FIRST_CHECKPOINT_VERSION,
  inputOf,
  type Result,
  readWithDetails,
  resultDrafts,
  type TaskDetails,
  usageAtCheckpoint,
} from './details.ts';
import { type LeasedTasks, type LeasePorts, leaseTask, type TaskLease } from './lease.ts';
import { detailsExpireAt, type TaskAddress } from './rows.ts';
import type { FreshTasks } from './submit.ts';
import { isBetweenRuns, type RunOf, TASK_LIMITS, type Task } from './task.ts';
import { type MoveOutcome, moveTask } from './transition.ts';

// Whether the worker that ends a task also sends its webhook.

/** A slot to send: acquired before the end is written, then used or released. */
type FirstSendSlot = {
  /** Neither waits nor throws: a failed delivery is sent again once its lease has lapsed. */
  send(row: Row<Task>, result: Result | undefined): void;
  leave(): void;
};

export type FirstSender = {
  /** `undefined`: a sender must deliver, because the receiver is failing, slow or busy, or there is none. */
  place(address: TaskAddress, about: TaskDetails | undefined): Promise<FirstSendSlot | undefined>;
};

/** Runs an agent's stages, starting at the last checkpoint. */
type StagePorts = { table: Table; clock: Clock; every: Every };
type StagedRun = {
  address: TaskAddress;
  stages: readonly Stage[];
  /** Of the checkpoints. */
  version: number;
  hold: TaskLease;
  usage: AttemptUsage;
  activity: Awaited<ReturnType<typeof openActivity>>;
  input: unknown;
};

/** Rejects with the lease's end as soon as it ends, whether or not the stage reacts to the signal. */
async function runStages(ports: StagePorts, run: StagedRun): Promise<Result> {
  const steps = stepsOf(ports, run);
  try {
    return await runStage(ports, run, steps);
  } catch (error) {
    await steps.keepRest();
    throw error;
  } finally {
    steps.stop();
  }
}

async function runStage(
  { table }: StagePorts,
  { address, stages, version, hold, usage, activity, input }: StagedRun,
  steps: ReturnType<typeof stepsOf>,
) {
  const { signal } = hold;
  const beginning = await beginningOf(table, address, { task: hold.task(), version });
  let { carried } = beginning;
  const notes = new Set(beginning.notes);
  const standby = standbyOf(input, (note) => notes.add(note));
  const beganAnew = beginning.completed < hold.task().checkpoint;

  for (let at = beginning.completed; at < stages.length; at++) {
    const stage = stages[at] as Stage;
    const percent = (share: number) => (100 * (at + Math.min(1, Math.max(0, share)))) / stages.length;
    const run = runOf(hold.task());
    const work: Work = {
      address,
      input,
      ...(run ? { run } : {}),
      ...(standby ? { standby } : {}),
      ...(hold.task().waitsFor === undefined ? {} : { hasWaited: true }),
      signal,
      meter: usage.meter,
      report: (share) => hold.report(percent(share)),
    };
    signal.throwIfAborted();
    const answer = activity.take(await Promise.race([stage.run(work, carried), throwAborted(signal)]));
    const isUnchanged = answer === carried;
    carried = answer;
    const next = stages[at + 1];
    if (!next) break;
    const reached = { reached: at + 1, beganAnew, events: activity.count(), stage: next.name };
    const step = { ...reached, carried, notes: [...notes], usage: usage.reached(), progress: percent(1) };
    const mayRepeat = stage.mayRepeat === true || (answer as { mayRepeat?: boolean } | undefined)?.mayRepeat === true;
    await steps.take(step, { mayRepeat, isUnchanged });
  }
  return withNotes(carried as Result, [...notes]);
}

/** The organization's second model, stored in the input at the submit. */
function standbyOf(input: unknown, note: (text: string) => void): Work['standby'] {
  const { standbyModel: model } = input as { standbyModel?: string };
  return model === undefined ? undefined : { model, note };
}

/** Notes are shown with the warnings, which background agents have in their report. */
function withNotes(result: Result, notes: readonly string[]): Result {
  if (notes.length === 0) return result;
  const { report, warnings = [] } = result;
  if (!report) return { ...result, warnings: [...warnings, ...notes] };
  return { ...result, report: { ...report, warnings: [...(report.warnings ?? []), ...notes] } };
}

function runOf({ recurs }: Task): RunOf | undefined {
  return recurs && { number: recurs.run, slotAt: recurs.extraAt ?? recurs.slotAt };
}

const throwAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** Runs one task as far as possible: claims it, runs its agent's stages, and stores a result or a failure. */

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

const isMoved = (outcome: MoveOutcome | undefined): boolean => outcome !== undefined && outcome.ignored === undefined;

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

// How steps between stages are stored. Work that costs money is stored at once. Work that may be repeated is stored when
// enough time has passed, so that a task with many short stages does not pay for each of them.

/** The most repeatable work, in time, that is lost with its process. */
const KEPT_AFTER_MS = 10_000;

/** The minimum time between two progress reports. */
const REPORT_EVERY_MS = 1_000;

type StepPorts = { clock: Clock; every: Every };

type StageStep = {
  reached: number;
  beganAnew: boolean;
  /** The number of activity events so far. */
  events: number;
  carried: unknown;
  /** Of this attempt and earlier ones, for the result. */
  notes: string[];
  usage: ReachedUsage | undefined;
  progress: number;
  stage: string;
};

type StepRun = Pick<StagedRun, 'address' | 'version' | 'hold' | 'activity'>;

function stepsOf({ clock, every }: StepPorts, { address, version, hold, activity }: StepRun) {
  const { attempt } = hold;
  let [takenAt, keptAt, reportedAt] = [clock.now(), clock.now(), clock.now()];
  let unkept: StageStep | undefined;
  let untold: StageStep | undefined;

  /** A long stage does not delay the storing of the steps before it. */
  const stop = every(REPORT_EVERY_MS, () => {
    const now = clock.now();
    const isLong = now - takenAt >= KEPT_AFTER_MS;
    const step = isLong ? (unkept ?? untold) : untold;
    if (step) write(step, now).catch(() => undefined);
  });

  async function write(step: StageStep, now: number, isCostly = false): Promise<void> {
    const isKept = step === unkept && (isCostly || now - keptAt >= KEPT_AFTER_MS);
    if (!isKept && (step !== untold || now - reportedAt < REPORT_EVERY_MS)) return hold.report(step.progress);
    const { reached, beganAnew, events, progress, stage } = step;
    reportedAt = now;
    untold = undefined;
    if (isKept) {
      keptAt = now;
      unkept = undefined;
    }
    if (!isKept) return void (await hold.move({ type: 'beat', attempt, progress, stage }));
    const batch = activity.batch(reached, { upTo: events, expiresAt: detailsExpireAt(hold.task()) });
    const kept = { checkpoint: reached, beganAnew, eventsIn: batch.eventsIn };
    const beat: TaskEvent = { type: 'beat', attempt, progress, stage, ...kept };
    if (isMoved(await hold.move(beat, [...draftsOf(step), ...batch.drafts]))) batch.kept();
  }

  const draftsOf = ({ reached, carried, notes, usage }: StageStep) =>
    checkpointDrafts(address, {
      checkpoint: reached,
      attempt,
      carried,
      notes,
      usage,
      version,
      expiresAt: detailsExpireAt(hold.task()),
    });

  return {
    /** `isUnchanged`: the stage returned its input unchanged, so the stored checkpoint is sufficient. */
    async take(
      step: StageStep,
      { mayRepeat, isUnchanged }: { mayRepeat: boolean; isUnchanged: boolean },
    ): Promise<void> {
      if (unkept || !isUnchanged) unkept = step;
      untold = step;
      takenAt = clock.now();
      await write(step, takenAt, !mayRepeat && !isUnchanged);
    },
    /** When the work ends early: stores the last step, so that it is shown and the next attempt continues from it. */
    async keepRest(): Promise<void> {
      if (!unkept || hold.signal.reason === 'lost') return;
      await write(unkept, clock.now(), true).catch(() => undefined);
    },
    stop,
  };
}

export function leasedTasks(): LeasedTasks {
  const listeners = new Map<string, Set<(task: Task) => void>>();
  const nameOf = ({ organization, taskId }: TaskAddress): string => `${organization} ${taskId}`;
  return {
    watch(address, listener) {
      const name = nameOf(address);
      const own = listeners.get(name) ?? new Set();
      listeners.set(name, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(name) === own) listeners.delete(name);
      };
    },
    notify(address, task) {
      // Ended runs of a recurring task are rows of their own, which no worker leases.
      if (address.run !== undefined) return;
      for (const listener of listeners.get(nameOf(address)) ?? []) listener(task);
    },
  };
}
