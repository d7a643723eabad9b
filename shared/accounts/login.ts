/** Login with a password or an ID token, and the source addresses from which an account logged in before. */
import { deriveKey, hmac } from '../core/crypto.ts';
import { Problem } from '../core/problem.ts';
import type { Semaphore, Slot, SlotRequest } from '../core/semaphore.ts';
import type { Clock, Key, Passwords, Secrets, Table } from '../ports.ts';
import { ACCESS_TOKEN, issueToken } from './access-tokens.ts';
import type { KeysAt } from './id-token.ts';
import { countsGuesses, type GuessPorts as Ports } from './login-guesses.ts';
import { userSigned } from './sso.ts';
import { type Person, userById, userIdOf, userWithPassword } from './users.ts';

/** Remembers for 30 days that an account signed in from a source address. The address is stored only as a keyed hash. */
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

/** A person logs in, by password or by single sign-on, and is given an access token. */
const MAX_WAIT_MS = 60_000;
const RETRY_SECONDS = 5;
/** All names that no user has wait as one organization. */
const UNKNOWN = 'unknown';

type PasswordPorts = { passwords: Passwords; passwordSlots: Semaphore };
/** `from`: the caller's address. `signal` ends the waiting for a turn. */
type ByPassword = { name: string; password: string; from: string; signal?: AbortSignal | undefined };
type BySso = { ssoToken: string; from: string };

type Login = { accessToken: string; seconds: number };

export async function logIn(
  ports: Ports & PasswordPorts,
  { name, password, from, signal }: ByPassword,
): Promise<Login> {
  const account = userIdOf(name);
  const organization = (await userById(ports.table, account))?.organization ?? UNKNOWN;
  const slot = await slotFor(ports, { organization, signal });
  const check = () => userWithPassword(ports, { name, password });
  // Counted in its turn, so that those who wait in line take up no guesses.
  const person = await countsGuesses(ports, { from, account }, check).finally(() => slot.release());
  if (person) await rememberAddress(ports, { account, from, organization: person.organization });
  return loginOf(ports, person, 'Wrong user name or password.');
}

/** Waits in line, fairly by organization, but not for ever. */
async function slotFor({ passwordSlots }: PasswordPorts, { organization, signal }: SlotRequest): Promise<Slot> {
  const late = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    return await passwordSlots.acquire({ organization, signal: signal ? AbortSignal.any([signal, late]) : late });
  } catch (error) {
    if (signal?.aborted) throw new Problem('busy', 'The caller has gone.');
    if (!late.aborted) throw error;
    throw new Problem('rateLimited', 'Too many passwords are being checked at once; try again shortly.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}

export async function logInBySso(ports: Ports & { keysAt: KeysAt }, { ssoToken, from }: BySso): Promise<Login> {
  const person = await countsGuesses(ports, { from }, () => userSigned(ports, ssoToken));
  return loginOf(ports, person, 'Invalid or expired sso_token.');
}

async function loginOf(ports: Ports, person: Person | undefined, refusal: string): Promise<Login> {
  if (!person) throw new Problem('unauthorized', refusal);
  return { accessToken: await issueToken(ports, ACCESS_TOKEN, person), seconds: ACCESS_TOKEN.seconds };
}
