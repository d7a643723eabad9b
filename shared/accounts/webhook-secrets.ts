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
export async function storeFirstSecret(
  { table, clock, vault }: Omit<Ports, 'ids'>,
  organization: string,
  secret: string,
) {
  const firstSecret: StoredSecret = { sealed: await vault.seal(secret, organization), since: clock.now() };
  await table.insert<StoredSecrets>({ ...keyOf(organization), value: { kept: [firstSecret] } });
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
  await changeSecrets({ table, clock, vault }, organization, (validSecrets) => {
    // Each secret was promised 24 hours, so none may be dropped early.
    if (validSecrets.length >= max) throw tooMany(validSecrets);
    return [newest, ...validSecrets.map((old) => (old.until === undefined ? { ...old, until } : old))];
  });
  return { secret, previousUntil: until };
}

/** Reseals the secrets that can be opened under the current master secret, so that they survive its next replacement. */
export const resealWebhookSecrets = (ports: Omit<Ports, 'ids'>, organization: string): Promise<void> =>
  changeSecrets(ports, organization, (validSecrets) => validSecrets);

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
  const [newestSecret, ...olderSecrets] = await Promise.all([
    opened(newest),
    ...older.map((stored) => opened(stored).catch(orUnreadable)),
  ]);
  return [newestSecret, ...olderSecrets.filter((secret) => secret !== undefined)];
}

const currentlyValid = ({ kept: secrets }: StoredSecrets, now: number): StoredSecret[] =>
  secrets.filter(({ until }) => until === undefined || until > now);

/** Every write reseals. A secret that cannot be opened stays as it is, because its master secret may come back. */
async function changeSecrets(
  { table, clock, vault }: Omit<Ports, 'ids'>,
  organization: string,
  change: (validSecrets: StoredSecret[]) => StoredSecret[],
): Promise<void> {
  await changeRow<StoredSecrets>(table, keyOf(organization), {
    draft: (value) => ({ ...keyOf(organization), value }),
    async change(secrets) {
      const validSecrets = currentlyValid(secrets, clock.now());
      const resealed = await Promise.all(validSecrets.map((secret) => reseal(vault, organization, secret)));
      return { kept: change(resealed) };
    },
  });
}

async function reseal(vault: Vault, organization: string, stored: StoredSecret): Promise<StoredSecret> {
  const secret = await vault.open(stored.sealed, organization).catch(orUnreadable);
  return secret === undefined ? stored : { ...stored, sealed: await vault.seal(secret, organization) };
}

const tooMany = (validSecrets: StoredSecret[]) => {
  const free = new Date(validSecrets.at(-1)?.until ?? 0).toISOString();
  return new Problem(
    'invalid',
    `${validSecrets.length} webhook secrets are valid already: the next rotation is possible at ${free}.`,
  );
};
