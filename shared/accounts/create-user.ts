/** Makes a user. */
import { Problem } from '../core/problem.ts';
import type { Clock, Passwords, Table } from '../ports.ts';
import type { Role } from './caller.ts';
import { checkPassword } from './password-rule.ts';
import { type Person, personOf, type User, userById, userDraft } from './user.ts';
import { userIdOf, userName } from './user-name.ts';

type CreateUserPorts = { table: Table; clock: Clock; passwords: Passwords };
type NewUser = { organization: string; name: string; role: Role; password: string };

export async function createUser(
  { table, clock, passwords }: CreateUserPorts,
  { organization, name: typed, role, password }: NewUser,
): Promise<Person> {
  const name = userName(typed);
  const id = userIdOf(name);
  checkPassword(password);
  if (await userById(table, id)) throw nameTaken(name); // before the work of the hash
  const passwordHash = await passwords.hash(password);
  const user: User = { id, name, organization, role, disabled: false, createdAt: clock.now(), passwordHash };
  if (!(await table.insert(userDraft(user)))) throw nameTaken(name);
  return personOf(user);
}

const nameTaken = (name: string) => new Problem('invalid', `The user name ${name} is taken: choose another one.`);
