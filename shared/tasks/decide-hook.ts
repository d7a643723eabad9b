/** The delivery of a task's event: due, sending, delivered or given up. It never touches the task's own state. */
import type { Decision, Effect, Ignored, Moved } from './decide.ts';
import { type Hook, isOpen, isRunEnd, type TakenAttempt, type Task } from './task.ts';

export type HookEvent =
  /** A probe is sent although it is not due yet. */
  | { type: 'sendClaim'; isProbe?: true }
  /** `tries` tells which attempt it was: the fence of the sender. */
  | { type: 'sent'; tries: number; outcome: SentOutcome; taken?: TakenAttempt }
  /** The receiver's origin keeps failing: not now, though no attempt is lost by it. */
  | { type: 'postpone'; until: number }
  /** The receiver is healthy again: what waits for it is sent then, and not later. */
  | { type: 'bringForward'; at: number }
  /** Somebody wants it sent once more, whatever became of it: at once, and with a whole plan of attempts. */
  | { type: 'redeliver' };

/** `notBefore`: the receiver asked for it. */
export type SentOutcome = 'delivered' | 'refused' | { retryAt: number; notBefore?: number };

export const isHookEvent = (event: { type: string }): event is HookEvent => HOOK_EVENTS.has(event.type);

const HOOK_EVENTS: ReadonlySet<string> = new Set<HookEvent['type']>([
  'sendClaim',
  'sent',
  'postpone',
  'bringForward',
  'redeliver',
]);

export const MOST_TRIES = 10;
/** As long as a lost hint is waited for, so that the index that wakes the reconciler stays as it is. */
const SEND_LEASE_MS = 60_000;
/** A hint that got lost is sent again after so long. */
const HINT_AFTER_MS = 60_000;
/** The longest a queue holds a message back; what is later is hinted by the reconciler. */
const MOST_DELAY_SECONDS = 900;

const NOT_DUE: Ignored = { ignore: 'notDue' };

export function decideHook(task: Task, event: HookEvent | { type: 'tick' | 'restart' }, now: number): Decision {
  const { hook } = task;
  if (isOpen(task) || isRunEnd(task) || !hook) return NOT_DUE;
  switch (event.type) {
    case 'sendClaim':
      return isClaimable(hook, event, now) ? moved(task, claimed(hook, now)) : NOT_DUE;
    case 'sent':
      return afterSending(task, hook, event, now);
    case 'postpone':
      return isDue(hook, now) ? postponed(task, hook, { until: event.until, now }) : NOT_DUE;
    case 'bringForward':
      return broughtForward(task, hook, { at: event.at, now });
    case 'redeliver':
      return redelivered(task, hook, now);
    default:
      if (isForgotten(hook, event.type, now)) return forgotten(task, hook, now);
      return event.type === 'restart' ? hintedAgain(task, hook, now) : NOT_DUE;
  }
}

const isDue = ({ state, nextAt }: Hook, now: number): boolean => state === 'due' && now >= nextAt;
const isClaimable = (hook: Hook, { isProbe }: { isProbe?: true }, now: number): boolean =>
  isDue(hook, now) || (isProbe === true && hook.state === 'due' && now >= (hook.notBefore ?? now));
const isLapsed = ({ state, leaseUntil = 0 }: Hook, now: number): boolean => state === 'sending' && now >= leaseUntil;

/** Whoever was sending is gone, or the hint is. */
const isForgotten = (hook: Hook, by: 'tick' | 'restart', now: number): boolean =>
  isDue(hook, now) || (by === 'restart' ? hook.state === 'sending' : isLapsed(hook, now));

const moved = (task: Task, hook: Hook, effects: Effect[] = []): Decision => ({ next: { ...task, hook }, effects });

type Kept = Omit<Hook, 'state' | 'nextAt' | 'leaseUntil'>;

/** An attempt ahead of the plan does not count. The first one, and what was postponed, are never ahead of it. */
function claimed({ isNext, planAt, notBefore: _notBefore, ...hook }: Hook, now: number): Hook {
  const { tries, planFrom = 0 } = hook;
  const plannedAt = planAt ?? hook.nextAt;
  const sending: Hook = { ...hook, state: 'sending', tries: tries + 1, leaseUntil: now + SEND_LEASE_MS };
  if (now >= plannedAt) return sending;
  return isNext || tries === planFrom
    ? { ...sending, nextAt: now }
    : { ...sending, planFrom: planFrom + 1, nextAt: plannedAt };
}

/** Of an attempt that is under way: its plan has its next one later. */
export const isAheadOfPlan = ({ nextAt, leaseUntil = Number.POSITIVE_INFINITY }: Hook): boolean =>
  nextAt > leaseUntil - SEND_LEASE_MS;

const kept = ({ state: _state, nextAt: _nextAt, leaseUntil: _lease, ...rest }: Hook): Kept => rest;

/** When an attempt has ended, or a new plan begins. */
const settled = (hook: Hook): Kept => {
  const { planAt: _planAt, notBefore: _notBefore, ...rest } = kept(hook);
  return rest;
};

function forgotten(task: Task, hook: Hook, now: number): Decision {
  const keep = isAheadOfPlan(hook) ? { ...kept(hook), planAt: hook.nextAt } : kept(hook);
  return again(task, hook, { keep, nextAt: now, now });
}

/** One that was brought forward, and finds its receiver failing again, goes back to its plan. */
function postponed(task: Task, hook: Hook, { until, now }: { until: number; now: number }): Decision {
  const { planAt = now } = hook;
  if (now < planAt) return due(task, settled(hook), { nextAt: planAt, now });
  return due(task, { ...settled(hook), isNext: true }, { nextAt: until, now });
}

/** The attempt of one that was postponed counts: it is late already. */
function broughtForward(task: Task, hook: Hook, { at, now }: { at: number; now: number }): Decision {
  const { notBefore = at, planAt = hook.nextAt } = hook;
  if (hook.state !== 'due' || at >= hook.nextAt || at < notBefore) return NOT_DUE;
  const { isNext, ...rest } = settled(hook);
  return due(task, isNext ? rest : { ...rest, planAt }, { nextAt: at, now });
}

/** The hints of the queues were in the memory of the process that ended. */
function hintedAgain(task: Task, hook: Hook, now: number): Decision {
  if (hook.state !== 'due' || delaySecondsTo(hook.nextAt, now) > MOST_DELAY_SECONDS) return NOT_DUE;
  return due(task, kept(hook), { nextAt: hook.nextAt, now });
}

/** Whoever ended the task sends its event too. That of a run waits until the run is set apart. */
export function claimedAtOnce(ended: Moved, now: number): Moved {
  const { hook, recurs } = ended.next;
  if (!hook || recurs) return ended;
  const effects = ended.effects.filter((effect) => effect.do !== 'hintSender');
  return { next: { ...ended.next, hook: claimed(hook, now) }, effects };
}

const delaySecondsTo = (at: number, now: number): number => Math.max(0, Math.ceil((at - now) / 1_000));

/** A hint goes along if a queue can hold it for so long. */
function due(task: Task, hook: Kept, { nextAt, now }: { nextAt: number; now: number }): Decision {
  const delaySeconds = delaySecondsTo(nextAt, now);
  const hint: Effect[] = delaySeconds <= MOST_DELAY_SECONDS ? [{ do: 'hintSender', delaySeconds }] : [];
  return moved(task, { ...hook, state: 'due', nextAt }, hint);
}

function redelivered(task: Task, hook: Hook, now: number): Decision {
  // An attempt is under way already.
  if (hook.state === 'sending' && !isLapsed(hook, now)) return { ignore: 'leased' };
  // Who asks for it does not wait behind a receiver that failed so far.
  return due(task, { ...settled(hook), planFrom: hook.tries, isNext: true }, { nextAt: now, now });
}

type Sent = Extract<HookEvent, { type: 'sent' }>;

function afterSending(task: Task, hook: Hook, { tries, outcome, taken }: Sent, now: number): Decision {
  const { nextAt } = hook;
  if (hook.state !== 'sending' || hook.tries !== tries) return { ignore: 'stale' };
  if (outcome === 'delivered') {
    return moved(task, { ...settled(hook), state: 'delivered', nextAt, ...(taken ? { taken } : {}) });
  }
  if (outcome === 'refused') return moved(task, { ...settled(hook), state: 'exhausted', nextAt });
  const { retryAt, notBefore } = outcome;
  const asked = notBefore === undefined ? {} : { notBefore };
  // An attempt ahead of the plan leaves the plan as it is, unless the receiver asked for more time.
  const next = isAheadOfPlan(hook) ? Math.max(nextAt, notBefore ?? nextAt) : retryAt;
  return again(task, hook, { keep: { ...settled(hook), ...asked }, nextAt: next, now });
}

/** Unless that was the last try of its plan, also when its sender is gone. */
function again(task: Task, hook: Hook, { keep, ...when }: { keep: Kept; nextAt: number; now: number }): Decision {
  if (hook.tries - (hook.planFrom ?? 0) < MOST_TRIES) return due(task, keep, when);
  return moved(task, { ...keep, state: 'exhausted', nextAt: hook.nextAt });
}

/** The latest moment somebody must look again. */
export function hookWakesBy({ state, nextAt, leaseUntil = nextAt }: Hook): number | undefined {
  if (state === 'due') return nextAt + HINT_AFTER_MS;
  return state === 'sending' ? leaseUntil : undefined;
}
