/** Login with a password or an ID token. */

import { Problem } from '../core/problem.ts';
import type { Semaphore, Slot, SlotRequest } from '../core/semaphore.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { Passwords } from '../ports.ts';
import { ACCESS_TOKEN, issueToken } from './access-tokens.ts';
import type { KeysAt } from './issuer-keys.ts';
import { rememberAddress } from './known-addresses.ts';
import { checkGuess, type GuessPorts } from './password-guesses.ts';
import { userOfIdToken } from './sso.ts';
import { userIdOf } from './user-name.ts';
import { type PublicUser, userById, userWithPassword } from './users.ts';

const MAX_WAIT_MS = MINUTE_MS;
const RETRY_SECONDS = 5;
/** Attempts with unknown user names share this one organization in the queue. */
const UNKNOWN = 'unknown';

type PasswordPorts = { passwords: Passwords; passwordSlots: Semaphore };
/** `from`: the caller's address. `signal` ends the wait for a slot. */
type ByPassword = { name: string; password: string; from: string; signal?: AbortSignal | undefined };
type BySso = { ssoToken: string; from: string };

type Login = { accessToken: string; seconds: number };

export async function logIn(
  ports: GuessPorts & PasswordPorts,
  { name, password, from, signal }: ByPassword,
): Promise<Login> {
  const account = userIdOf(name);
  const organization = (await userById(ports.table, account))?.organization ?? UNKNOWN;
  const slot = await slotFor(ports, { organization, signal });
  const check = async () => (await userWithPassword(ports, { name, password })) ?? 'wrong';
  // Counted after the slot was acquired, so that waiting callers use up no guesses.
  const person = await checkGuess(ports, { from, account }, check).finally(() => slot.release());
  if (person !== 'wrong') await rememberAddress(ports, { account, from, organization: person.organization });
  return loginOf(ports, person, 'Wrong user name or password.');
}

export async function logInBySso(ports: GuessPorts & { keysAt: KeysAt }, { ssoToken, from }: BySso): Promise<Login> {
  const person = await checkGuess(ports, { from }, async () => (await userOfIdToken(ports, ssoToken)) ?? 'wrong');
  return loginOf(ports, person, 'Invalid or expired sso_token.');
}

/** Waits for a slot, fairly between organizations, for a limited time. */
async function slotFor({ passwordSlots }: PasswordPorts, { organization, signal }: SlotRequest): Promise<Slot> {
  const late = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    return await passwordSlots.acquire({ organization, signal: signal ? AbortSignal.any([signal, late]) : late });
  } catch (error) {
    if (signal?.aborted) throw new Problem('busy', 'The caller disconnected.');
    if (!late.aborted) throw error;
    throw new Problem('rateLimited', 'Too many passwords are being checked at once; try again shortly.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}

async function loginOf(ports: GuessPorts, person: PublicUser | 'wrong', refusal: string): Promise<Login> {
  if (person === 'wrong') throw new Problem('unauthorized', refusal);
  return { accessToken: await issueToken(ports, ACCESS_TOKEN, person), seconds: ACCESS_TOKEN.seconds };
}
