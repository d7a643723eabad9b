/** Limits the messages that a connection sends. */

import { lruCache } from '../core/cache.ts';
import { SECOND_MS } from '../core/time.ts';
import type { Clock } from '../ports.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

type Budget = { perSecond: number; burst: number };
type Bucket = { budget: Budget; tokens: number; filledAt: number; isSpent: boolean };
/** An evicted connection starts with the full bucket of an unauthenticated one. */
const MAX_CONNECTIONS = 10_000;

/**
 * The limit on messages of a connection: a token bucket for each connection in the memory of this process. The state is not shared: behind the gateway each container that serves the connection applies the limit by itself. A
 * shared counter would cost a write per message, which is more than the message itself.
 */
export function messageBudgets({ now }: Pick<Clock, 'now'>, isAuthenticated: (id: string) => Promise<boolean>) {
  const { unauthenticatedMessages, messages } = SOCKET_LIMITS;
  const buckets = lruCache<string, Bucket>({ max: MAX_CONNECTIONS });

  function bucketOf(id: string): Bucket {
    const existing = buckets.get(id);
    if (existing) return existing;
    const bucket = {
      budget: unauthenticatedMessages,
      tokens: unauthenticatedMessages.burst,
      filledAt: now(),
      isSpent: false,
    };
    buckets.set(id, bucket);
    return bucket;
  }

  return {
    /** `justSpent` once per connection, for the first message over the budget; `spent` for all that follow. */
    async take(id: string): Promise<'ok' | 'justSpent' | 'spent'> {
      const bucket = bucketOf(id);
      if (bucket.isSpent) return 'spent';
      if (takeToken(bucket, now())) return 'ok';
      // Only now a read is worth it, to learn whether the larger budget applies.
      if (bucket.budget === unauthenticatedMessages && (await isAuthenticated(id))) {
        Object.assign(bucket, { budget: messages, tokens: messages.burst - unauthenticatedMessages.burst - 1 });
        return 'ok';
      }
      if (bucket.isSpent) return 'spent';
      bucket.isSpent = true;
      return 'justSpent';
    },
    forget(id: string): void {
      buckets.delete(id);
    },
  };
}

function takeToken(bucket: Bucket, now: number): boolean {
  const { budget } = bucket;
  const elapsedMs = Math.max(0, now - bucket.filledAt);
  bucket.filledAt = now;
  bucket.tokens = Math.min(budget.burst, bucket.tokens + (elapsedMs * budget.perSecond) / SECOND_MS);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
