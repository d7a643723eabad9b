/** A person logs in, by password or by single sign-on, and is given an access token. */
import type { Person } from '../accounts/user.ts';
import { userIdOf } from '../accounts/user-name.ts';
import { userWithPassword } from '../accounts/user-with-password.ts';
import { Problem } from '../core/problem.ts';
import type { Passwords } from '../ports.ts';
import type { KeysAt } from '../sso/issuer-keys.ts';
import { personSigned } from '../sso/person-signed.ts';
import { guessing, type GuessPorts as Ports } from './guesses.ts';
import { rememberAddress } from './known-address.ts';
import { ACCESS_TOKEN, makeToken } from './token.ts';

/** `from`: the address of whoever claims it. */
type ByPassword = { name: string; password: string; from: string };
type BySso = { ssoToken: string; from: string };

export type Login = { accessToken: string; seconds: number };

export async function logIn(
  ports: Ports & { passwords: Passwords },
  { name, password, from }: ByPassword,
): Promise<Login> {
  const account = userIdOf(name);
  const person = await guessing(ports, { from, account }, () => userWithPassword(ports, { name, password }));
  if (person) await rememberAddress(ports, { account, from, organization: person.organization });
  return loggedIn(ports, person, 'Wrong user name or password.');
}

export async function logInBySso(ports: Ports & { keysAt: KeysAt }, { ssoToken, from }: BySso): Promise<Login> {
  const person = await guessing(ports, { from }, () => personSigned(ports, ssoToken));
  return loggedIn(ports, person, 'Invalid or expired sso_token.');
}

async function loggedIn(ports: Ports, person: Person | undefined, refusal: string): Promise<Login> {
  if (!person) throw new Problem('unauthorized', refusal);
  return { accessToken: await makeToken(ports, ACCESS_TOKEN, person), seconds: ACCESS_TOKEN.seconds };
}
