/** What a sender asks before each delivery, remembered for a moment: an organization's secrets, and that a receiver is well. */
import { briefly } from '../accounts/briefly.ts';
import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secret.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Posted, Row, Table } from '../ports.ts';
import { type Health, healthOf, isUnwell, type Receiver } from './breaker.ts';

/** A new secret signs from then on; until it is known here its forerunner does, which holds for a day. */
export const RECALLED_MS = 2_000;
const MOST_KEPT = 1_000;

export type Recalled = {
  secretsOf(organization: string): Promise<readonly WebhookSecret[]>;
  /** Undefined also for one that answered this sender well a moment ago. */
  healthOf(receiver: Receiver): Promise<Row<Health> | undefined>;
  noteAnswer(receiver: Receiver, posted: Posted): void;
};

const WELL = Promise.resolve(undefined);
const nameOf = ({ organization, origin }: Receiver): string => `${organization} ${origin}`;

export function recalled(ports: { table: Table; clock: Clock; vault: Vault }): Recalled {
  const { table, clock } = ports;
  const read = (organization: string) => currentSecrets(ports, organization);
  const secretsOf = briefly({ clock, keptMs: RECALLED_MS, most: MOST_KEPT, read });
  const wellUntil = new Map<string, number>();
  return {
    secretsOf: async (organization) => (await secretsOf(organization)) ?? [],
    healthOf: (receiver) => ((wellUntil.get(nameOf(receiver)) ?? 0) > clock.now() ? WELL : healthOf(table, receiver)),
    noteAnswer(receiver, posted) {
      if (wellUntil.size >= MOST_KEPT) wellUntil.clear();
      if (isUnwell(posted)) wellUntil.delete(nameOf(receiver));
      else wellUntil.set(nameOf(receiver), clock.now() + RECALLED_MS);
    },
  };
}
