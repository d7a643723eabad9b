/** The delivery of a task's event: due, sending, delivered or given up. It never touches the task's own state. */
import type { Decision, Effect, Ignored, Moved } from './decide.ts';
import { type Hook, isOpen, isRunEnd, type TakenAttempt, type Task } from './task.ts';

export type HookEvent =
  | { type: 'sendClaim' }
  /** `tries` tells which attempt it was: the fence of the sender. */
  | { type: 'sent'; tries: number; outcome: SentOutcome; taken?: TakenAttempt }
  /** The receiver's origin keeps failing: not now, though no attempt is lost by it. */
  | { type: 'postpone'; until: number }
  /** Somebody wants it sent once more, whatever became of it: at once, and with a whole plan of attempts. */
  | { type: 'redeliver' };

export type SentOutcome = 'delivered' | 'refused' | { retryAt: number };

export const isHookEvent = (event: { type: string }): event is HookEvent => HOOK_EVENTS.has(event.type);

const HOOK_EVENTS: ReadonlySet<string> = new Set<HookEvent['type']>(['sendClaim', 'sent', 'postpone', 'redeliver']);

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
      return isDue(hook, now) ? moved(task, claimed(hook, now)) : NOT_DUE;
    case 'sent':
      return afterSending(task, hook, event, now);
    case 'postpone':
      return isDue(hook, now) ? due(task, { ...kept(hook), isNext: true }, { nextAt: event.until, now }) : NOT_DUE;
    case 'redeliver':
      return redelivered(task, hook, now);
    default:
      return isForgotten(hook, event.type, now) ? again(task, hook, { nextAt: now, now }) : NOT_DUE;
  }
}

const isDue = ({ state, nextAt }: Hook, now: number): boolean => state === 'due' && now >= nextAt;
const isLapsed = ({ state, leaseUntil = 0 }: Hook, now: number): boolean => state === 'sending' && now >= leaseUntil;

/** Whoever was sending is gone, or the hint is. */
const isForgotten = (hook: Hook, by: 'tick' | 'restart', now: number): boolean =>
  isDue(hook, now) || (by === 'restart' ? hook.state === 'sending' : isLapsed(hook, now));

const moved = (task: Task, hook: Hook, effects: Effect[] = []): Decision => ({ next: { ...task, hook }, effects });

type Kept = Pick<Hook, 'tries' | 'planFrom' | 'isNext' | 'taken'>;

/** What stays until it is sent. */
const kept = ({ state: _state, nextAt: _nextAt, leaseUntil: _lease, ...rest }: Hook): Kept => rest;

/** With the place it held behind a failing receiver used up. */
function claimed({ isNext: _place, ...hook }: Hook, now: number): Hook {
  return { ...hook, state: 'sending', tries: hook.tries + 1, leaseUntil: now + SEND_LEASE_MS };
}

/** Whoever ended the task sends its event too. That of a run waits until the run is set apart. */
export function claimedAtOnce(ended: Moved, now: number): Moved {
  const { hook, recurs } = ended.next;
  if (!hook || recurs) return ended;
  const effects = ended.effects.filter((effect) => effect.do !== 'hintSender');
  return { next: { ...ended.next, hook: claimed(hook, now) }, effects };
}

/** A hint goes along if a queue can hold it for so long. */
function due(task: Task, hook: Kept, { nextAt, now }: { nextAt: number; now: number }): Decision {
  const delaySeconds = Math.max(0, Math.ceil((nextAt - now) / 1_000));
  const hint: Effect[] = delaySeconds <= MOST_DELAY_SECONDS ? [{ do: 'hintSender', delaySeconds }] : [];
  return moved(task, { ...hook, state: 'due', nextAt }, hint);
}

function redelivered(task: Task, hook: Hook, now: number): Decision {
  // An attempt is under way already.
  if (hook.state === 'sending' && !isLapsed(hook, now)) return { ignore: 'leased' };
  // Who asks for it does not wait behind a receiver that failed so far.
  return due(task, { ...kept(hook), planFrom: hook.tries, isNext: true }, { nextAt: now, now });
}

type Sent = Extract<HookEvent, { type: 'sent' }>;

function afterSending(task: Task, hook: Hook, { tries, outcome, taken }: Sent, now: number): Decision {
  const { nextAt } = hook;
  if (hook.state !== 'sending' || hook.tries !== tries) return { ignore: 'stale' };
  if (outcome === 'delivered') {
    return moved(task, { ...kept(hook), state: 'delivered', nextAt, ...(taken ? { taken } : {}) });
  }
  if (outcome === 'refused') return moved(task, { ...kept(hook), state: 'exhausted', nextAt });
  return again(task, hook, { nextAt: outcome.retryAt, now });
}

/** Unless that was the last try of its plan, also when its sender is gone. */
function again(task: Task, hook: Hook, when: { nextAt: number; now: number }): Decision {
  if (hook.tries - (hook.planFrom ?? 0) < MOST_TRIES) return due(task, kept(hook), when);
  return moved(task, { ...kept(hook), state: 'exhausted', nextAt: hook.nextAt });
}

/** The latest moment somebody must look again. */
export function hookWakesBy({ state, nextAt, leaseUntil = nextAt }: Hook): number | undefined {
  if (state === 'due') return nextAt + HINT_AFTER_MS;
  return state === 'sending' ? leaseUntil : undefined;
}
