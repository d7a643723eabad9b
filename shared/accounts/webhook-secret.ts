/** The secret an organization's webhooks are signed with. After a rotation the one before holds for another 24 hours. */
import { Problem } from '../core/problem.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Draft, Ids, Key, Table } from '../ports.ts';
import { secretBytes } from './base62.ts';
import { changeRow } from './change-row.ts';

type Kept = { sealed: string; since: number; until?: number };
/** Newest first. */
type Secrets = { kept: Kept[] };
export type WebhookSecret = { secret: string; since: number; until?: number };

const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3_600_000;
const MOST_KEPT = 5;

const keyOf = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'WEBHOOK_SECRET' });

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };

export const makeWebhookSecret = (ids: Ids): string => `whsec_${secretBytes(ids, SECRET_BYTES).toString('base64')}`;

/** Changes nothing when the organization has one. */
export async function keepFirstSecret(
  { table, clock, vault }: Omit<Ports, 'ids'>,
  organization: string,
  secret: string,
) {
  const first: Kept = { sealed: await vault.seal(secret, organization), since: clock.now() };
  await table.insert<Secrets>({ ...keyOf(organization), value: { kept: [first] } });
}

const holding = ({ kept }: Secrets, now: number): Kept[] =>
  kept.filter(({ until }) => until === undefined || until > now);

/** Makes the first one, too. `previousUntil` says how long the one before still holds. */
export async function rotateWebhookSecret(
  { table, clock, ids, vault }: Ports,
  organization: string,
): Promise<{ secret: string; previousUntil?: number }> {
  const secret = makeWebhookSecret(ids);
  const since = clock.now();
  const newest: Kept = { sealed: await vault.seal(secret, organization), since };
  const draft = (value: Secrets): Draft<Secrets> => ({ ...keyOf(organization), value });
  if (await table.insert(draft({ kept: [newest] }))) return { secret };

  const until = since + OVERLAP_MS;
  await changeRow<Secrets>(table, keyOf(organization), {
    draft,
    change(secrets) {
      const kept = holding(secrets, since);
      // Every one of them was promised its 24 hours, so none may be dropped early.
      if (kept.length >= MOST_KEPT) throw tooMany(kept);
      return { kept: [newest, ...kept.map((old) => (old.until === undefined ? { ...old, until } : old))] };
    },
  });
  return { secret, previousUntil: until };
}

const tooMany = (kept: Kept[]) => {
  const free = new Date(kept.at(-1)?.until ?? 0).toISOString();
  return new Problem('invalid', `${MOST_KEPT} webhook secrets hold already: the next rotation is possible at ${free}.`);
};

/** Every secret that holds now, newest first. */
export async function currentSecrets(
  { table, clock, vault }: { table: Table; clock: Clock; vault: Vault },
  organization: string,
): Promise<WebhookSecret[]> {
  const row = await table.get<Secrets>(keyOf(organization));
  const kept = row ? holding(row.value, clock.now()) : [];
  return Promise.all(
    kept.map(async ({ sealed, ...times }) => ({ secret: await vault.open(sealed, organization), ...times })),
  );
}
