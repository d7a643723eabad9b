/** A task's own item: what `decide` moves. It holds no text of a caller's and stays under 1 KB, so a write is one unit. */

export type FailureCode =
  | 'PROCESSING_FAILED'
  | 'FILE_UNAVAILABLE'
  | 'TASK_TIMEOUT'
  | 'TASK_CANCELLED'
  | 'MODEL_UNAVAILABLE';

export type FinalState = 'succeeded' | 'failed' | 'cancelled';
export type TaskState = 'queued' | 'running' | FinalState;

/** How an attempt ended that did not end the task. */
export type Interruption = 'yielded' | 'vanished' | FailureCode;
/** An attempt's number, when it was claimed and when it ended, both from the task's creation on, and how. */
export type PastAttempt = [attempt: number, fromMs: number, toMs: number, how: Interruption];

/** The delivery of the task's one event. Its id follows from the task and its final state. */
export type Hook = {
  state: 'awaiting' | 'due' | 'sending' | 'delivered' | 'exhausted';
  /** Attempts in all; they are numbered on over a redelivery. */
  tries: number;
  nextAt: number;
  leaseUntil?: number;
  /** The attempts made before the redelivery that began the plan anew. */
  planFrom?: number;
  /** It has waited behind a receiver that keeps failing, or need not: its next attempt is not put off. */
  isNext?: true;
};

/** Which API the task came by. */
export type TaskFace = 'files-and-tasks' | 'agents';

export type Task = {
  face: TaskFace;
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
  /** After its end, as the stage had it when the task came; tasks from before it was written have the usual 30. */
  keptDays?: number;
  deadlineAt: number;
  /** Raised by every claim and by a forced cancel: the fence that keeps out whoever lost the task. */
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
  /** Rises with everything a watcher is told. */
  seq: number;
  cancelAt?: number;
  /** Why it failed. */
  code?: FailureCode;
  /** The attempt whose result is the task's. */
  resultOf?: number;
  /** The newest attempts that ended without ending the task. */
  past?: PastAttempt[];
  hook?: Hook;
};

export const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'running';

/** Beside the task's own states the index knows one that is running and is to be cancelled. */
export type ListedState = TaskState | 'cancelling';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const TASK_LIMITS = {
  leaseMs: 60 * SECOND,
  beatMs: 20 * SECOND,
  /** A cooperative cancel that found no safe point ends then. */
  cancelGraceMs: 60 * SECOND,
  /** The third attempt that ends in an error ends the task. */
  mostFailures: 3,
  backoffMs: [5 * SECOND, 30 * SECOND],
  mostVanished: 5,
  /** Restarts may follow one another at once, where a lapsed lease spaces itself: no task is to spend its five on them. */
  restartBackoffMs: [0, 5 * SECOND, 30 * SECOND, MINUTE],
  /** A queued task is hinted again after so long, each time later. */
  hintAfterMs: [MINUTE, 2 * MINUTE, 4 * MINUTE, 10 * MINUTE],
  /** What nobody could start for so long has failed. */
  waitMs: 24 * HOUR,
  usualTimeoutMs: 60 * MINUTE,
  /** As many as fit: the item stays within 1 KB. */
  keptAttempts: 3,
} as const;

type Made = Pick<Task, 'face' | 'type' | 'priority' | 'stage'> & {
  now: number;
  timeoutMs?: number;
  keptDays?: number;
  hasHook: boolean;
};

export const newTask = ({ now, hasHook, timeoutMs = TASK_LIMITS.usualTimeoutMs, ...given }: Made): Task => ({
  ...given,
  createdAt: now,
  state: 'queued',
  queuedAt: now,
  hintAt: now + TASK_LIMITS.hintAfterMs[0],
  hints: 0,
  timeoutMs,
  deadlineAt: now + TASK_LIMITS.waitMs,
  attempt: 0,
  failures: 0,
  vanished: 0,
  checkpoint: 0,
  progress: 0,
  seq: 0,
  ...(hasHook ? { hook: { state: 'awaiting', tries: 0, nextAt: 0 } } : {}),
});
