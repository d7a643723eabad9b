/** The user an ID token stands for: known by the issuer's own name for the person, never by a name that people choose. */
import { hash } from 'node:crypto';
import { base62 } from '../accounts/base62.ts';
import { putRow } from '../accounts/put-row.ts';
import { type Person, personOf, type User, userById, userDraft } from '../accounts/user.ts';
import { userIdOf, userNameFrom } from '../accounts/user-name.ts';
import type { Clock, Key, Table } from '../ports.ts';
import type { IdClaims } from './id-token.ts';

/** `createdAt` tells the user from another one who got the same name later. */
type UserLink = { user: string; createdAt: number };
type SsoSubject = { issuer: string; sub: string };
type SsoUserPorts = { table: Table; clock: Clock };

/** With the suffix it is still a user name. */
const MOST_WISHED = 100;

const subjectMark = ({ issuer, sub }: SsoSubject): string => hash('sha256', JSON.stringify([issuer, sub]), 'base64url');
const linkKey = (organization: string, subject: SsoSubject): Key => ({
  pk: `O#${organization}#SSO`,
  sk: `LINK#${subjectMark(subject)}`,
});

/** Undefined = nobody who is let in. Whose user was removed stays out, until the operator links another one. */
export async function userForSubject(
  ports: SsoUserPorts,
  { iss, sub, ...named }: IdClaims,
  { organization, admits }: { organization: string; admits: boolean },
): Promise<Person | undefined> {
  const subject = { issuer: iss, sub };
  const link = (await ports.table.get<UserLink>(linkKey(organization, subject)))?.value;
  const user = link
    ? await linkedUser(ports.table, link)
    : admits && (await admitUser(ports, organization, subject, named));
  return user && user.organization === organization && !user.disabled ? personOf(user) : undefined;
}

async function linkedUser(table: Table, link: UserLink): Promise<User | undefined> {
  const user = await userById(table, link.user);
  return user?.createdAt === link.createdAt ? user : undefined;
}

/** The user first and then the link: what was cut off in between is found again by its subject. */
async function admitUser(
  { table, clock }: SsoUserPorts,
  organization: string,
  subject: SsoSubject,
  named: Pick<IdClaims, 'preferred_username' | 'email'>,
): Promise<User | undefined> {
  const mark = subjectMark(subject);
  const wished = [named.preferred_username, named.email, subject.sub].map(userNameFrom).find((name) => name) ?? 'sso';
  const suffix = base62(hash('sha256', `${organization} ${mark}`, 'buffer').subarray(0, 6)).toLowerCase();
  for (const name of [wished, `${Array.from(wished).slice(0, MOST_WISHED).join('')}-${suffix}`]) {
    const draft = { name, organization, role: 'viewer', disabled: false, subject: mark } as const;
    const user: User = { ...draft, id: userIdOf(name), createdAt: clock.now() };
    const row = (await table.insert(userDraft(user))) ?? (await table.get<User>(userDraft(user)));
    if (row?.value.subject !== mark || row.value.organization !== organization) continue;
    await linkUser(table, row.value, subject);
    return row.value;
  }
  return undefined;
}

/** In place of whomever the subject stood for before. */
export async function linkUser(
  table: Table,
  { id, organization, createdAt }: Person,
  subject: SsoSubject,
): Promise<void> {
  await putRow<UserLink>(table, { ...linkKey(organization, subject), value: { user: id, createdAt } });
}
