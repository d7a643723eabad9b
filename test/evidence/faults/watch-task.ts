/** Invariants of every change of a task's item, checked independently of the product's own rules. */
import { isOpen, isRunEnd, type Task } from '../../../shared/tasks/task.ts';
import { checkFinal, checkShape } from '../../shared/tasks/invariants.ts';
import type { Life } from './life.ts';

export type Change = { life: Life; before: Task; after: Task };
/** The process that claimed each attempt. */
export type Holders = Map<number, Life>;

export function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(`This does not hold: ${words}`);
}

export function checkChange(change: Change, holders: Holders): void {
  const { before, after } = change;
  checkShape(after);
  must(after.seq >= before.seq, 'message numbers never fall');
  must(after.attempt >= before.attempt, 'attempt numbers never fall');
  if (!isOpen(before) && !isRunEnd(before)) {
    checkFinal({ before: withoutRecurrence(before), moved: { next: withoutRecurrence(after) } });
    return;
  }
  if (after.attempt > before.attempt) checkRaise(change, holders);
  if (isRunEnd(before)) {
    must(after.recurs?.run === (before.recurs?.run ?? 0) + 1, 'a run follows a run');
    return;
  }
  must(after.progress >= before.progress, 'progress never falls');
  must(after.checkpoint >= before.checkpoint, 'a checkpoint is never lost');
  must(after.failures >= before.failures, 'a failure is never lost');
  must(before.cancelAt === undefined || isOpen(after) || after.state === 'cancelled', 'a cancel request is kept');
  if (!isOpen(after)) checkEnd(change, holders);
  else if (after.attempt === before.attempt && before.state === 'running') checkHeld(change, holders);
}

/** Removing a cancelled task's schedule does not count as a change of its state. */
function withoutRecurrence({ recurs: _recurs, ...task }: Task): Task {
  return task;
}

const isLapsed = ({ leaseUntil = 0 }: Task, { now }: Life): boolean => leaseUntil <= now();

/** The only process has ended, and the one after it knows. */
export const isOver = (holder: Life | undefined): boolean => holder?.process === 'only' && holder.isDead();

function checkRaise({ life, before, after }: Change, holders: Holders): void {
  must(after.attempt === before.attempt + 1, 'attempts are numbered one by one');
  if (life.role === 'caller') {
    must(after.state === 'cancelled', 'a caller raises an attempt to fence it only');
    return;
  }
  must(life.role === 'worker' && after.state === 'running', 'a worker claims');
  must(before.state !== 'running' || isLapsed(before, life), 'there is one live lease at most');
  must(before.state !== 'queued' || before.queuedAt <= life.now(), 'a task does not start before its time');
  must(!holders.has(after.attempt), 'an attempt is claimed once');
  must((after.leaseUntil ?? 0) <= life.now() + 60_000, 'a lease lasts a minute');
  must(after.vanished < 4 || life.process !== undefined, 'a task that lost four processes shares none');
  must(after.alone !== true || life.process === 'own', 'a task is alone only where nothing else runs');
  holders.set(after.attempt, life);
}

function checkHeld({ life, before, after }: Change, holders: Holders): void {
  const isHolder = holders.get(before.attempt) === life;
  if (after.state === 'queued') {
    const isReleased = isLapsed(before, life) || isOver(holders.get(before.attempt));
    must(isHolder || isReleased, 'only the holder of a live lease returns a task to the queue');
    must(after.failures === before.failures || isHolder, 'only the lease holder fails a task');
    return;
  }
  const isWish = life.role === 'caller' && after.cancelAt !== undefined;
  must(isHolder || isWish, 'only the lease holder renews a task');
  must(!isWish || after.leaseUntil === before.leaseUntil, 'a cancel request takes no lease');
}

function checkEnd({ life, before, after }: Change, holders: Holders): void {
  const { state, code, resultOf, attempt } = after;
  const isHolder = before.state === 'running' && holders.get(before.attempt) === life;
  must(resultOf === undefined || (isHolder && resultOf === attempt), 'a result is of the attempt that held the lease');
  if (state === 'succeeded') {
    must(isHolder && resultOf !== undefined, 'only the lease holder completes a task');
    return;
  }
  if (state === 'cancelled') {
    must(before.cancelAt !== undefined || life.role === 'caller', 'a cancelled task has a cancel request');
    return;
  }
  if (code === 'TASK_TIMEOUT') {
    must(before.deadlineAt <= life.now(), 'a task times out only at its deadline');
    return;
  }
  const isAtFault = before.alone === true && holders.get(before.attempt)?.process === 'own';
  must(
    after.failures === 3 || isAtFault,
    'a task fails at its third fault, or when a process ended that ran only this task',
  );
  must(isHolder || isLapsed(before, life), 'only the holder of a live lease ends a task');
}
