/** The delivery of a task's webhook event: due, sending, delivered or given up. It never changes the task's own state. */

import { MINUTE_MS } from '../core/time.ts';
import {
  type Decision,
  type Effect,
  type Ignored,
  type InlineAttempt,
  isOpen,
  isRunEnd,
  type Moved,
  TASK_LIMITS,
  type Task,
  type TaskDelivery,
} from './task.ts';
import { MAX_ATTEMPTS } from './webhook-plan.ts';

export type DeliveryEvent =
  /** A probe is sent before its planned time. */
  | { type: 'sendClaim'; isProbe?: true }
  /** `tries` is the number of the attempt: the fencing token of the sender. */
  | { type: 'sent'; tries: number; outcome: SentOutcome; inlineAttempt?: InlineAttempt }
  /** The receiver's origin keeps failing: wait without using up an attempt. */
  | { type: 'postpone'; until: number }
  /** The receiver is healthy again: send a waiting delivery at this time instead of later. */
  | { type: 'bringForward'; at: number }
  /** A caller or operator requested another delivery: at once, in any state, with a whole new plan of attempts. */
  | { type: 'redeliver' };

/** `notBefore`: the time that the receiver requested. */
export type SentOutcome = 'delivered' | 'refused' | { retryAt: number; notBefore?: number };

export const isDeliveryEvent = (event: { type: string }): event is DeliveryEvent => DELIVERY_EVENTS.has(event.type);

const DELIVERY_EVENTS: ReadonlySet<string> = new Set<DeliveryEvent['type']>([
  'sendClaim',
  'sent',
  'postpone',
  'bringForward',
  'redeliver',
]);

/** The same time as for a lost hint, so that the index that wakes the reconciler needs no write. */
const SEND_LEASE_MS = MINUTE_MS;
/** A lost hint is sent again after this time. */
const HINT_AFTER_MS = MINUTE_MS;
const { maxHintSeconds } = TASK_LIMITS;

const NOT_DUE: Ignored = { ignore: 'notDue' };

export function decideDelivery(task: Task, event: DeliveryEvent | { type: 'tick' | 'restart' }, now: number): Decision {
  const { hook: delivery } = task;
  if (isOpen(task) || isRunEnd(task) || !delivery) return NOT_DUE;
  switch (event.type) {
    case 'sendClaim':
      return isClaimable(delivery, event, now) ? withDelivery(task, toClaimed(delivery, now)) : NOT_DUE;
    case 'sent':
      return afterSending(task, delivery, event, now);
    case 'postpone':
      return isDeliveryDue(delivery, now) ? afterPostpone(task, delivery, { until: event.until, now }) : NOT_DUE;
    case 'bringForward':
      return afterBringForward(task, delivery, { at: event.at, now });
    case 'redeliver':
      return afterRedeliver(task, delivery, now);
    default:
      if (isDeliveryLost(delivery, event.type, now)) return afterLoss(task, delivery, now);
      return event.type === 'restart' ? afterRestart(task, delivery, now) : NOT_DUE;
  }
}

const isDeliveryDue = ({ state, nextAt }: TaskDelivery, now: number): boolean => state === 'due' && now >= nextAt;
const isClaimable = (delivery: TaskDelivery, { isProbe }: { isProbe?: true }, now: number): boolean =>
  isDeliveryDue(delivery, now) || (isProbe === true && delivery.state === 'due' && now >= (delivery.notBefore ?? now));
const isDeliveryLapsed = ({ state, leaseUntil = 0 }: TaskDelivery, now: number): boolean =>
  state === 'sending' && now >= leaseUntil;

/** The sender or the hint is lost. */
const isDeliveryLost = (delivery: TaskDelivery, by: 'tick' | 'restart', now: number): boolean =>
  isDeliveryDue(delivery, now) || (by === 'restart' ? delivery.state === 'sending' : isDeliveryLapsed(delivery, now));

const withDelivery = (task: Task, delivery: TaskDelivery, effects: Effect[] = []): Decision => ({
  next: { ...task, hook: delivery },
  effects,
});

type StoredAttempt = Omit<TaskDelivery, 'state' | 'nextAt' | 'leaseUntil'>;

/** An attempt before its planned time does not count. First attempts and postponed ones always count. */
function toClaimed({ isNext, planAt, notBefore: _notBefore, ...delivery }: TaskDelivery, now: number): TaskDelivery {
  const { tries, planFrom = 0 } = delivery;
  const plannedAt = planAt ?? delivery.nextAt;
  const sending: TaskDelivery = { ...delivery, state: 'sending', tries: tries + 1, leaseUntil: now + SEND_LEASE_MS };
  if (now >= plannedAt) return sending;
  return isNext || tries === planFrom
    ? { ...sending, nextAt: now }
    : { ...sending, planFrom: planFrom + 1, nextAt: plannedAt };
}

/** For an attempt in progress: its next planned attempt is later. */
export const isBeforePlan = ({ nextAt, leaseUntil = Number.POSITIVE_INFINITY }: TaskDelivery): boolean =>
  nextAt > leaseUntil - SEND_LEASE_MS;

const toStoredAttempt = ({
  state: _state,
  nextAt: _nextAt,
  leaseUntil: _lease,
  ...attempt
}: TaskDelivery): StoredAttempt => attempt;

/** The stored fields after an attempt ended or a new plan began. */
const toSettledAttempt = (delivery: TaskDelivery): StoredAttempt => {
  const { planAt: _planAt, notBefore: _notBefore, ...attempt } = toStoredAttempt(delivery);
  return attempt;
};

function afterLoss(task: Task, delivery: TaskDelivery, now: number): Decision {
  const keep = isBeforePlan(delivery)
    ? { ...toStoredAttempt(delivery), planAt: delivery.nextAt }
    : toStoredAttempt(delivery);
  return toRetry(task, delivery, { keep, nextAt: now, now });
}

/** A delivery that was brought forward returns to its plan if its receiver fails again. */
function afterPostpone(task: Task, delivery: TaskDelivery, { until, now }: { until: number; now: number }): Decision {
  const { planAt = now } = delivery;
  if (now < planAt) return toDue(task, toSettledAttempt(delivery), { nextAt: planAt, now });
  return toDue(task, { ...toSettledAttempt(delivery), isNext: true }, { nextAt: until, now });
}

/** The attempt of a postponed delivery counts, because it is late already. */
function afterBringForward(task: Task, delivery: TaskDelivery, { at, now }: { at: number; now: number }): Decision {
  const { notBefore = at, planAt = delivery.nextAt } = delivery;
  if (delivery.state !== 'due' || at >= delivery.nextAt || at < notBefore) return NOT_DUE;
  const { isNext, ...attempt } = toSettledAttempt(delivery);
  return toDue(task, isNext ? attempt : { ...attempt, planAt }, { nextAt: at, now });
}

/** After a restart: the hints in the queues were in memory and are lost. */
function afterRestart(task: Task, delivery: TaskDelivery, now: number): Decision {
  if (delivery.state !== 'due' || delaySecondsTo(delivery.nextAt, now) > maxHintSeconds) return NOT_DUE;
  return toDue(task, toStoredAttempt(delivery), { nextAt: delivery.nextAt, now });
}

/** The worker that ended the task also sends its event. The event of a run waits until the run has its own row. */
export function withClaimedDelivery(ended: Moved, now: number): Moved {
  const { hook: delivery, recurs } = ended.next;
  if (!delivery || recurs) return ended;
  const effects = ended.effects.filter((effect) => effect.do !== 'hintSender');
  return { next: { ...ended.next, hook: toClaimed(delivery, now) }, effects };
}

const delaySecondsTo = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1_000));

/** Sends a hint as well, if a queue can delay it that long. */
function toDue(task: Task, delivery: StoredAttempt, { nextAt, now }: { nextAt: number; now: number }): Decision {
  const delaySeconds = delaySecondsTo(nextAt, now);
  const hint: Effect[] = delaySeconds <= maxHintSeconds ? [{ do: 'hintSender', delaySeconds }] : [];
  return withDelivery(task, { ...delivery, state: 'due', nextAt }, hint);
}

function afterRedeliver(task: Task, delivery: TaskDelivery, now: number): Decision {
  // An attempt is in progress.
  if (delivery.state === 'sending' && !isDeliveryLapsed(delivery, now)) return { ignore: 'leased' };
  // A requested delivery does not wait behind the open breaker.
  return toDue(task, { ...toSettledAttempt(delivery), planFrom: delivery.tries, isNext: true }, { nextAt: now, now });
}

type Sent = Extract<DeliveryEvent, { type: 'sent' }>;

function afterSending(
  task: Task,
  delivery: TaskDelivery,
  { tries, outcome, inlineAttempt }: Sent,
  now: number,
): Decision {
  const { nextAt } = delivery;
  if (delivery.state !== 'sending' || delivery.tries !== tries) return { ignore: 'stale' };
  if (outcome === 'delivered') {
    return withDelivery(task, {
      ...toSettledAttempt(delivery),
      state: 'delivered',
      nextAt,
      ...(inlineAttempt ? { taken: inlineAttempt } : {}),
    });
  }
  if (outcome === 'refused') return withDelivery(task, { ...toSettledAttempt(delivery), state: 'exhausted', nextAt });
  const { retryAt, notBefore } = outcome;
  const retryAfter = notBefore === undefined ? {} : { notBefore };
  // An attempt before its planned time leaves the plan unchanged, unless the receiver requested more time.
  const next = isBeforePlan(delivery) ? Math.max(nextAt, notBefore ?? nextAt) : retryAt;
  return toRetry(task, delivery, { keep: { ...toSettledAttempt(delivery), ...retryAfter }, nextAt: next, now });
}

/** Plans another attempt, unless this was the last one of its plan; also used when the sender is lost. */
function toRetry(
  task: Task,
  delivery: TaskDelivery,
  { keep, ...when }: { keep: StoredAttempt; nextAt: number; now: number },
): Decision {
  if (delivery.tries - (delivery.planFrom ?? 0) < MAX_ATTEMPTS) return toDue(task, keep, when);
  return withDelivery(task, { ...keep, state: 'exhausted', nextAt: delivery.nextAt });
}

/** The latest time at which the reconciler must look again. */
export function deliveryWakeTime({ state, nextAt, leaseUntil = nextAt }: TaskDelivery): number | undefined {
  if (state === 'due') return nextAt + HINT_AFTER_MS;
  return state === 'sending' ? leaseUntil : undefined;
}
