/** Invariants of every change of a delivery, checked independently of the product's own rules. */

import type { TaskDelivery } from '../../../shared/tasks/task.ts';
import { MAX_ATTEMPTS } from '../../../shared/tasks/webhook-plan.ts';
import type { Life } from './life.ts';
import { isOver, must } from './watch-task.ts';

/** A delivery attempt: its process, whether the receiver accepted it, and the faults since it began. */
export type Sending = { life: Life; isTaken: boolean; isUnheard?: true; faultsBefore: number; faultsAtMark?: number };
type Change = { life: Life; before: TaskDelivery; after: TaskDelivery };
export type Delivering = { sending?: Sending; redeliveries: number };

export function checkHook({ life, before, after }: Change, event: Delivering): void {
  must(after.tries >= before.tries, 'no attempt of a delivery is lost');
  if (after.state === 'sending' && before.state !== 'sending') {
    claimed({ life, before, after }, event);
    return;
  }
  must(after.tries === before.tries, 'only a claim counts as an attempt');
  if (before.state === 'sending') {
    leftSending({ life, before, after }, event);
    return;
  }
  if (before.state === after.state) return;
  const isRedelivery = before.state === 'delivered' || before.state === 'exhausted';
  if (after.state === 'due' && isRedelivery) {
    must(life.role === 'caller', 'only a redelivery request sends an event again');
    event.redeliveries++;
    return;
  }
  must(
    before.state === 'awaiting' ? after.state === 'due' : after.state === 'exhausted',
    'a delivery becomes due, and then is sent or given up',
  );
  must(after.state === 'due' || triesOfPlan(after) === MAX_ATTEMPTS, 'an event is given up after all planned attempts');
}

function claimed({ life, before, after }: Change, event: Delivering): void {
  const isAtEnd = life.role === 'worker' && before.state === 'awaiting';
  must(
    isAtEnd || (life.role === 'sender' && before.state === 'due'),
    'a delivery is claimed when it is due, or by the worker at the end of its task',
  );
  // A probe is sent ahead of the retry plan and does not count as an attempt of it.
  const isAhead = triesOfPlan(after) === triesOfPlan(before);
  // A delivery behind an open circuit breaker, and every first attempt, is due already.
  const isWaiting = before.isNext === true || triesOfPlan(before) === 0;
  const plannedAt = Math.min(before.nextAt, before.planAt ?? before.nextAt);
  must(isAtEnd || isAhead || isWaiting || plannedAt <= life.now(), 'nothing is sent before its time');
  must(after.tries === before.tries + 1, 'each claim counts as an attempt');
  event.sending = { life, isTaken: false, faultsBefore: life.faults() };
}

function leftSending({ life, before, after }: Change, { sending }: Delivering): void {
  if (after.state === 'sending') {
    must(after.leaseUntil === before.leaseUntil, 'a sender has one lease');
    return;
  }
  const isHolder = sending?.life === life;
  must(isHolder || (before.leaseUntil ?? 0) <= life.now() || isOver(sending?.life), 'there is one live sender at most');
  if (isHolder && sending) sending.faultsAtMark ??= life.faults();
  if (after.state === 'delivered') must(isHolder && sending.isTaken, 'a delivered event was accepted by its receiver');
  if (after.state === 'exhausted')
    must(triesOfPlan(after) === MAX_ATTEMPTS, 'an event is given up after all planned attempts');
}

const triesOfPlan = ({ tries, planFrom = 0 }: TaskDelivery): number => tries - planFrom;
