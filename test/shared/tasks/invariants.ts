/** Invariants of every step of a task, for any event at any time. */

import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { type Effect, isOpen, type Moved, type Task } from '../../../shared/tasks/task.ts';
import { MAX_ATTEMPTS } from '../../../shared/tasks/webhook-plan.ts';

type Step = {
  before: Task;
  event: TaskEvent;
  now: number;
  moved: Moved;
  wakeBy: number | undefined;
  dueAt: number | undefined;
};

function assertRule(holds: boolean, words: string): void {
  if (!holds) throw new Error(`This does not hold: ${words}`);
}

export function checkStep(step: Step): void {
  if (isOpen(step.before)) checkOpen(step);
  else checkFinal(step);
  checkShape(step.moved.next);
  checkWakeUp(step);
  checkEffects(step);
}

const isFromWorker = (event: TaskEvent): event is Extract<TaskEvent, { attempt: number }> => 'attempt' in event;

function checkOpen(step: Step): void {
  checkLeaseHolder(step);
  checkSuspect(step);
  const { before, event, moved } = step;
  const { next } = moved;
  const isClaimed = event.type === 'claim' && next.state === 'running';
  const raises = isClaimed || (event.type === 'cancel' && event.force && before.state === 'running');
  assertRule(
    next.attempt === before.attempt + (raises ? 1 : 0),
    'a claim and a forced cancel raise the attempt, nothing else',
  );
  assertRule(next.progress >= before.progress, 'progress never falls');
  assertRule(next.checkpoint >= before.checkpoint, 'a checkpoint is never lost');
  assertRule(next.failures >= before.failures, 'a failure is never forgotten');
  assertRule(before.cancelAt === undefined || isOpen(next) || next.state === 'cancelled', 'a wish to cancel is kept');
  const brings = !isOpen(next) && (event.type === 'finish' || event.type === 'fault');
  assertRule(
    next.resultOf === (brings ? event.attempt : undefined),
    'the result is of the attempt that ended the task',
  );
  if (before.startedAt === undefined) return;
  assertRule(next.startedAt === before.startedAt, 'a task starts once');
  assertRule(next.deadlineAt === before.deadlineAt, 'a task gets no more time');
}

/** The rules of the suspect, from the outside. */
function checkSuspect({ before, event, now, moved: { next } }: Step): void {
  const isLost = !isOpen(next) && next.code === 'PROCESSING_FAILED' && !isFromWorker(event);
  assertRule(
    !isLost || (before.alone === true && before.vanished >= 4),
    'only a suspect that was alone fails for a lost lease',
  );
  assertRule(!isLost || event.type !== 'restart', 'a restart ends no task');
  if (event.type !== 'claim' || next.state !== 'running') return;
  assertRule(next.vanished < 4 || event.process !== undefined, 'a suspect never shares its process');
  assertRule(next.alone !== true || event.process === 'own', 'a task is alone only in a process of its own');
  assertRule(now < next.deadlineAt, 'nothing is claimed after its deadline');
}

function checkLeaseHolder({ before, event, now, moved: { next } }: Step): void {
  if (isFromWorker(event)) {
    assertRule(
      before.state === 'running' && event.attempt === before.attempt,
      'only the lease holder changes the task',
    );
  }
  if (event.type !== 'claim' || before.state !== 'running') return;
  const isLapsed = (before.leaseUntil ?? 0) <= now;
  assertRule(isLapsed || !isOpen(next), 'there is one live lease at most');
  assertRule(isLapsed || now >= before.deadlineAt, 'a leased task ends only at its deadline');
}

export function checkFinal({ before, moved: { next } }: Pick<Step, 'before'> & { moved: Pick<Moved, 'next'> }): void {
  const { hook: _before, ...was } = before;
  const { hook: _next, ...is } = next;
  assertRule(JSON.stringify(is) === JSON.stringify(was), 'a final state never changes');
  assertRule((next.hook?.tries ?? 0) >= (before.hook?.tries ?? 0), 'no try of a delivery is forgotten');
}

export function checkShape({ state, leaseUntil, claimedAt, endedAt, progress, code, past = [], ...task }: Task): void {
  assertRule((state === 'running') === (leaseUntil !== undefined), 'what runs has a lease, and nothing else has');
  assertRule(state !== 'running' || claimedAt !== undefined, 'what runs was claimed');
  assertRule(isOpen({ state }) === (endedAt === undefined), 'what is final has ended');
  assertRule(progress >= 0 && progress <= 100 && (progress === 100) === (state === 'succeeded'), '100 is for success');
  assertRule((code === undefined) === (isOpen({ state }) || state === 'succeeded'), 'what did not succeed says why');
  assertRule((state === 'cancelled') === (code === 'TASK_CANCELLED'), 'what was cancelled says so');
  assertRule(task.failures <= 3 && past.length <= 3, 'attempts are counted within bounds');
  assertRule(isOpen({ state }) ? task.failures < 3 : true, 'the last allowed attempt ends the task');
  assertRule(!task.alone || state === 'running', 'only an attempt is alone');
  const { hook } = task;
  assertRule(!hook || (hook.state === 'awaiting') === isOpen({ state }), 'an event is due from the end of its task on');
  assertRule(
    !hook || hook.tries - (hook.planFrom ?? 0) <= MAX_ATTEMPTS,
    'a delivery is tried no more often than planned',
  );
  assertRule(
    (hook?.state === 'sending') === (hook?.leaseUntil !== undefined),
    'a delivery has a lease exactly while it is being sent',
  );
}

function checkWakeUp({ now, moved: { next }, wakeBy, dueAt }: Step): void {
  const isAtEnd = !isOpen(next) && (!next.hook || ['delivered', 'exhausted'].includes(next.hook.state));
  assertRule((wakeBy === undefined) === isAtEnd, 'a look is due until the task and its delivery have ended');
  assertRule((dueAt === undefined) === (wakeBy === undefined), 'a row with a due look is in the index');
  if (wakeBy === undefined || dueAt === undefined) return;
  assertRule(dueAt <= wakeBy, 'the next look is not too late');
  assertRule(dueAt > now || dueAt === wakeBy, 'a look is not repeated in vain');
  assertRule(!isOpen(next) || wakeBy <= next.deadlineAt, 'no look is planned behind the deadline');
}

const isHint = (effect: Effect): boolean => effect.do === 'hintWorker';

function checkEffects({ before, event, moved: { next, effects } }: Step): void {
  const pushes = effects.filter((effect) => effect.do === 'push');
  assertRule(
    next.seq >= before.seq && (pushes.length === 0 || next.seq > before.seq),
    'each message has a number of its own',
  );
  assertRule(pushes.length <= 1, 'one step is one message');
  const isEnding = isOpen(before) && !isOpen(next);
  assertRule(
    isEnding === pushes.some(({ message }) => message === 'completed' || message === 'failed'),
    'the end is pushed once',
  );
  assertRule(
    !isEnding || pushes[0]?.message === (next.state === 'succeeded' ? 'completed' : 'failed'),
    'and with the right message',
  );
  const isHinted = effects.some((effect) => effect.do === 'hintSender');
  const isSent = event.type === 'finish' && event.claimsDelivery === true;
  assertRule(
    !(isEnding && next.hook) || isHinted !== isSent,
    'the end is hinted to a sender, unless its worker sends it',
  );
  const isRequeued = next.state === 'queued' && before.state === 'running';
  assertRule(!isRequeued || event.type === 'redrive' || effects.some(isHint), 'what is queued is hinted');
  for (const effect of effects) {
    if (effect.do !== 'push') assertRule(effect.delaySeconds >= 0, 'a hint lies ahead');
  }
}
