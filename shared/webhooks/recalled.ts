/** What a sender asks before each delivery, remembered for a moment: an organization's secrets, and that a receiver is well. */

import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secret.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Posted, Row, Table } from '../ports.ts';
import { type Health, healthOf, isUnwell } from './breaker.ts';
import { nameOf, type Receiver } from './receiver.ts';

/** A new secret signs from then on; until it is known here its forerunner does, which holds for a day. */
export const RECALLED_MS = 2_000;
/** An answer that takes longer is not waited for by who has other work. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 600_000;
const MOST_KEPT = 1_000;

type Heard = { posted: Posted; ms: number };

export type Recalled = {
  secretsOf(organization: string): Promise<readonly WebhookSecret[]>;
  /** Undefined also for one that answered this sender well a moment ago. */
  healthOf(receiver: Receiver): Promise<Row<Health> | undefined>;
  isSlow(receiver: Receiver): boolean;
  noteAnswer(receiver: Receiver, heard: Heard): void;
};

const WELL = Promise.resolve(undefined);

export function recalled(ports: { table: Table; clock: Clock; vault: Vault }): Recalled {
  const { table, clock } = ports;
  const read = (organization: string) => currentSecrets(ports, organization);
  const secretsOf = loadingCache({ clock, ttlMs: RECALLED_MS, max: MOST_KEPT, load: read });
  const well = lruCache<string, true>({ clock, ttlMs: RECALLED_MS, max: MOST_KEPT });
  const slow = lruCache<string, true>({ clock, ttlMs: SLOW_FOR_MS, max: MOST_KEPT });
  return {
    secretsOf: async (organization) => (await secretsOf.get(organization)) ?? [],
    healthOf: (receiver) =>
      well.get(nameOf(receiver)) ? WELL : healthOf(table, receiver, { consistency: 'eventual' }),
    isSlow: (receiver) => slow.get(nameOf(receiver)) ?? false,
    noteAnswer(receiver, { posted, ms }) {
      // Not prolonged by each success: every 2 s the row of the breaker is read, so that a failure of another sender shows.
      const name = nameOf(receiver);
      if (isUnwell(posted)) well.delete(name);
      else if (!well.get(name)) well.set(name, true);
      if (ms > SLOW_MS) slow.set(name, true);
      else slow.delete(name);
    },
  };
}
