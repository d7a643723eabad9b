/**
 * The task's own item, which `decide` changes. It contains no caller's text and stays under 1 KB, so that a write costs
 * one unit.
 */

import { QUEUE_LIMITS } from '../core/queue-limits.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { RESTART_BACKOFF_MS } from '../core/worker-process.ts';
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

/** How an attempt ended without ending the task. */
export type Interruption = 'yielded' | 'vanished' | 'waited' | FailureCode;
/** An attempt: its number, its claim and its end (both relative to the task's creation), and how it ended. */
export type PastAttempt = [attempt: number, fromMs: number, toMs: number, how: Interruption];

/** The delivery of the task's single event. Its id derives from the task and its final state. */
export type TaskDelivery = {
  state: 'awaiting' | 'due' | 'sending' | 'delivered' | 'exhausted';
  /** All attempts; the numbers continue after a redelivery. */
  tries: number;
  nextAt: number;
  leaseUntil?: number;
  /** Attempts that do not count: those before a redelivery, which starts a new plan, and those before their planned time. */
  planFrom?: number;
  /** The next attempt is not postponed: the delivery has waited behind an open breaker, or was requested. */
  isNext?: true;
  /** For a delivery that was brought forward: the time of its next planned attempt. An earlier attempt does not count. */
  planAt?: number;
  /** The time that the receiver requested with `Retry-After`. */
  notBefore?: number;
  /** The first attempt, if it delivered and the response had no body: stored here, it costs no row. */
  taken?: InlineAttempt;
};
/** Its start, its duration, and the status of the response. */
export type InlineAttempt = [at: number, ms: number, status: number];

/** A run of a recurring task, numbered from 1: one for each slot and each additional run of the operator. */
export type RunOf = { number: number; slotAt: number };

/** The runs of a recurring task. */
export type Recurrence = {
  by: ScheduleText;
  /** The slot of the waiting or current run. */
  slotAt: number;
  /** The number of the waiting or current run. */
  run: number;
  /** The value of `seq` before that run. */
  seq: number;
  /** When an additional run was requested. */
  extraAt?: number;
  /** The task is cancelled and its schedule removed. */
  isOff?: true;
};

/** The API to which the task was submitted. */
export type TaskApi = 'files-and-tasks' | 'agents';
export const AGENTS_API = 'agents' satisfies TaskApi;

export type Task = {
  face: TaskApi;
  /** For the index: the agent's type, and for the chat API a hash of the namespace. */
  type: string;
  priority: number;
  createdAt: number;
  state: TaskState;
  /** Since when the task waits for a worker; in the future during the backoff after a failed attempt. */
  queuedAt: number;
  /** When a queued task gets its next hint, and how many repeats it had since it was queued. */
  hintAt: number;
  hints: number;
  startedAt?: number;
  endedAt?: number;
  /** The limit of the work, from the first claim. Until then `deadlineAt` limits the wait. */
  timeoutMs: number;
  /** Retention after the end, copied from the stage at submission; absent if the stage sets no limits: 30 days. */
  keptDays?: number;
  deadlineAt: number;
  /** Incremented by each claim and by a forced cancel: a fencing token against workers that lost the task. */
  attempt: number;
  claimedAt?: number;
  leaseUntil?: number;
  /** Attempts that ended with an error. */
  failures: number;
  /** What the last attempt could not go on without, such as `openai/gpt-5: 429`: it was queued again, and did not fail. */
  waitsFor?: string;
  /** Consecutive attempts that vanished without a new checkpoint. */
  vanished: number;
  /** The current attempt is that of a suspect, in a process of its own. */
  alone?: true;
  /** The number of completed stages, and the attempt that stored the last checkpoint. */
  checkpoint: number;
  checkpointOf?: number;
  /** The checkpoint and the attempt in the name of the row with the newest activity events: `9#1`. */
  eventsIn?: string;
  /** The current or next stage. */
  stage?: string;
  /** Percent; never decreases, and is 100 only for a succeeded task. */
  progress: number;
  /** Tokens of model calls so far, as of the last heartbeat; absent if there are none. */
  tokens?: number;
  /** Incremented with every update that is sent. */
  seq: number;
  cancelAt?: number;
  /** Why the task failed. */
  code?: FailureCode;
  /** The attempt whose result is the task's result. */
  resultOf?: number;
  /** The newest attempts that did not end the task. */
  past?: PastAttempt[];
  hook?: TaskDelivery;
  /** A recurring task ends only by a cancel: after a run it waits for the next one. */
  recurs?: Recurrence;
  /** In the item of an ended run, which is a task of its own: only its delivery still changes. */
  run?: RunOf & Pick<Recurrence, 'seq'>;
};

/** A run has ended and must get its own row before the next one. */
export const isRunEnd = ({ recurs, state }: Task): boolean =>
  recurs !== undefined && (state === 'succeeded' || state === 'failed');

/** Its attempts vanished so often that it may have ended their processes. */
export const isSuspect = ({ vanished }: Task): boolean => vanished >= TASK_LIMITS.suspectAfter;

/** Between two runs, or before the only one. */
export const isBetweenRuns = ({ state, startedAt }: Task): boolean => state === 'queued' && startedAt === undefined;

export const AWAITING: TaskDelivery = { state: 'awaiting', tries: 0, nextAt: 0 };

export const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'running';

/** The states that callers see: those of the task, and running tasks being cancelled, and recurring ones between runs. */
export type VisibleState = TaskState | 'cancelling' | 'recurring';

export const TASK_LIMITS = {
  leaseMs: 60 * SECOND_MS,
  beatMs: 20 * SECOND_MS,
  /** A cooperative cancel without a safe point takes effect after this time. */
  cancelGraceMs: 60 * SECOND_MS,
  /** The third attempt with an error ends the task. */
  maxFailures: 3,
  backoffMs: [5 * SECOND_MS, 30 * SECOND_MS],
  /** After this many vanished attempts the task is suspected of ending its process, and gets a process of its own. */
  suspectAfter: 4,
  restartBackoffMs: RESTART_BACKOFF_MS,
  /** A queued task gets another hint after these times. */
  hintAfterMs: [MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 10 * MINUTE_MS],
  /** The longest delay that a queue supports; later hints come from the reconciler. */
  maxHintSeconds: QUEUE_LIMITS.delaySeconds,
  /** A task that no worker could start within this time fails. */
  waitMs: 24 * HOUR_MS,
  defaultTimeoutMs: 60 * MINUTE_MS,
  /** For a run, while its task recurs. */
  runKeptMs: 400 * 24 * HOUR_MS,
  /** As many as fit, so that the item stays within 1 KB. */
  keptAttempts: 3,
  keptAttemptsOfRun: 1,
} as const;

/** The fields of a queued task that waits since, or until, this time. */
export const waitingFields = (queuedAt: number): Pick<Task, 'queuedAt' | 'hintAt' | 'hints' | 'deadlineAt'> => ({
  queuedAt,
  hintAt: queuedAt + TASK_LIMITS.hintAfterMs[0],
  hints: 0,
  deadlineAt: queuedAt + TASK_LIMITS.waitMs,
});

/** `firstAt`: when the task begins. `recurs`: its schedule. */
export type StartedTask = { firstAt?: number; recurs?: ScheduleText };
type NewTask = Pick<Task, 'face' | 'type' | 'priority' | 'stage'> &
  StartedTask & { now: number; timeoutMs?: number; keptDays?: number; hasWebhook: boolean };

export const newTask = ({ now, hasWebhook, firstAt = now, recurs, ...fields }: NewTask): Task => ({
  timeoutMs: TASK_LIMITS.defaultTimeoutMs,
  ...fields,
  createdAt: now,
  state: 'queued',
  ...waitingFields(firstAt),
  // A task that begins later is due at once, so that the reconciler creates its schedule.
  ...(firstAt > now ? { hintAt: now } : {}),
  attempt: 0,
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  seq: 0,
  ...(hasWebhook ? { hook: AWAITING } : {}),
  ...(recurs === undefined ? {} : { recurs: { by: recurs, slotAt: firstAt, run: 1, seq: 0 } }),
});

/** What must be done after a task has changed. */
export type Effect =
  /** A reminder repeats a hint that may still be in the queue. */
  | { do: 'hintWorker'; delaySeconds: number; isReminder?: true }
  /** `run`: the hint is for the event of a run with its own row. */
  | { do: 'hintSender'; delaySeconds: number; run?: number }
  | { do: 'push'; message: 'started' | 'progress' | 'completed' | 'failed' };

/** `crowded`: a suspect must be claimed by a process that runs nothing else. */
export type Ignored = { ignore: 'final' | 'leased' | 'stale' | 'notDue' | 'cancelling' | 'crowded' };

/** The next task, its effects, and the rows to write: the ended run, and missed slots. */
export type Moved = { next: Task; effects: Effect[]; ended?: Task; missed?: Missed };

export type Decision = Moved | Ignored;

/** The first and the last of consecutive slots without a run. */
export type Missed = { from: number; to: number };
