/** A person of an organization. */
import type { Draft, Key, Table } from '../ports.ts';
import type { Role } from './caller.ts';
import { listedRows } from './listed-rows.ts';
import { userIdOf } from './user-name.ts';

export type User = {
  id: string;
  name: string;
  organization: string;
  role: Role;
  disabled: boolean;
  createdAt: number;
  /** Without one there is no password that lets the user in. */
  passwordHash?: string;
  /** Of whoever was made by single sign-on: whom the issuer calls so. */
  subject?: string;
  /** Since the last change of the password. */
  tokensFrom?: number;
};

/** What may be shown of a user. */
export type Person = Omit<User, 'passwordHash' | 'subject'>;

export const personOf = ({ passwordHash: _hash, subject: _subject, ...person }: User): Person => person;

/** Tokens from before then hold no longer. A user made anew under an old name starts anew, too. */
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
