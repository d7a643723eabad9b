/** What a sender asks before each delivery, remembered for a moment: an organization's secrets, and that a receiver is well. */

import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secret.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Posted, Row, Table } from '../ports.ts';
import { isUnwell, type ReceiverHealth, readHealth } from './breaker.ts';
import { type Receiver, receiverName } from './receiver.ts';

/** A new secret signs from then on; until it is known here its forerunner does, which holds for a day. */
export const SENDER_CACHE_MS = 2_000;
/** An answer that takes longer is not waited for by who has other work. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 600_000;
const MAX_CACHED_RECEIVERS = 1_000;

type ReceiverAnswer = { posted: Posted; ms: number };

export type SenderCache = {
  secretsOf(organization: string): Promise<readonly WebhookSecret[]>;
  /** Undefined also for one that answered this sender well a moment ago. */
  healthOf(receiver: Receiver): Promise<Row<ReceiverHealth> | undefined>;
  isSlow(receiver: Receiver): boolean;
  recordAnswer(receiver: Receiver, heard: ReceiverAnswer): void;
};

const WELL = Promise.resolve(undefined);

export function senderCache(ports: { table: Table; clock: Clock; vault: Vault }): SenderCache {
  const { table, clock } = ports;
  const read = (organization: string) => currentSecrets(ports, organization);
  const secretsOf = loadingCache({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS, load: read });
  const well = lruCache<string, true>({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS });
  const slow = lruCache<string, true>({ clock, ttlMs: SLOW_FOR_MS, max: MAX_CACHED_RECEIVERS });
  return {
    secretsOf: async (organization) => (await secretsOf.get(organization)) ?? [],
    healthOf: (receiver) =>
      well.get(receiverName(receiver)) ? WELL : readHealth(table, receiver, { consistency: 'eventual' }),
    isSlow: (receiver) => slow.get(receiverName(receiver)) ?? false,
    recordAnswer(receiver, { posted, ms }) {
      // Not prolonged by each success: every 2 s the row of the breaker is read, so that a failure of another sender shows.
      const name = receiverName(receiver);
      if (isUnwell(posted)) well.delete(name);
      else if (!well.get(name)) well.set(name, true);
      if (ms > SLOW_MS) slow.set(name, true);
      else slow.delete(name);
    },
  };
}
