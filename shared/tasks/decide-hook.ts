/** The delivery of a task's event: due, sending, delivered or given up. It never touches the task's own state. */
import type { Decision, Effect, Ignored } from './decide.ts';
import { type Hook, isOpen, type Task } from './task.ts';

export type HookEvent =
  | { type: 'sendClaim' }
  /** `tries` tells which attempt it was: the fence of the sender. */
  | { type: 'sent'; tries: number; outcome: 'delivered' | 'refused' | { retryAt: number } };

type Sent = Extract<HookEvent, { type: 'sent' }>;

const MOST_TRIES = 10;
const SEND_LEASE_MS = 30_000;
/** A hint that got lost is sent again after so long. */
const HINT_AFTER_MS = 60_000;
/** The longest a queue holds a message back; what is later is hinted by the reconciler. */
const MOST_DELAY_SECONDS = 900;

const NOT_DUE: Ignored = { ignore: 'notDue' };

export function decideHook(task: Task, event: HookEvent | { type: 'tick' | 'restart' }, now: number): Decision {
  const { hook } = task;
  if (isOpen(task) || !hook) return NOT_DUE;
  switch (event.type) {
    case 'sendClaim':
      if (!isDue(hook, now)) return NOT_DUE;
      return moved(task, {
        state: 'sending',
        tries: hook.tries + 1,
        nextAt: hook.nextAt,
        leaseUntil: now + SEND_LEASE_MS,
      });
    case 'sent':
      if (hook.state !== 'sending' || hook.tries !== event.tries) return { ignore: 'stale' };
      return afterSending(task, hook, event, now);
    case 'restart':
      return hook.state === 'sending' || isDue(hook, now) ? hinted(task, hook, now) : NOT_DUE;
    case 'tick':
      return isLapsed(hook, now) || isDue(hook, now) ? hinted(task, hook, now) : NOT_DUE;
  }
}

const isDue = ({ state, nextAt }: Hook, now: number): boolean => state === 'due' && now >= nextAt;
const isLapsed = ({ state, leaseUntil = 0 }: Hook, now: number): boolean => state === 'sending' && now >= leaseUntil;

const moved = (task: Task, hook: Hook, effects: Effect[] = []): Decision => ({ next: { ...task, hook }, effects });

/** Whoever was sending is gone, or the hint is: what is due is said again, unless that was the last try. */
function hinted(task: Task, { tries, nextAt }: Hook, now: number): Decision {
  if (tries >= MOST_TRIES) return moved(task, { state: 'exhausted', tries, nextAt });
  return moved(task, { state: 'due', tries, nextAt: now }, [{ do: 'hintSender', delaySeconds: 0 }]);
}

function afterSending(task: Task, { tries, nextAt }: Hook, { outcome }: Sent, now: number): Decision {
  if (outcome === 'delivered') return moved(task, { state: 'delivered', tries, nextAt });
  if (outcome === 'refused' || tries >= MOST_TRIES) return moved(task, { state: 'exhausted', tries, nextAt });
  const delaySeconds = Math.max(0, Math.ceil((outcome.retryAt - now) / 1_000));
  const hint: Effect[] = delaySeconds <= MOST_DELAY_SECONDS ? [{ do: 'hintSender', delaySeconds }] : [];
  return moved(task, { state: 'due', tries, nextAt: outcome.retryAt }, hint);
}

/** The latest moment somebody must look again. */
export function hookWakesBy({ state, nextAt, leaseUntil = nextAt }: Hook): number | undefined {
  if (state === 'due') return nextAt + HINT_AFTER_MS;
  return state === 'sending' ? leaseUntil : undefined;
}
