/** A person logs in and is given an access token. */
import { userWithPassword } from '../accounts/user-with-password.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Passwords, Secrets, Table } from '../ports.ts';
import { ACCESS_TOKEN, makeToken } from './token.ts';

type Ports = { table: Table; clock: Clock; ids: Ids; secrets: Secrets; passwords: Passwords };
type Claimed = { name: string; password: string };

export type Login = { accessToken: string; seconds: number };

export async function logIn(ports: Ports, claimed: Claimed): Promise<Login> {
  const person = await userWithPassword(ports, claimed);
  if (!person) throw new Problem('unauthorized', 'Wrong user name or password.');
  return { accessToken: await makeToken(ports, ACCESS_TOKEN, person), seconds: ACCESS_TOKEN.seconds };
}
