/** Login with a password or an ID token, and the source addresses from which an account logged in before. */

import { Problem } from '../core/problem.ts';
import type { Semaphore, Slot, SlotRequest } from '../core/semaphore.ts';
import type { Passwords } from '../ports.ts';
import { ACCESS_TOKEN, issueToken } from './access-tokens.ts';
import type { KeysAt } from './id-token.ts';
import { countsGuesses, type GuessPorts as Ports, rememberAddress } from './login-guesses.ts';
import { userSigned } from './sso.ts';
import { type Person, userById, userIdOf, userWithPassword } from './users.ts';

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
