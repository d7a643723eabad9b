/**
 * The rule that moves a task: a pure, total function from the task, an event and the time to the next task and its
 * effects, or to the reason why nothing changes. The API, workers, the sender and the reconciler all use it.
 *
 *                    claim                       finish
 *      ┌──────────┐ ───────▶ ┌───────────┐ ──────────────▶ succeeded
 *   ─▶ │  queued  │          │  running  │ ── finish, 3rd fault, lease lost alone, deadline ─▶ failed
 *      └──────────┘ ◀─────── └───────────┘ ── cancel (forced, or at a safe point) ──────▶ cancelled
 *        │      yield, fault, wait, lease expired
 *        ├─ cancel ─▶ cancelled
 *        └─ deadline ─▶ failed                A final state never changes; only its webhook does (decide-delivery.ts).
 *
 * A process may end by anything that runs in it, or from outside. So a task whose leases were lost is only a suspect: its
 * next attempt runs in a process of its own, and only if that one ends too, the task is at fault.
 *
 * A recurring task goes through this for every run. When a run has ended, it is stored apart and the task is queued for
 * its next slot before any other event is applied.
 */

import { definedFields } from '../core/optional-fields.ts';
import type { WorkerProcess } from '../core/worker-process.ts';
import { parseSchedule } from '../schedules/schedule.ts';
import { slotAfter, slotsAround } from '../schedules/slots.ts';
import {
  type DeliveryEvent,
  decideDelivery,
  deliveryWakeTime,
  isDeliveryEvent,
  withClaimedDelivery,
} from './decide-delivery.ts';
import {
  AWAITING,
  type Decision,
  type Effect,
  type FailureCode,
  type FinalState,
  type Interruption,
  isBetweenRuns,
  isOpen,
  isRunEnd,
  isSuspect,
  type Missed,
  type Moved,
  type PastAttempt,
  type Recurrence,
  TASK_LIMITS,
  type Task,
  waitingFields,
} from './task.ts';

/** The waiting task, the ended run as an item of its own, and the slots missed meanwhile. */
type Renewed = { next: Task; ended?: Task; missed?: Missed };

/** `undefined`: nothing about the runs has to change, as for every task that runs once. */
export function toNextRun(task: Task, now: number): Renewed | undefined {
  const { recurs } = task;
  if (!recurs) return undefined;
  if (!isRunEnd(task)) return withMissedSlots(task, recurs, now);
  const next = afterRun(task, recurs);
  return { next, ...withMissedSlots(next, next.recurs as Recurrence, now), ended: toEndedRun(task, recurs) };
}

/** The ended run as a final task with its own delivery, which later runs do not affect. */
function toEndedRun(
  { recurs: _recurs, ...task }: Task,
  { run: number, slotAt, extraAt = slotAt, seq }: Recurrence,
): Task {
  return { ...task, run: { number, slotAt: extraAt, seq } };
}

/** Attempts are numbered across all runs, because their rows are stored under these numbers. */
function afterRun(task: Task, { by, slotAt, run, extraAt }: Recurrence): Task {
  const { face, type, priority, createdAt, timeoutMs, attempt, hook: delivery } = task;
  // An additional run does not change the next slot.
  const nextAt = extraAt === undefined ? slotAfter(parseSchedule(by), slotAt) : slotAt;
  const seq = task.seq + 1;
  return {
    ...{ face, type, priority, createdAt, timeoutMs, attempt, seq },
    state: 'queued',
    ...waitingFields(nextAt),
    failures: 0,
    vanished: 0,
    checkpoint: 0,
    progress: 0,
    ...(delivery ? { hook: AWAITING } : {}),
    recurs: { by, slotAt: nextAt, run: run + 1, seq },
  };
}

/** Of the slots missed while no worker ran, only the newest runs, and only within a day. */
function withMissedSlots(task: Task, recurs: Recurrence, now: number): Renewed | undefined {
  const { by, slotAt, extraAt } = recurs;
  if (!isBetweenRuns(task) || extraAt !== undefined) return undefined;
  const { before, newest, next } = slotsAround(parseSchedule(by), { slotAt, now });
  const isLate = now >= newest + TASK_LIMITS.waitMs;
  if (!isLate && newest === slotAt) return undefined;
  const nextAt = isLate ? next : newest;
  return {
    next: { ...task, ...waitingFields(nextAt), recurs: { ...recurs, slotAt: nextAt } },
    missed: { from: slotAt, to: isLate ? newest : before },
  };
}

type WorkerEvent =
  | {
      type: 'beat';
      attempt: number;
      progress?: number;
      tokens?: number | undefined;
      stage?: string;
      checkpoint?: number;
      /** The row with the newest activity events up to the checkpoint. */
      eventsIn?: string | undefined;
      /** The attempt did not continue the task's checkpoint, as another version of its agent stored it. */
      beganAnew?: boolean;
    }
  | { type: 'yield'; attempt: number }
  | { type: 'fault'; attempt: number; code: FailureCode }
  /** What the work needs is busy or away until then, which is no failure of the attempt. */
  | { type: 'wait'; attempt: number; until: number; waitsFor: string }
  | Finish;

/** `claimsDelivery`: the worker sends the event itself at once, which saves a write and a hint (ADR 34). */
type Finish = { type: 'finish'; attempt: number; claimsDelivery?: true } & (
  | { as: 'succeeded' }
  | { as: 'failed'; code: FailureCode }
);

export type TaskEvent =
  /** Without `process`, other tasks run in the same process. */
  | { type: 'claim'; process?: WorkerProcess | undefined }
  | WorkerEvent
  | { type: 'cancel'; force: boolean }
  | { type: 'tick' }
  /** The only process was restarted, so all leases have ended. */
  | { type: 'restart' }
  /** The operator requests another attempt now. */
  | { type: 'redrive' }
  /** The operator requests an additional run. */
  | { type: 'runNow' }
  | DeliveryEvent;

const { leaseMs, cancelGraceMs, maxFailures, backoffMs, restartBackoffMs, hintAfterMs } = TASK_LIMITS;
const { keptAttempts, keptAttemptsOfRun, maxHintSeconds } = TASK_LIMITS;

export function decide(task: Task, event: TaskEvent, now: number): Decision {
  if (isDeliveryEvent(event)) return decideDelivery(task, event, now);
  const renewal = toNextRun(task, now);
  if (!renewal) return decideCurrentRun(task, event, now);
  const { next: renewedTask, ...behind } = renewal;
  const decision = decideCurrentRun(renewedTask, event, now);
  const { next, effects } = 'ignore' in decision ? { next: renewedTask, effects: [] } : decision;
  const { hook: delivery, run } = renewal.ended ?? {};
  const hint: Effect[] = delivery && run ? [{ do: 'hintSender', delaySeconds: 0, run: run.number }] : [];
  return { next, effects: [...effects, ...hint], ...behind };
}

function decideCurrentRun(task: Task, event: Exclude<TaskEvent, DeliveryEvent>, now: number): Decision {
  if (!isOpen(task)) return decideEnded(task, event, now);
  switch (event.type) {
    case 'claim':
      return afterClaim(task, event.process, now);
    case 'cancel':
      return afterCancel(task, event.force, now);
    case 'tick':
      return afterTick(task, now);
    case 'restart':
      if (isAhead(task, now)) return { ignore: 'notDue' };
      return task.state === 'running' ? afterLostLease(task, now, restartWait(task)) : toHinted(task, now);
    case 'redrive':
      return afterRedrive(task, now);
    case 'runNow':
      return afterRunNow(task, now);
    default:
      // Fencing: a worker that lost its task changes nothing.
      if (task.state !== 'running' || event.attempt !== task.attempt) return { ignore: 'stale' };
      return afterWorkerEvent(task, event, now);
  }
}

function decideEnded(task: Task, { type }: TaskEvent, now: number): Decision {
  const { recurs } = task;
  // The reconciler removes the schedule of a cancelled task.
  if (type === 'tick' && recurs && !recurs.isOff)
    return { next: { ...task, recurs: { ...recurs, isOff: true } }, effects: [] };
  return type === 'tick' || type === 'restart' ? decideDelivery(task, { type }, now) : { ignore: 'final' };
}

/** The task only waits for its time. */
const isAhead = (task: Task, now: number): boolean => isBetweenRuns(task) && task.queuedAt > now;

function afterClaim(task: Task, process: WorkerProcess | undefined, now: number): Decision {
  if (now >= task.deadlineAt) return toTimedOut(task, now);
  if (task.state === 'running') {
    // The lease keeps a second worker out while the first one is alive.
    if (!isLapsed(task, now)) return { ignore: 'leased' };
    const freed = afterLeaseExpiry(task, now);
    return isOpen(freed.next) ? afterClaim(freed.next, process, now) : freed;
  }
  if (task.queuedAt > now) return { ignore: 'notDue' };
  if (isSuspect(task) && process === undefined) return { ignore: 'crowded' };
  const isFirst = task.startedAt === undefined;
  const next: Task = {
    ...task,
    state: 'running',
    attempt: task.attempt + 1,
    claimedAt: now,
    leaseUntil: now + leaseMs,
    seq: task.seq + 1,
    ...(isFirst ? { startedAt: now, deadlineAt: now + task.timeoutMs } : {}),
    ...(isSuspect(task) && process === 'own' ? { alone: true } : {}),
  };
  return { next, effects: isFirst ? [{ do: 'push', message: 'started' }] : [] };
}

function afterWorkerEvent(task: Task, event: WorkerEvent, now: number): Decision {
  switch (event.type) {
    case 'beat':
      return afterHeartbeat(task, event, now);
    case 'yield':
      return task.cancelAt === undefined
        ? toQueued(task, { how: 'yielded' }, now)
        : toEnded(task, { state: 'cancelled' }, now);
    case 'fault':
      return afterFault(task, event.code, now);
    case 'wait':
      return afterWait(task, event, now);
    case 'finish':
      return afterFinish(task, event, now);
  }
}

function afterFinish(task: Task, event: Finish, now: number): Moved {
  const end: End = event.as === 'succeeded' ? { state: 'succeeded' } : { state: 'failed', code: event.code };
  // An accepted cancel takes precedence, because its caller has the confirmation.
  const by: End = task.cancelAt === undefined ? end : { state: 'cancelled' };
  const moved = toEnded(task, { ...by, resultOf: event.attempt }, now);
  return event.claimsDelivery ? withClaimedDelivery(moved, now) : moved;
}

function afterHeartbeat(task: Task, event: Extract<WorkerEvent, { type: 'beat' }>, now: number): Decision {
  if (now >= task.deadlineAt) return toTimedOut(task, now);
  if (isCancelOverdue(task, now)) return toEnded(task, { state: 'cancelled' }, now);
  const { checkpoint = 0, progress = 0 } = event;
  // An attempt that began anew puts its first checkpoint in the place of one that it could not continue.
  const isFirst = event.beganAnew === true && checkpoint > 0 && event.attempt !== task.checkpointOf;
  const { waitsFor: _waitsFor, ...working } = task;
  const next: Task = {
    ...working,
    leaseUntil: now + leaseMs,
    progress: Math.max(task.progress, Math.min(99, Math.floor(progress))),
    seq: task.seq + 1,
    ...(event.tokens === undefined ? {} : { tokens: event.tokens }),
    ...(checkpoint > task.checkpoint || isFirst
      ? { checkpoint, checkpointOf: event.attempt, vanished: 0, ...definedFields({ eventsIn: event.eventsIn }) }
      : {}),
    ...(event.stage === undefined ? {} : { stage: event.stage }),
  };
  return { next, effects: [{ do: 'push', message: 'progress' }] };
}

function afterFault(task: Task, code: FailureCode, now: number): Moved {
  if (task.cancelAt !== undefined) return toEnded(task, { state: 'cancelled', resultOf: task.attempt }, now);
  const failures = task.failures + 1;
  if (failures >= maxFailures)
    return toEnded({ ...task, failures }, { state: 'failed', code, resultOf: task.attempt }, now);
  return toQueued({ ...task, failures }, { how: code, delayMs: backoffMs[failures - 1] ?? 0 }, now);
}

function afterWait(task: Task, { until, waitsFor }: Extract<WorkerEvent, { type: 'wait' }>, now: number): Moved {
  if (task.cancelAt !== undefined) return toEnded(task, { state: 'cancelled' }, now);
  // Nothing is begun after the deadline, so a longer wait ends there.
  const delayMs = Math.max(0, Math.min(until, task.deadlineAt) - now);
  const { next, effects } = toQueued(task, { how: 'waited', delayMs }, now);
  return { next: { ...next, waitsFor, seq: task.seq + 1 }, effects: [...effects, { do: 'push', message: 'progress' }] };
}

function afterLeaseExpiry(task: Task, now: number): Moved {
  // A suspect that reached a checkpoint is one no longer.
  const isAtFault = task.alone === true && isSuspect(task) && task.cancelAt === undefined;
  if (!isAtFault) return afterLostLease(task, now);
  return toEnded({ ...task, vanished: task.vanished + 1 }, { state: 'failed', code: 'PROCESSING_FAILED' }, now);
}

function afterLostLease(task: Task, now: number, delayMs = 0): Moved {
  if (task.cancelAt !== undefined) return toEnded(task, { state: 'cancelled' }, now);
  return toQueued({ ...task, vanished: task.vanished + 1 }, { how: 'vanished', delayMs }, now);
}

const restartWait = ({ vanished }: Task): number | undefined =>
  restartBackoffMs[Math.min(vanished, restartBackoffMs.length - 1)];

function afterCancel(task: Task, force: boolean, now: number): Decision {
  if (task.state === 'queued') return toEnded(task, { state: 'cancelled' }, now);
  // Fencing: a worker that is still running has an older attempt number.
  if (force) return toEnded({ ...task, attempt: task.attempt + 1 }, { state: 'cancelled' }, now);
  if (task.cancelAt !== undefined) return { ignore: 'cancelling' };
  return { next: { ...task, cancelAt: now, seq: task.seq + 1 }, effects: [] };
}

function afterTick(task: Task, now: number): Decision {
  if (now >= task.deadlineAt) return toTimedOut(task, now);
  if (isCancelOverdue(task, now)) return toEnded(task, { state: 'cancelled' }, now);
  if (task.state === 'running') return isLapsed(task, now) ? afterLeaseExpiry(task, now) : { ignore: 'notDue' };
  return now >= task.hintAt ? toHinted(task, now) : { ignore: 'notDue' };
}

/** The reconciler sends the hint in its next round, wherever the operator's process runs. */
function afterRedrive(task: Task, now: number): Decision {
  if (isAhead(task, now)) return { ignore: 'notDue' };
  if (!isLapsed(task, now)) return { ignore: 'leased' };
  if (task.cancelAt !== undefined) return toEnded(task, { state: 'cancelled' }, now);
  const next = task.state === 'running' ? toQueued(task, { how: 'vanished' }, now).next : task;
  return { next: { ...next, queuedAt: now, hintAt: now, hints: 0, vanished: 0 }, effects: [] };
}

function afterRunNow(task: Task, now: number): Decision {
  if (!task.recurs) return { ignore: 'stale' };
  if (!isBetweenRuns(task)) return { ignore: 'leased' };
  return {
    next: { ...task, ...waitingFields(now), hintAt: now, recurs: { ...task.recurs, extraAt: now } },
    effects: [],
  };
}

/** A task without a lease counts as lapsed. */
const isLapsed = ({ leaseUntil = 0 }: Task, now: number): boolean => now >= leaseUntil;
const isCancelOverdue = ({ cancelAt }: Task, now: number): boolean =>
  cancelAt !== undefined && now >= cancelAt + cancelGraceMs;
/** An accepted cancel takes precedence here too. */
const toTimedOut = (task: Task, now: number): Moved =>
  toEnded(task, task.cancelAt === undefined ? { state: 'failed', code: 'TASK_TIMEOUT' } : { state: 'cancelled' }, now);

function toHinted(task: Task, now: number): Moved {
  if (isAhead(task, now)) return toFirstHint(task, now);
  const hints = task.hints + 1;
  const next = { ...task, hints, hintAt: now + hintWait(hints) };
  return { next, effects: [{ do: 'hintWorker', delaySeconds: secondsUntil(task.queuedAt, now), isReminder: true }] };
}

/** The reconciler creates its schedule. A delay that a queue supports needs no schedule. */
function toFirstHint(task: Task, now: number): Moved {
  const delaySeconds = secondsUntil(task.queuedAt, now);
  const hint: Effect[] = delaySeconds <= maxHintSeconds ? [{ do: 'hintWorker', delaySeconds }] : [];
  return { next: { ...task, hintAt: task.queuedAt + hintWait(0) }, effects: hint };
}

const hintWait = (hints: number): number => hintAfterMs[Math.min(hints, hintAfterMs.length - 1)] ?? 0;
const secondsUntil = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1_000));

function toQueued(task: Task, { how, delayMs = 0 }: { how: Interruption; delayMs?: number }, now: number): Moved {
  const { leaseUntil: _lease, alone: _alone, waitsFor: _waitsFor, claimedAt = now, ...fields } = task;
  const queuedAt = now + delayMs;
  const past = [
    ...earlierAttempts(task, how),
    [task.attempt, claimedAt - task.createdAt, now - task.createdAt, how] satisfies [
      number,
      number,
      number,
      Interruption,
    ],
  ];
  const next: Task = {
    ...fields,
    state: 'queued',
    queuedAt,
    hints: 0,
    hintAt: queuedAt + hintWait(0),
    past: past.slice(task.recurs ? -keptAttemptsOfRun : -keptAttempts) as NonNullable<Task['past']>,
  };
  // A longer wait ends with a hint of the reconciler.
  const delaySeconds = Math.min(maxHintSeconds, secondsUntil(queuedAt, now));
  return { next, effects: [{ do: 'hintWorker', delaySeconds }] };
}

/** An outage makes an attempt wait many times; of these the newest is kept, beside what happened before. */
const earlierAttempts = ({ past = [] }: Task, how: Interruption): PastAttempt[] =>
  how === 'waited' && past.at(-1)?.[3] === how ? past.slice(0, -1) : past;

type End = { state: FinalState; code?: FailureCode; resultOf?: number };

export function toEnded(task: Task, { state, code, resultOf }: End, now: number): Moved {
  const { leaseUntil: _lease, alone: _alone, hook: delivery, past, waitsFor, ...fields } = task;
  // The item is too small for both the recurrence and past attempts while the end is being delivered.
  const isCrowded = task.recurs !== undefined && state === 'cancelled';
  const why = state === 'cancelled' ? 'TASK_CANCELLED' : code;
  const isWaitLost = waitsFor !== undefined && code === 'TASK_TIMEOUT';
  const next: Task = {
    ...fields,
    state,
    // The system clock may have been set back meanwhile.
    endedAt: Math.max(now, task.createdAt),
    seq: task.seq + 1,
    ...(state === 'succeeded' ? { progress: 100 } : {}),
    ...(past && !isCrowded ? { past: isWaitLost ? past.slice(-2) : past } : {}),
    ...(why === undefined ? {} : { code: why }),
    ...(isWaitLost ? { waitsFor } : {}),
    ...(resultOf === undefined ? {} : { resultOf }),
    ...(delivery ? { hook: { ...delivery, state: 'due', nextAt: now } } : {}),
  };
  const push: Effect = { do: 'push', message: state === 'succeeded' ? 'completed' : 'failed' };
  // The event of a run is hinted once the run has its own row.
  return { next, effects: delivery && !isRunEnd(next) ? [push, { do: 'hintSender', delaySeconds: 0 }] : [push] };
}

/** The latest time at which the reconciler must look again. `undefined`: never. */
export function wakeTime(task: Task): number | undefined {
  if (!isOpen(task)) return isUnsettled(task) ? task.endedAt : task.hook && deliveryWakeTime(task.hook);
  const cancelBy = task.cancelAt === undefined ? Number.POSITIVE_INFINITY : task.cancelAt + TASK_LIMITS.cancelGraceMs;
  const next = task.state === 'running' ? (task.leaseUntil ?? 0) : task.hintAt;
  return Math.min(next, task.deadlineAt, cancelBy);
}

/** An ended run must get its own row, or a cancelled task must lose its schedule. */
const isUnsettled = ({ recurs }: Task): boolean => recurs !== undefined && !recurs.isOff;

/** Longer than the difference that any heartbeat leaves between the stored and the required time. */
const MAX_EARLY_MS = TASK_LIMITS.leaseMs;

/**
 * The stored `dueAt` may be a little earlier than required: an early look is harmless, and an unchanged `dueAt` saves a
 * write of the index. If it has passed or is much too early, it is updated: a look that finds nothing to do writes nothing,
 * and would otherwise be repeated every minute until then.
 */
export function dueAtFor(task: Task, heldDueAt: number | undefined, now: number): number | undefined {
  const wakeBy = wakeTime(task);
  if (wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now) return wakeBy;
  return heldDueAt <= wakeBy && wakeBy - heldDueAt <= MAX_EARLY_MS ? heldDueAt : wakeBy;
}
