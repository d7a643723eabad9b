/** The task's own item, which `decide` moves. It holds no text of callers and stays under 1 KB, so that a write costs one unit. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { ScheduleText } from '../schedules/schedule.ts';

export type FailureCode =
  | 'PROCESSING_FAILED'
  | 'FILE_UNAVAILABLE'
  | 'TASK_TIMEOUT'
  | 'TASK_CANCELLED'
  | 'MODEL_UNAVAILABLE'
  | 'BUDGET_EXCEEDED';

export type FinalState = 'succeeded' | 'failed' | 'cancelled';
export type TaskState = 'queued' | 'running' | FinalState;

/** How an attempt ended that did not end the task. */
export type Interruption = 'yielded' | 'vanished' | FailureCode;
/** An attempt's number, when it was claimed and when it ended, both from the task's creation on, and how. */
export type PastAttempt = [attempt: number, fromMs: number, toMs: number, how: Interruption];

/** The delivery of the task's one event. Its id follows from the task and its final state. */
export type TaskDelivery = {
  state: 'awaiting' | 'due' | 'sending' | 'delivered' | 'exhausted';
  /** Attempts in all; they are numbered on over a redelivery. */
  tries: number;
  nextAt: number;
  leaseUntil?: number;
  /** The attempts that do not count: those before a redelivery, which begins a new plan, and those ahead of the plan. */
  planFrom?: number;
  /** It has waited behind a receiver that keeps failing, or need not: its next attempt is not put off. */
  isNext?: true;
  /** When the plan has its next attempt, of one that was brought forward: an attempt ahead of the plan does not count. */
  planAt?: number;
  /** The receiver asked by `Retry-After` for no attempt before this time. */
  notBefore?: number;
  /** The first attempt, if it was taken without a word: kept here it costs no row. */
  taken?: ClaimedAttempt;
};
/** When it was made, how long it took, and the status it was answered with. */
export type ClaimedAttempt = [at: number, ms: number, status: number];

/** A run of a task that recurs: they are numbered from 1 on, one for each slot and each additional run of the operator. */
export type RunOf = { number: number; slotAt: number };

/** What a task that recurs knows of its runs. */
export type Recurrence = {
  by: ScheduleText;
  /** The slot it waits for, or runs. */
  slotAt: number;
  /** The number of the run it waits for, or does. */
  run: number;
  /** What `seq` was before that run. */
  seq: number;
  /** When an additional run was requested. */
  extraAt?: number;
  /** It is cancelled, and nothing outside the table knows it any more. */
  isOff?: true;
};

/** Which API the task came by. */
export type TaskApi = 'files-and-tasks' | 'agents';
export const AGENTS_FACE = 'agents' satisfies TaskApi;

export type Task = {
  face: TaskApi;
  /** For the index: the agent's type, and for A a mark of the namespace. */
  type: string;
  priority: number;
  createdAt: number;
  state: TaskState;
  /** Since when it waits for a worker; ahead of now while a failed attempt backs off. */
  queuedAt: number;
  /** When a queued task is hinted again, and how often that was done since it was queued. */
  hintAt: number;
  hints: number;
  startedAt?: number;
  endedAt?: number;
  /** Of the work, from its first claim on. Until then `deadlineAt` bounds the waiting. */
  timeoutMs: number;
  /** After its end, as the stage had it when the task came; absent where the stage sets no limits, which is 30. */
  keptDays?: number;
  deadlineAt: number;
  /** Raised by every claim and by a forced cancel: a fencing token against workers that lost the task. */
  attempt: number;
  claimedAt?: number;
  leaseUntil?: number;
  /** Attempts that ended in an error. */
  failures: number;
  /** Attempts in a row that vanished without a new checkpoint. */
  vanished: number;
  /** Stages that are behind it, and the attempt that kept the last of them. */
  checkpoint: number;
  checkpointOf?: number;
  /** The stage it is in, or will begin with. */
  stage?: string;
  /** Percent; never falls, and is 100 only for what succeeded. */
  progress: number;
  /** Of the models' calls so far, as of the last heartbeat; absent while there are none. */
  tokens?: number;
  /** Rises with every update that is sent. */
  seq: number;
  cancelAt?: number;
  /** Why it failed. */
  code?: FailureCode;
  /** The attempt whose result is the task's. */
  resultOf?: number;
  /** The newest attempts that ended without ending the task. */
  past?: PastAttempt[];
  hook?: TaskDelivery;
  /** It ends by a cancel only: a run that ends makes room for the next one. */
  recurs?: Recurrence;
  /** In the item of a run that ended: a task of its own by then, of which only the webhook still moves. */
  run?: RunOf & Pick<Recurrence, 'seq'>;
};

/** A run has ended, and is to be kept apart before the next one. */
export const isRunEnd = ({ recurs, state }: Task): boolean =>
  recurs !== undefined && (state === 'succeeded' || state === 'failed');

/** Between two runs, or before the only one. */
export const isBetweenRuns = ({ state, startedAt }: Task): boolean => state === 'queued' && startedAt === undefined;

export const AWAITING: TaskDelivery = { state: 'awaiting', tries: 0, nextAt: 0 };

export const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'running';

/** Beside the task's own states callers are shown one that is running and is to be cancelled, and one between its runs. */
export type ShownState = TaskState | 'cancelling' | 'recurring';

export const TASK_LIMITS = {
  leaseMs: 60 * SECOND_MS,
  beatMs: 20 * SECOND_MS,
  /** A cooperative cancel that found no safe point ends then. */
  cancelGraceMs: 60 * SECOND_MS,
  /** The third attempt that ends in an error ends the task. */
  maxFailures: 3,
  backoffMs: [5 * SECOND_MS, 30 * SECOND_MS],
  maxVanished: 5,
  /** Restarts may follow one another at once, where a lapsed lease spaces itself: no task is to spend its five on them. */
  restartBackoffMs: [0, 5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS],
  /** A queued task is hinted again after so long, each time later. */
  hintAfterMs: [MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 10 * MINUTE_MS],
  /** The longest that a queue holds a hint back; what is later is hinted by the reconciler. */
  maxHintSeconds: 900,
  /** A task that no worker could start within this time has failed. */
  waitMs: 24 * HOUR_MS,
  defaultTimeoutMs: 60 * MINUTE_MS,
  /** Of a run, while its task goes on. */
  runKeptMs: 400 * 24 * HOUR_MS,
  /** As many as fit: the item stays within 1 KB. */
  keptAttempts: 3,
  keptAttemptsOfRun: 1,
} as const;

/** Of a queued task: since when, or until when, it waits. */
export const waiting = (queuedAt: number): Pick<Task, 'queuedAt' | 'hintAt' | 'hints' | 'deadlineAt'> => ({
  queuedAt,
  hintAt: queuedAt + TASK_LIMITS.hintAfterMs[0],
  hints: 0,
  deadlineAt: queuedAt + TASK_LIMITS.waitMs,
});

/** `firstAt` is when it is to begin, and `recurs` by what rule it is to begin again. */
export type StartedTask = { firstAt?: number; recurs?: ScheduleText };
type NewTask = Pick<Task, 'face' | 'type' | 'priority' | 'stage'> &
  StartedTask & { now: number; timeoutMs?: number; keptDays?: number; hasHook: boolean };

export const newTask = ({ now, hasHook, firstAt = now, recurs, ...fields }: NewTask): Task => ({
  timeoutMs: TASK_LIMITS.defaultTimeoutMs,
  ...fields,
  createdAt: now,
  state: 'queued',
  ...waiting(firstAt),
  // What begins later is looked at once at first, to be put on a schedule.
  ...(firstAt > now ? { hintAt: now } : {}),
  attempt: 0,
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  seq: 0,
  ...(hasHook ? { hook: AWAITING } : {}),
  ...(recurs === undefined ? {} : { recurs: { by: recurs, slotAt: firstAt, run: 1, seq: 0 } }),
});

/** What must be done after a task was moved. */
export type Effect =
  /** A reminder repeats a hint that may still be in the queue. */
  | { do: 'hintWorker'; delaySeconds: number; isReminder?: true }
  /** For the event of a run that was set apart, when it names one. */
  | { do: 'hintSender'; delaySeconds: number; run?: number }
  | { do: 'push'; message: 'started' | 'progress' | 'completed' | 'failed' };

export type Ignored = { ignore: 'final' | 'leased' | 'stale' | 'notDue' | 'cancelling' };

/** With what is to be kept of the runs behind it: the one that ended, and slots that were missed. */
export type Moved = { next: Task; effects: Effect[]; ended?: Task; missed?: Missed };

export type Decision = Moved | Ignored;

// Runs of a recurring task: a finished run is stored apart, and slots that could not run are recorded as missed.

/** The first and the last of slots that nothing ran at. */
export type Missed = { from: number; to: number };
