/**
 * Remembers for 30 days that an account signed in from a source address. The address is stored only as a keyed hash.
 */

import { deriveKey, hmac } from '../core/derived-keys.ts';
import { DAY_MS } from '../core/time.ts';
import type { Clock, Key, Secrets, Table } from '../ports.ts';

const REMEMBERED_MS = 30 * DAY_MS;

type KnownAddressPorts = { table: Table; clock: Clock; secrets: Secrets };

/** `account`: the id that belongs to the user name, even if no such user exists. */
export type AccountAtAddress = { account: string; from: string };

/** After a rotation of the master secret, an address is known again at its next login. */
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
  const expiresAt = clock.now() + REMEMBERED_MS;
  if (row?.expiresAt !== undefined && row.expiresAt > expiresAt - DAY_MS) return;
  // The value lets the erasure of the organization find the row. After a lost race the row holds the same value.
  const value = { organization };
  await (row ? table.replace(row, { value, expiresAt }) : table.insert({ ...key, value, expiresAt }));
}
