/**
 * The one rule that moves a task. Pure and total: from what is, what happens and the time, to what will be and what is
 * to be done about it, or to why nothing changes. API, workers, sender and reconciler all ask here.
 *
 *                    claim                       finish
 *      ┌──────────┐ ───────▶ ┌───────────┐ ──────────────▶ succeeded
 *   ─▶ │  queued  │          │  running  │ ── finish, 3rd fault, 5th vanished, deadline ─▶ failed
 *      └──────────┘ ◀─────── └───────────┘ ── cancel (forced, or at a safe point) ──────▶ cancelled
 *        │      yield, fault, vanished
 *        ├─ cancel ─▶ cancelled
 *        └─ deadline ─▶ failed                A final state never changes; only its webhook does (decide-hook.ts).
 */
import { decideHook, type HookEvent, isHookEvent } from './decide-hook.ts';
import { type FailureCode, type FinalState, type Interruption, isOpen, TASK_LIMITS, type Task } from './task.ts';

export type Effect =
  | { do: 'hintWorker'; delaySeconds: number }
  | { do: 'hintSender'; delaySeconds: number }
  | { do: 'push'; message: 'started' | 'progress' | 'completed' | 'failed' };

type WorkerEvent =
  | { type: 'beat'; attempt: number; progress?: number; stage?: string; checkpoint?: number }
  | { type: 'yield'; attempt: number }
  | { type: 'fault'; attempt: number; code: FailureCode }
  | { type: 'finish'; attempt: number; as: 'succeeded' }
  | { type: 'finish'; attempt: number; as: 'failed'; code: FailureCode };

export type TaskEvent =
  | { type: 'claim' }
  | WorkerEvent
  | { type: 'cancel'; force: boolean }
  | { type: 'tick' }
  /** The one process that ran everything has begun anew: whoever held a lease is gone. */
  | { type: 'restart' }
  /** The operator wants it to be tried now. */
  | { type: 'redrive' }
  | HookEvent;

export type Ignored = { ignore: 'final' | 'leased' | 'stale' | 'notDue' | 'cancelling' };
export type Moved = { next: Task; effects: Effect[] };
export type Decision = Moved | Ignored;

const { leaseMs, cancelGraceMs, mostFailures, backoffMs, mostVanished, restartBackoffMs, hintAfterMs, keptAttempts } =
  TASK_LIMITS;

export function decide(task: Task, event: TaskEvent, now: number): Decision {
  if (isHookEvent(event)) return decideHook(task, event, now);
  if (!isOpen(task)) return event.type === 'tick' || event.type === 'restart' ? decideHook(task, event, now) : FINAL;
  switch (event.type) {
    case 'claim':
      return claimed(task, now);
    case 'cancel':
      return cancelled(task, event.force, now);
    case 'tick':
      return ticked(task, now);
    case 'restart':
      return task.state === 'running' ? vanished(task, now, restartBackoffMs[task.vanished]) : hinted(task, now);
    case 'redrive':
      return redriven(task, now);
    default:
      // The fence: a worker that lost its task changes nothing.
      if (task.state !== 'running' || event.attempt !== task.attempt) return { ignore: 'stale' };
      return worked(task, event, now);
  }
}

const FINAL: Ignored = { ignore: 'final' };

function claimed(task: Task, now: number): Decision {
  if (now >= task.deadlineAt) return timedOut(task, now);
  if (task.state === 'running') {
    // The lease is what keeps a second worker out while the first one lives.
    if (!isLapsed(task, now)) return { ignore: 'leased' };
    const freed = vanished(task, now);
    return isOpen(freed.next) ? claimed(freed.next, now) : freed;
  }
  if (task.queuedAt > now) return { ignore: 'notDue' };
  const isFirst = task.startedAt === undefined;
  const next: Task = {
    ...task,
    state: 'running',
    attempt: task.attempt + 1,
    claimedAt: now,
    leaseUntil: now + leaseMs,
    seq: task.seq + 1,
    ...(isFirst ? { startedAt: now, deadlineAt: now + task.timeoutMs } : {}),
  };
  return { next, effects: isFirst ? [{ do: 'push', message: 'started' }] : [] };
}

function worked(task: Task, event: WorkerEvent, now: number): Decision {
  switch (event.type) {
    case 'beat':
      return beaten(task, event, now);
    case 'yield':
      return task.cancelAt === undefined
        ? queued(task, { how: 'yielded' }, now)
        : ended(task, { state: 'cancelled' }, now);
    case 'fault':
      return faulted(task, event.code, now);
    case 'finish':
      // A wish to cancel that was accepted comes first: its caller was told so.
      if (task.cancelAt !== undefined) return ended(task, { state: 'cancelled', resultOf: event.attempt }, now);
      return event.as === 'succeeded'
        ? ended(task, { state: 'succeeded', resultOf: event.attempt }, now)
        : ended(task, { state: 'failed', code: event.code, resultOf: event.attempt }, now);
  }
}

function beaten(task: Task, event: Extract<WorkerEvent, { type: 'beat' }>, now: number): Decision {
  if (now >= task.deadlineAt) return timedOut(task, now);
  if (isCancelOverdue(task, now)) return ended(task, { state: 'cancelled' }, now);
  const { checkpoint = 0, progress = 0 } = event;
  const next: Task = {
    ...task,
    leaseUntil: now + leaseMs,
    progress: Math.max(task.progress, Math.min(99, Math.floor(progress))),
    seq: task.seq + 1,
    ...(checkpoint > task.checkpoint ? { checkpoint, checkpointOf: event.attempt, vanished: 0 } : {}),
    ...(event.stage === undefined ? {} : { stage: event.stage }),
  };
  return { next, effects: [{ do: 'push', message: 'progress' }] };
}

function faulted(task: Task, code: FailureCode, now: number): Moved {
  if (task.cancelAt !== undefined) return ended(task, { state: 'cancelled', resultOf: task.attempt }, now);
  const failures = task.failures + 1;
  if (failures >= mostFailures)
    return ended({ ...task, failures }, { state: 'failed', code, resultOf: task.attempt }, now);
  return queued({ ...task, failures }, { how: code, delayMs: backoffMs[failures - 1] ?? 0 }, now);
}

function vanished(task: Task, now: number, delayMs = 0): Moved {
  if (task.cancelAt !== undefined) return ended(task, { state: 'cancelled' }, now);
  const times = task.vanished + 1;
  if (times >= mostVanished)
    return ended({ ...task, vanished: times }, { state: 'failed', code: 'PROCESSING_FAILED' }, now);
  return queued({ ...task, vanished: times }, { how: 'vanished', delayMs }, now);
}

function cancelled(task: Task, force: boolean, now: number): Decision {
  if (task.state === 'queued') return ended(task, { state: 'cancelled' }, now);
  // Fenced: the worker that still runs holds an attempt that is no longer the task's.
  if (force) return ended({ ...task, attempt: task.attempt + 1 }, { state: 'cancelled' }, now);
  if (task.cancelAt !== undefined) return { ignore: 'cancelling' };
  return { next: { ...task, cancelAt: now, seq: task.seq + 1 }, effects: [] };
}

function ticked(task: Task, now: number): Decision {
  if (now >= task.deadlineAt) return timedOut(task, now);
  if (isCancelOverdue(task, now)) return ended(task, { state: 'cancelled' }, now);
  if (task.state === 'running') return isLapsed(task, now) ? vanished(task, now) : { ignore: 'notDue' };
  return now >= task.hintAt ? hinted(task, now) : { ignore: 'notDue' };
}

/** The reconciler hints it in its next round, wherever the operator's own process runs. */
function redriven(task: Task, now: number): Decision {
  if (!isLapsed(task, now)) return { ignore: 'leased' };
  if (task.cancelAt !== undefined) return ended(task, { state: 'cancelled' }, now);
  const next = task.state === 'running' ? queued(task, { how: 'vanished' }, now).next : task;
  return { next: { ...next, queuedAt: now, hintAt: now, hints: 0, vanished: 0 }, effects: [] };
}

/** So is what nobody has. */
const isLapsed = ({ leaseUntil = 0 }: Task, now: number): boolean => now >= leaseUntil;
const isCancelOverdue = ({ cancelAt }: Task, now: number): boolean =>
  cancelAt !== undefined && now >= cancelAt + cancelGraceMs;
/** A wish to cancel that was accepted comes first here too. */
const timedOut = (task: Task, now: number): Moved =>
  ended(task, task.cancelAt === undefined ? { state: 'failed', code: 'TASK_TIMEOUT' } : { state: 'cancelled' }, now);

function hinted(task: Task, now: number): Moved {
  const hints = task.hints + 1;
  const next = { ...task, hints, hintAt: now + hintWait(hints) };
  return { next, effects: [{ do: 'hintWorker', delaySeconds: secondsUntil(task.queuedAt, now) }] };
}

const hintWait = (hints: number): number => hintAfterMs[Math.min(hints, hintAfterMs.length - 1)] ?? 0;
const secondsUntil = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1_000));

function queued(task: Task, { how, delayMs = 0 }: { how: Interruption; delayMs?: number }, now: number): Moved {
  const { leaseUntil: _lease, claimedAt = now, ...rest } = task;
  const queuedAt = now + delayMs;
  const past = [
    ...(task.past ?? []),
    [task.attempt, claimedAt - task.createdAt, now - task.createdAt, how] satisfies [
      number,
      number,
      number,
      Interruption,
    ],
  ];
  const next: Task = {
    ...rest,
    state: 'queued',
    queuedAt,
    hints: 0,
    hintAt: queuedAt + hintWait(0),
    past: past.slice(-keptAttempts) as NonNullable<Task['past']>,
  };
  return { next, effects: [{ do: 'hintWorker', delaySeconds: secondsUntil(queuedAt, now) }] };
}

type End = { state: FinalState; code?: FailureCode; resultOf?: number };

function ended(task: Task, { state, code, resultOf }: End, now: number): Moved {
  const { leaseUntil: _lease, hook, ...rest } = task;
  const why = state === 'cancelled' ? 'TASK_CANCELLED' : code;
  const next: Task = {
    ...rest,
    state,
    endedAt: now,
    seq: task.seq + 1,
    ...(state === 'succeeded' ? { progress: 100 } : {}),
    ...(why === undefined ? {} : { code: why }),
    ...(resultOf === undefined ? {} : { resultOf }),
    ...(hook ? { hook: { ...hook, state: 'due', nextAt: now } } : {}),
  };
  const push: Effect = { do: 'push', message: state === 'succeeded' ? 'completed' : 'failed' };
  return { next, effects: hook ? [push, { do: 'hintSender', delaySeconds: 0 }] : [push] };
}
