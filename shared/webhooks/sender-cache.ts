/** The sender's caches of two seconds: signing secrets, and healthy receivers. */

import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secrets.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, PostResult, Row, Table } from '../ports.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type Receiver, receiverName } from './receiver.ts';
import type { ReceiverHealth } from './receiver-health.ts';

/** After a rotation, the cached previous secret may sign until then; it stays valid for a day. */
export const SENDER_CACHE_MS = 2_000;
/** A worker does not send webhooks itself to a receiver that takes longer than this. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 600_000;
const MAX_CACHED_RECEIVERS = 1_000;

type ReceiverAnswer = { posted: PostResult; ms: number };

export type SenderCache = {
  secretsOf(organization: string): Promise<readonly WebhookSecret[]>;
  /** `undefined` also for a receiver that recently responded well to this sender. */
  healthOf(receiver: Receiver): Promise<Row<ReceiverHealth> | undefined>;
  isSlow(receiver: Receiver): boolean;
  recordAnswer(receiver: Receiver, answer: ReceiverAnswer): void;
};

const HEALTHY = Promise.resolve(undefined);

export function senderCache(ports: { table: Table; clock: Clock; vault: Vault }): SenderCache {
  const { table, clock } = ports;
  const read = (organization: string) => currentSecrets(ports, organization);
  const secretsOf = loadingCache({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS, load: read });
  const well = lruCache<string, true>({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS });
  const slow = lruCache<string, true>({ clock, ttlMs: SLOW_FOR_MS, max: MAX_CACHED_RECEIVERS });
  return {
    secretsOf: async (organization) => (await secretsOf.get(organization)) ?? [],
    healthOf: (receiver) =>
      well.get(receiverName(receiver))
        ? HEALTHY
        : circuitBreaker.readHealth(table, receiver, { consistency: 'eventual' }),
    isSlow: (receiver) => slow.get(receiverName(receiver)) ?? false,
    recordAnswer(receiver, { posted, ms }) {
      // A success does not extend the entry: the breaker's row is read every 2 s, to notice failures of other senders.
      const name = receiverName(receiver);
      if (circuitBreaker.isUnwell(posted)) well.delete(name);
      else if (!well.get(name)) well.set(name, true);
      if (ms > SLOW_MS) slow.set(name, true);
      else slow.delete(name);
    },
  };
}
