/** The user a name and a password belong to. An unknown name costs the same work as a wrong password. */
import type { Passwords, Table } from '../ports.ts';
import { type Person, personOf, userByName } from './user.ts';

type PasswordLogin = { name: string; password: string };

/** Undefined = unknown, wrong or disabled; which of them is not told. */
export async function userWithPassword(
  { table, passwords }: { table: Table; passwords: Passwords },
  { name, password }: PasswordLogin,
): Promise<Person | undefined> {
  const user = await userByName(table, name);
  const holds = await passwords.verify(password, user?.passwordHash);
  return holds && user && !user.disabled ? personOf(user) : undefined;
}
