/** What the operator may change of a user. */
import { Problem } from '../core/problem.ts';
import type { Clock, Passwords, Table } from '../ports.ts';
import type { Role } from './caller.ts';
import { changeRow } from './change-row.ts';
import { checkPassword } from './password-rule.ts';
import { type User, userDraft, userKey } from './user.ts';

async function changeUser(table: Table, id: string, what: Partial<User>): Promise<void> {
  const changed = await changeRow<User>(table, userKey(id), {
    draft: userDraft,
    change: (user) => ({ ...user, ...what }),
  });
  if (!changed) throw new Problem('notFound', 'There is no such user.');
}

export const setRole = (table: Table, id: string, role: Role): Promise<void> => changeUser(table, id, { role });

export const setDisabled = (table: Table, id: string, disabled: boolean): Promise<void> =>
  changeUser(table, id, { disabled });

/** It also ends the tokens that were given for the one before. */
export async function setPassword(
  { table, clock, passwords }: { table: Table; clock: Clock; passwords: Passwords },
  id: string,
  password: string,
): Promise<void> {
  checkPassword(password);
  await changeUser(table, id, { passwordHash: await passwords.hash(password), tokensFrom: clock.now() });
}
