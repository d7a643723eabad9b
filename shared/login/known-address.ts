/** Remembers for 30 days that an account signed in from a source address. The address is stored only as a keyed hash. */
import { hmac } from '../core/hmac.ts';
import { deriveKey } from '../core/keys.ts';
import type { Clock, Key, Secrets, Table } from '../ports.ts';

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;

type KnownAddressPorts = { table: Table; clock: Clock; secrets: Secrets };
/** `account` is a user's id, whether there is such a user or not. */
export type AccountAtAddress = { account: string; from: string };

/** After a rotation of the master secret an address is known again with its next sign-in. */
async function knownAddressKey({ secrets }: KnownAddressPorts, { account, from }: AccountAtAddress): Promise<Key> {
  const [master] = await secrets.master();
  const address = hmac(deriveKey('known-address', master), `${account} ${from}`, 'base64url');
  return { pk: `SIGNED-IN#${account}`, sk: `ADDRESS#${address}` };
}

export async function isKnownAddress(ports: KnownAddressPorts, pair: AccountAtAddress): Promise<boolean> {
  return (await ports.table.get(await knownAddressKey(ports, pair))) !== undefined;
}

/** Writes at most once a day for each account and address. */
export async function rememberAddress(
  ports: KnownAddressPorts,
  { organization, ...pair }: AccountAtAddress & { organization: string },
): Promise<void> {
  const { table, clock } = ports;
  const key = await knownAddressKey(ports, pair);
  const row = await table.get(key, { consistency: 'eventual' });
  const expiresAt = clock.now() + KEPT_MS;
  if (row?.expiresAt !== undefined && row.expiresAt > expiresAt - DAY_MS) return;
  // Erasing the organization finds the row by its value. A lost race has written the same.
  const value = { organization };
  await (row ? table.replace(row, { value, expiresAt }) : table.insert({ ...key, value, expiresAt }));
}
