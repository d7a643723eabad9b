/** The user of an ID token, identified by issuer and subject, never by a name that users choose. */

import { hash } from 'node:crypto';
import { base62 } from '../core/base62.ts';
import { putRow } from '../core/table-access.ts';
import type { Clock, Key, Table } from '../ports.ts';
import type { IdClaims } from './id-token.ts';
import { userIdOf, userNameFrom } from './user-name.ts';
import { type PublicUser, toPublicUser, type User, userById, userDraft } from './users.ts';

/** `createdAt` distinguishes the user from a later one of the same name. */
type UserLink = { user: string; createdAt: number };
type SsoSubject = { issuer: string; sub: string };
type SsoUserPorts = { table: Table; clock: Clock };

/** Leaves room for a suffix within the limit of user names. */
const MAX_NAME_CHARACTERS = 100;

const subjectMark = ({ issuer, sub }: SsoSubject): string => hash('sha256', JSON.stringify([issuer, sub]), 'base64url');
const linkKey = (organization: string, subject: SsoSubject): Key => ({
  pk: `O#${organization}#SSO`,
  sk: `LINK#${subjectMark(subject)}`,
});

/** Returns `undefined` if the subject is not admitted. A subject whose user was removed stays locked out until it is linked again. */
export async function userForSubject(
  ports: SsoUserPorts,
  { iss, sub, ...profile }: IdClaims,
  { organization, admits }: { organization: string; admits: boolean },
): Promise<PublicUser | undefined> {
  const subject = { issuer: iss, sub };
  const link = (await ports.table.get<UserLink>(linkKey(organization, subject)))?.value;
  const user = link
    ? await linkedUser(ports.table, link)
    : admits && (await admitUser(ports, organization, subject, profile));
  return user && user.organization === organization && !user.disabled ? toPublicUser(user) : undefined;
}

/** Replaces an earlier link of the subject. */
export async function linkUser(
  table: Table,
  { id, organization, createdAt }: PublicUser,
  subject: SsoSubject,
): Promise<void> {
  await putRow<UserLink>(table, { ...linkKey(organization, subject), value: { user: id, createdAt } });
}

async function linkedUser(table: Table, link: UserLink): Promise<User | undefined> {
  const user = await userById(table, link.user);
  return user?.createdAt === link.createdAt ? user : undefined;
}

/** Writes the user before the link: after an interruption, the user is found by its subject. */
async function admitUser(
  { table, clock }: SsoUserPorts,
  organization: string,
  subject: SsoSubject,
  profile: Pick<IdClaims, 'preferred_username' | 'email'>,
): Promise<User | undefined> {
  const mark = subjectMark(subject);
  const userName =
    [profile.preferred_username, profile.email, subject.sub].map(userNameFrom).find((name) => name) ?? 'sso';
  const suffix = base62(hash('sha256', `${organization} ${mark}`, 'buffer').subarray(0, 6)).toLowerCase();
  for (const name of [userName, `${Array.from(userName).slice(0, MAX_NAME_CHARACTERS).join('')}-${suffix}`]) {
    const draft = { name, organization, role: 'viewer', disabled: false, subject: mark } as const;
    const user: User = { ...draft, id: userIdOf(name), createdAt: clock.now() };
    const row = (await table.insert(userDraft(user))) ?? (await table.get<User>(userDraft(user)));
    if (row?.value.subject !== mark || row.value.organization !== organization) continue;
    await linkUser(table, row.value, subject);
    return row.value;
  }
  return undefined;
}
