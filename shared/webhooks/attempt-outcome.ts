/** What follows from an attempt: the event is delivered, refused, or sent again after a wait of the plan. */

import { MINUTE_MS, SECOND_MS } from '../core/time.ts';
import type { PostResult } from '../ports.ts';
import type { SentOutcome } from '../tasks/decide-delivery.ts';
import { TASK_LIMITS } from '../tasks/task.ts';
import { JITTER, MAX_HONOURED, WAITS_MS } from '../tasks/webhook-plan.ts';

/** Waits that exceed a queue's delay depend on the reconciler, which may be this late. */
const MAX_LATE_MS = 2 * MINUTE_MS;

const GONE = 410;

/** `failed` counts the attempts of this plan, including the one just made. */
type MadeAttempt = { failed: number; now: number; random: () => number };

export function sentOutcome(posted: PostResult, { failed, now, random }: MadeAttempt): SentOutcome {
  const status = 'status' in posted ? posted.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) return 'delivered';
  const wait = WAITS_MS[failed - 1];
  if (wait === undefined || status === GONE || ('fault' in posted && posted.fault === 'blocked_target'))
    return 'refused';
  const planned = jittered(wait, random);
  const requestedMs = 'status' in posted ? Math.min(retryAfterMs(posted.retryAfter, now), MAX_HONOURED * planned) : 0;
  const retryAt = now + Math.round(Math.max(planned, requestedMs));
  return requestedMs > 0 ? { retryAt, notBefore: now + Math.round(requestedMs) } : { retryAt };
}

/** Within 20 % of the wait, including the lateness of the reconciler. */
function jittered(wait: number, random: () => number): number {
  const late = wait > TASK_LIMITS.maxHintSeconds * SECOND_MS ? MAX_LATE_MS : 0;
  return wait * (1 - JITTER) + random() * (2 * JITTER * wait - late);
}

/** Seconds or a date (RFC 9110); 0 for any other value. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : at - now;
}
