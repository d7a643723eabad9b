/** The secrets that sign an organization's webhooks. After a rotation the previous one stays valid for 24 hours. */

import { secretBytes } from '../core/ids.ts';
import { isProblem, Problem } from '../core/problem.ts';
import { changeRow, getEventually } from '../core/table-access.ts';
import { DAY_MS } from '../core/time.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Ids, Key, Table } from '../ports.ts';

type StoredSecret = { sealed: string; since: number; until?: number };
/** Newest first. */
type StoredSecrets = { kept: StoredSecret[] };
export type WebhookSecret = { secret: string; since: number; until?: number };

const SECRET_BYTES = 32;
const OVERLAP_MS = DAY_MS;
const MAX_SECRETS = 5;

const keyOf = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'WEBHOOK_SECRET' });

type Ports = { table: Table; clock: Clock; ids: Ids; vault: Vault };

export const makeWebhookSecret = (ids: Ids): string => `whsec_${secretBytes(ids, SECRET_BYTES).toString('base64')}`;

/** Does nothing if the organization has a secret. */
export async function keepFirstSecret(
  { table, clock, vault }: Omit<Ports, 'ids'>,
  organization: string,
  secret: string,
) {
  const first: StoredSecret = { sealed: await vault.seal(secret, organization), since: clock.now() };
  await table.insert<StoredSecrets>({ ...keyOf(organization), value: { kept: [first] } });
}

/** Creates the first secret, too. `previousUntil`: how long the previous one stays valid. With `max` valid ones it throws. */
export async function rotateWebhookSecret(
  { table, clock, ids, vault }: Ports,
  organization: string,
  max = MAX_SECRETS,
): Promise<{ secret: string; previousUntil?: number }> {
  const secret = makeWebhookSecret(ids);
  const since = clock.now();
  const newest: StoredSecret = { sealed: await vault.seal(secret, organization), since };
  if (await table.insert<StoredSecrets>({ ...keyOf(organization), value: { kept: [newest] } })) return { secret };

  const until = since + OVERLAP_MS;
  await changeSecrets({ table, clock, vault }, organization, (kept) => {
    // Each secret was promised 24 hours, so none may be dropped early.
    if (kept.length >= max) throw tooMany(kept);
    return [newest, ...kept.map((old) => (old.until === undefined ? { ...old, until } : old))];
  });
  return { secret, previousUntil: until };
}

/** Reseals the secrets that can be opened under the current master secret, so that they survive its next replacement. */
export const resealWebhookSecrets = (ports: Omit<Ports, 'ids'>, organization: string): Promise<void> =>
  changeSecrets(ports, organization, (kept) => kept);

/** For `catch`: `undefined` for secrets sealed under a master secret that is gone. */
export function orUnreadable(error: unknown): undefined {
  if (!isProblem(error, 'unreadable')) throw error;
}

/** Every valid secret, newest first. An older one that can no longer be opened does not prevent signing with the newest. */
export async function currentSecrets(
  { table, clock, vault }: { table: Table; clock: Clock; vault: Vault },
  organization: string,
): Promise<WebhookSecret[]> {
  // An eventual read is enough: a secret that was just rotated stays valid for another day.
  const row = await getEventually<StoredSecrets>(table, keyOf(organization));
  const [newest, ...older] = row ? currentlyValid(row.value, clock.now()) : [];
  if (!newest) return [];
  const opened = async ({ sealed, ...times }: StoredSecret) => ({
    secret: await vault.open(sealed, organization),
    ...times,
  });
  const [first, ...others] = await Promise.all([
    opened(newest),
    ...older.map((one) => opened(one).catch(orUnreadable)),
  ]);
  return [first, ...others.filter((one) => one !== undefined)];
}

const currentlyValid = ({ kept }: StoredSecrets, now: number): StoredSecret[] =>
  kept.filter(({ until }) => until === undefined || until > now);

/** Every write reseals. A secret that cannot be opened stays as it is, because its master secret may come back. */
async function changeSecrets(
  { table, clock, vault }: Omit<Ports, 'ids'>,
  organization: string,
  change: (kept: StoredSecret[]) => StoredSecret[],
): Promise<void> {
  await changeRow<StoredSecrets>(table, keyOf(organization), {
    draft: (value) => ({ ...keyOf(organization), value }),
    async change(secrets) {
      const kept = currentlyValid(secrets, clock.now());
      const resealed = await Promise.all(kept.map((one) => reseal(vault, organization, one)));
      return { kept: change(resealed) };
    },
  });
}

async function reseal(vault: Vault, organization: string, kept: StoredSecret): Promise<StoredSecret> {
  const secret = await vault.open(kept.sealed, organization).catch(orUnreadable);
  return secret === undefined ? kept : { ...kept, sealed: await vault.seal(secret, organization) };
}

const tooMany = (kept: StoredSecret[]) => {
  const free = new Date(kept.at(-1)?.until ?? 0).toISOString();
  return new Problem(
    'invalid',
    `${kept.length} webhook secrets are valid already: the next rotation is possible at ${free}.`,
  );
};
