/** A person logs in and is given an access token. */
import type { Person } from '../accounts/user.ts';
import { userIdOf } from '../accounts/user-name.ts';
import { userWithPassword } from '../accounts/user-with-password.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Passwords, Secrets, Table } from '../ports.ts';
import { guessing } from './guesses.ts';
import { ACCESS_TOKEN, makeToken } from './token.ts';

type Ports = { table: Table; clock: Clock; ids: Ids; secrets: Secrets; passwords: Passwords };
/** `from`: the address of whoever claims it. */
type Claimed = { name: string; password: string; from: string };

export type Login = { accessToken: string; seconds: number };

export async function logIn(ports: Ports, { name, password, from }: Claimed): Promise<Login> {
  const who = { from, account: userIdOf(name) };
  const person = await guessing(ports, who, () => userWithPassword(ports, { name, password }));
  if (!person) throw new Problem('unauthorized', 'Wrong user name or password.');
  return loggedIn(ports, person);
}

async function loggedIn(ports: Ports, person: Person): Promise<Login> {
  return { accessToken: await makeToken(ports, ACCESS_TOKEN, person), seconds: ACCESS_TOKEN.seconds };
}
