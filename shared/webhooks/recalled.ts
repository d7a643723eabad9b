/** What a sender asks before each delivery, remembered for a moment: an organization's secrets, and that a receiver is well. */
import { briefly } from '../accounts/briefly.ts';
import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secret.ts';
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
  const secretsOf = briefly({ clock, keptMs: RECALLED_MS, most: MOST_KEPT, read });
  const well = forAWhile(clock, RECALLED_MS);
  const slow = forAWhile(clock, SLOW_FOR_MS);
  return {
    secretsOf: async (organization) => (await secretsOf(organization)) ?? [],
    healthOf: (receiver) => (well.holds(nameOf(receiver)) ? WELL : healthOf(table, receiver, { mayLag: true })),
    isSlow: (receiver) => slow.holds(nameOf(receiver)),
    noteAnswer(receiver, { posted, ms }) {
      // Not prolonged by each success: every 2 s the row of the breaker is read, so that a failure of another sender shows.
      if (isUnwell(posted) || !well.holds(nameOf(receiver))) well.note(nameOf(receiver), !isUnwell(posted));
      slow.note(nameOf(receiver), ms > SLOW_MS);
    },
  };
}

/** What holds of a name for so long from when it was noted last. */
function forAWhile(clock: Clock, ms: number) {
  const until = new Map<string, number>();
  return {
    holds: (name: string): boolean => (until.get(name) ?? 0) > clock.now(),
    note(name: string, isSo: boolean): void {
      if (until.size >= MOST_KEPT) until.clear();
      if (isSo) until.set(name, clock.now() + ms);
      else until.delete(name);
    },
  };
}
