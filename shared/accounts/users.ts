/** Users of an organization: create, change, remove, and the rules for their names and passwords. */
import { hash } from 'node:crypto';
import { base62 } from '../core/base62.ts';
import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import type { Clock, Draft, Key, Passwords, Table } from '../ports.ts';
import type { Role } from './organizations.ts';

/** User names are unique in the whole product, independent of case and Unicode form. */
const MIN_NAME_LENGTH = 3;
const MAX_NAME_LENGTH = 128;
/** Letters and digits of any script, and the other characters of e-mail addresses. */
const FIT = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~@-]*$/u;

/** Returns undefined for a text that cannot be a user name. */
export function userNameFrom(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const name = text.normalize('NFKC').trim();
  const { length } = Array.from(name);
  return length >= MIN_NAME_LENGTH && length <= MAX_NAME_LENGTH && FIT.test(name) ? name : undefined;
}

function userName(text: string): string {
  const name = userNameFrom(text);
  if (name !== undefined) return name;
  throw new Problem(
    'invalid',
    `A user name has ${MIN_NAME_LENGTH} to ${MAX_NAME_LENGTH} characters: letters, digits and those of an e-mail address, a letter or digit first.`,
  );
}

/** Upper case first, so that ß equals SS and a final sigma equals a sigma. */
const foldName = (name: string): string => name.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC');

/** Derived from the name: the row is both the user and the claim on the name, and logs show the id instead of the name. */
export const userIdOf = (name: string): string => base62(hash('sha256', foldName(name), 'buffer').subarray(0, 16));

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
export type Person = Omit<User, 'passwordHash' | 'subject'>;

export const personOf = ({ passwordHash: _hash, subject: _subject, ...person }: User): Person => person;

/** Tokens issued before this instant are invalid. For a user created again under an old name it is the creation. */
export const tokensFrom = ({ createdAt, tokensFrom = createdAt }: Pick<User, 'createdAt' | 'tokensFrom'>): number =>
  tokensFrom;

export const userKey = (id: string): Key => ({ pk: `U#${id}`, sk: 'USER' });
const usersList = (organization: string): string => `O#${organization}#USERS`;

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

export const listUsers = async (table: Table, organization: string): Promise<Person[]> =>
  (await listedRows<User>(table, usersList(organization), { keyOf: userKey })).map(personOf);

/** The rules for passwords. */
const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 200;

function checkPassword(password: string): void {
  const { length } = Array.from(password.normalize('NFKC'));
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH && !/\p{Cc}/u.test(password)) return;
  throw new Problem(
    'invalid',
    `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, none of them a control character.`,
  );
}

/** Creates a user. */
type CreateUserPorts = { table: Table; clock: Clock; passwords: Passwords };
type NewUser = { organization: string; name: string; role: Role; password: string };

export async function createUser(
  { table, clock, passwords }: CreateUserPorts,
  { organization, name: typed, role, password }: NewUser,
): Promise<Person> {
  const name = userName(typed);
  const id = userIdOf(name);
  checkPassword(password);
  if (await userById(table, id)) throw nameTaken(name); // before the costly hash
  const passwordHash = await passwords.hash(password);
  const user: User = { id, name, organization, role, disabled: false, createdAt: clock.now(), passwordHash };
  if (!(await table.insert(userDraft(user)))) throw nameTaken(name);
  return personOf(user);
}

const nameTaken = (name: string) => new Problem('invalid', `The user name ${name} is taken: choose another one.`);

/** Changes what an operator may change of a user. */
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

/** The user of a name and a password. An unknown name costs as much time as a wrong password. */
type PasswordLogin = { name: string; password: string };

/** Returns `undefined` for an unknown name, a wrong password and a disabled user alike. */
export async function userWithPassword(
  { table, passwords }: { table: Table; passwords: Passwords },
  { name, password }: PasswordLogin,
): Promise<Person | undefined> {
  const user = await userByName(table, name);
  const holds = await passwords.verify(password, user?.passwordHash);
  return holds && user && !user.disabled ? personOf(user) : undefined;
}
