/** Invariants of every step of a task, for any event at any time. */

import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { type Effect, isOpen, type Moved, type Task } from '../../../shared/tasks/task.ts';

type Step = {
  before: Task;
  event: TaskEvent;
  now: number;
  moved: Moved;
  wakeBy: number | undefined;
  dueAt: number | undefined;
};

function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(`This does not hold: ${words}`);
}

export function checkStep(step: Step): void {
  if (isOpen(step.before)) checkOpen(step);
  else checkFinal(step);
  checkShape(step.moved.next);
  checkWakeUp(step);
  checkEffects(step);
}

const isWorkers = (event: TaskEvent): event is Extract<TaskEvent, { attempt: number }> => 'attempt' in event;

function checkOpen(step: Step): void {
  checkHolder(step);
  checkSuspect(step);
  const { before, event, moved } = step;
  const { next } = moved;
  const isClaimed = event.type === 'claim' && next.state === 'running';
  const raises = isClaimed || (event.type === 'cancel' && event.force && before.state === 'running');
  must(
    next.attempt === before.attempt + (raises ? 1 : 0),
    'a claim and a forced cancel raise the attempt, nothing else',
  );
  must(next.progress >= before.progress, 'progress never falls');
  must(next.checkpoint >= before.checkpoint, 'a checkpoint is never lost');
  must(next.failures >= before.failures, 'a failure is never forgotten');
  must(before.cancelAt === undefined || isOpen(next) || next.state === 'cancelled', 'a wish to cancel is kept');
  const brings = !isOpen(next) && (event.type === 'finish' || event.type === 'fault');
  must(next.resultOf === (brings ? event.attempt : undefined), 'the result is of the attempt that ended the task');
  if (before.startedAt === undefined) return;
  must(next.startedAt === before.startedAt, 'a task starts once');
  must(next.deadlineAt === before.deadlineAt, 'a task gets no more time');
}

/** The rules of the suspect, from the outside. */
function checkSuspect({ before, event, now, moved: { next } }: Step): void {
  const isLost = !isOpen(next) && next.code === 'PROCESSING_FAILED' && !isWorkers(event);
  must(
    !isLost || (before.alone === true && before.vanished >= 4),
    'only a suspect that was alone fails for a lost lease',
  );
  must(!isLost || event.type !== 'restart', 'a restart ends no task');
  if (event.type !== 'claim' || next.state !== 'running') return;
  must(next.vanished < 4 || event.process !== undefined, 'a suspect never shares its process');
  must(next.alone !== true || event.process === 'own', 'a task is alone only in a process of its own');
  must(now < next.deadlineAt, 'nothing is claimed after its deadline');
}

function checkHolder({ before, event, now, moved: { next } }: Step): void {
  if (isWorkers(event)) {
    must(before.state === 'running' && event.attempt === before.attempt, 'only the lease holder changes the task');
  }
  if (event.type !== 'claim' || before.state !== 'running') return;
  const isLapsed = (before.leaseUntil ?? 0) <= now;
  must(isLapsed || !isOpen(next), 'there is one live lease at most');
  must(isLapsed || now >= before.deadlineAt, 'a leased task ends only at its deadline');
}

export function checkFinal({ before, moved: { next } }: Pick<Step, 'before'> & { moved: Pick<Moved, 'next'> }): void {
  const { hook: _before, ...was } = before;
  const { hook: _next, ...is } = next;
  must(JSON.stringify(is) === JSON.stringify(was), 'a final state never changes');
  must((next.hook?.tries ?? 0) >= (before.hook?.tries ?? 0), 'no try of a delivery is forgotten');
}

export function checkShape({ state, leaseUntil, claimedAt, endedAt, progress, code, past = [], ...task }: Task): void {
  must((state === 'running') === (leaseUntil !== undefined), 'what runs has a lease, and nothing else has');
  must(state !== 'running' || claimedAt !== undefined, 'what runs was claimed');
  must(isOpen({ state }) === (endedAt === undefined), 'what is final has ended');
  must(progress >= 0 && progress <= 100 && (progress === 100) === (state === 'succeeded'), '100 is for success');
  must((code === undefined) === (isOpen({ state }) || state === 'succeeded'), 'what did not succeed says why');
  must((state === 'cancelled') === (code === 'TASK_CANCELLED'), 'what was cancelled says so');
  must(task.failures <= 3 && past.length <= 3, 'attempts are counted within bounds');
  must(isOpen({ state }) ? task.failures < 3 : true, 'the last allowed attempt ends the task');
  must(!task.alone || state === 'running', 'only an attempt is alone');
  const { hook } = task;
  must(!hook || (hook.state === 'awaiting') === isOpen({ state }), 'an event is due from the end of its task on');
  must(!hook || hook.tries - (hook.planFrom ?? 0) <= 10, 'a delivery is tried ten times at most');
  must(
    (hook?.state === 'sending') === (hook?.leaseUntil !== undefined),
    'a delivery has a lease exactly while it is being sent',
  );
}

function checkWakeUp({ now, moved: { next }, wakeBy, dueAt }: Step): void {
  const isAtEnd = !isOpen(next) && (!next.hook || ['delivered', 'exhausted'].includes(next.hook.state));
  must((wakeBy === undefined) === isAtEnd, 'a look is due until the task and its delivery have ended');
  must((dueAt === undefined) === (wakeBy === undefined), 'a row with a due look is in the index');
  if (wakeBy === undefined || dueAt === undefined) return;
  must(dueAt <= wakeBy, 'the next look is not too late');
  must(dueAt > now || dueAt === wakeBy, 'a look is not repeated in vain');
  must(!isOpen(next) || wakeBy <= next.deadlineAt, 'no look is planned behind the deadline');
}

const isHint = (effect: Effect): boolean => effect.do === 'hintWorker';

function checkEffects({ before, event, moved: { next, effects } }: Step): void {
  const pushes = effects.filter((effect) => effect.do === 'push');
  must(
    next.seq >= before.seq && (pushes.length === 0 || next.seq > before.seq),
    'each message has a number of its own',
  );
  must(pushes.length <= 1, 'one step is one message');
  const isEnding = isOpen(before) && !isOpen(next);
  must(
    isEnding === pushes.some(({ message }) => message === 'completed' || message === 'failed'),
    'the end is pushed once',
  );
  must(
    !isEnding || pushes[0]?.message === (next.state === 'succeeded' ? 'completed' : 'failed'),
    'and with the right message',
  );
  const isHinted = effects.some((effect) => effect.do === 'hintSender');
  const isSent = event.type === 'finish' && event.claimsDelivery === true;
  must(!(isEnding && next.hook) || isHinted !== isSent, 'the end is hinted to a sender, unless its worker sends it');
  const isRequeued = next.state === 'queued' && before.state === 'running';
  must(!isRequeued || event.type === 'redrive' || effects.some(isHint), 'what is queued is hinted');
  for (const effect of effects) {
    if (effect.do !== 'push') must(effect.delaySeconds >= 0, 'a hint lies ahead');
  }
}
