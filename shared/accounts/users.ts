/** Users of an organization: create, change and remove them, and check their passwords. */

import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import type { Clock, Draft, Key, Passwords, Table } from '../ports.ts';
import type { Role } from './caller.ts';
import { userIdOf, userName } from './user-name.ts';

/** A user of an organization. */
export type User = {
  id: string;
  name: string;
  organization: string;
  role: Role;
  disabled: boolean;
  createdAt: number;
  /** Absent: the user cannot log in with a password. */
  passwordHash?: string;
  /** For users created by single sign-on: the subject of their issuer. */
  subject?: string;
  /** When the password was last changed. */
  tokensFrom?: number;
};

/** The fields of a user that may be shown. */
export type PublicUser = Omit<User, 'passwordHash' | 'subject'>;

export const toPublicUser = ({ passwordHash: _hash, subject: _subject, ...person }: User): PublicUser => person;

/** Tokens issued before this instant are invalid. For a user created again under an old name it is the creation. */
export const tokensFrom = ({ createdAt, tokensFrom = createdAt }: Pick<User, 'createdAt' | 'tokensFrom'>): number =>
  tokensFrom;

export const userKey = (id: string): Key => ({ pk: `U#${id}`, sk: 'USER' });

export const userDraft = (value: User): Draft<User> => ({
  ...userKey(value.id),
  value,
  listed: {
    list: usersList(value.organization),
    at: value.createdAt,
    id: value.id,
    state: value.disabled ? 'disabled' : 'active',
    type: value.role,
    priority: 0,
  },
});

export async function userById(table: Table, id: string): Promise<User | undefined> {
  return (await table.get<User>(userKey(id)))?.value;
}

export const userByName = (table: Table, name: string): Promise<User | undefined> => userById(table, userIdOf(name));

export const listUsers = async (table: Table, organization: string): Promise<PublicUser[]> =>
  (await listedRows<User>(table, usersList(organization), { keyOf: userKey })).map(toPublicUser);

type CreateUserPorts = { table: Table; clock: Clock; passwords: Passwords };
type NewUser = { organization: string; name: string; role: Role; password: string };

/** Creates a user. */
export async function createUser(
  { table, clock, passwords }: CreateUserPorts,
  { organization, name: typed, role, password }: NewUser,
): Promise<PublicUser> {
  const name = userName(typed);
  const id = userIdOf(name);
  checkPassword(password);
  if (await userById(table, id)) throw nameTaken(name); // before the costly hash
  const passwordHash = await passwords.hash(password);
  const user: User = { id, name, organization, role, disabled: false, createdAt: clock.now(), passwordHash };
  if (!(await table.insert(userDraft(user)))) throw nameTaken(name);
  return toPublicUser(user);
}

export const setRole = (table: Table, id: string, role: Role): Promise<void> => changeUser(table, id, { role });

export const setDisabled = (table: Table, id: string, disabled: boolean): Promise<void> =>
  changeUser(table, id, { disabled });

/** Also invalidates the tokens issued before. */
export async function setPassword(
  { table, clock, passwords }: { table: Table; clock: Clock; passwords: Passwords },
  id: string,
  password: string,
): Promise<void> {
  checkPassword(password);
  await changeUser(table, id, { passwordHash: await passwords.hash(password), tokensFrom: clock.now() });
}

/** Removes a user for good. Processes that have the user cached reject it within the TTL of that cache. */
export async function removeUser(table: Table, id: string): Promise<void> {
  const row = await table.get(userKey(id));
  if (!row) throw new Problem('notFound', 'There is no such user.');
  if (!(await table.remove(row))) throw new Problem('busy', 'Somebody else is changing this user; try again.');
}

type PasswordLogin = { name: string; password: string };

/**
 * The user of a name and a password, or `undefined` for an unknown name, a wrong password and a disabled user alike. An
 * unknown name costs as much time as a wrong password.
 */
export async function userWithPassword(
  { table, passwords }: { table: Table; passwords: Passwords },
  { name, password }: PasswordLogin,
): Promise<PublicUser | undefined> {
  const user = await userByName(table, name);
  const isPasswordRight = await passwords.verify(password, user?.passwordHash);
  return isPasswordRight && user && !user.disabled ? toPublicUser(user) : undefined;
}

const usersList = (organization: string): string => `O#${organization}#USERS`;

const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 200;

/** The rules for passwords. */
function checkPassword(password: string): void {
  const { length } = Array.from(password.normalize('NFKC'));
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH && !/\p{Cc}/u.test(password)) return;
  throw new Problem(
    'invalid',
    `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, none of them a control character.`,
  );
}

const nameTaken = (name: string) => new Problem('invalid', `The user name ${name} is taken: choose another one.`);

/** Changes what an operator may change of a user. */
async function changeUser(table: Table, id: string, changes: Partial<User>): Promise<void> {
  const changed = await changeRow<User>(table, userKey(id), {
    draft: userDraft,
    change: (user) => ({ ...user, ...changes }),
  });
  if (!changed) throw new Problem('notFound', 'There is no such user.');
}
