/** Single sign-on: the issuers that an organization trusts, and the users that their ID tokens stand for. */
import { hash } from 'node:crypto';
import { base62 } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Key, Table } from '../ports.ts';
import {
  type IdClaims,
  isCurrent,
  isOlderThan,
  isSignedBy,
  type KeysAt,
  keyForToken,
  parseIdToken,
} from './id-token.ts';
import { putRow } from './organizations.ts';
import { type Person, personOf, type User, userById, userDraft, userIdOf, userNameFrom } from './users.ts';

/** The issuer of an organization's single sign-on, set by the operator. An issuer and an audience belong to one organization. */
export type Issuer = {
  issuer: string;
  audience: string;
  /** Where the issuer publishes its keys. */
  keysAddress: string;
  /** Whether somebody who comes for the first time becomes a viewer. */
  admits: boolean;
  /** Whether the keys may be fetched from a private address; issuers without this field were stored when all might. */
  allowsPrivate?: boolean;
  /** The greatest age of an ID token at login; one hour by default. */
  maxAgeSeconds?: number;
  since: number;
};

type IssuerClaim = { organization: string };
type IssuerPair = Pick<Issuer, 'issuer' | 'audience'>;

const MAX_CHARACTERS = 512;
const FIT = /^[!-~]+$/;

const issuerKey = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'SSO' });
const claimKey = ({ issuer, audience }: IssuerPair): Key => ({
  pk: `SSO#${hash('sha256', JSON.stringify([issuer, audience]), 'base64url')}`,
  sk: 'TRUST',
});

export const issuerOfOrganization = async (table: Table, organization: string): Promise<Issuer | undefined> =>
  (await table.get<Issuer>(issuerKey(organization)))?.value;

/** Who trusts this issuer for this audience. A claim alone is not enough: it may be left over. */
async function organizationTrusting(table: Table, pair: IssuerPair) {
  const organization = (await table.get<IssuerClaim>(claimKey(pair)))?.value.organization;
  const trusted = organization === undefined ? undefined : await issuerOfOrganization(table, organization);
  return organization !== undefined && trusted && isSame(trusted, pair) ? { organization, trusted } : undefined;
}

const isSame = (one: IssuerPair, other: IssuerPair): boolean =>
  one.issuer === other.issuer && one.audience === other.audience;

/** In place of the one before. The claim comes first, so that no two organizations ever trust the same. */
export async function setIssuer(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  wanted: Omit<Issuer, 'since'>,
  urlFault: UrlFault = () => undefined,
): Promise<Issuer> {
  const issuer = { ...checkedIssuer(wanted, urlFault), since: clock.now() };
  await claimIssuer(table, organization, issuer);
  const before = await issuerOfOrganization(table, organization);
  await putRow<Issuer>(table, { ...issuerKey(organization), value: issuer });
  if (before && !isSame(before, issuer)) await releaseClaim(table, organization, before);
  return issuer;
}

async function claimIssuer(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const owner = await organizationTrusting(table, pair);
  if (owner && owner.organization !== organization) {
    throw new Problem('invalid', 'This issuer and this audience belong to another organization already.');
  }
  // What was left over by another organization that trusts it no longer is taken over.
  await putRow<IssuerClaim>(table, { ...claimKey(pair), value: { organization } });
}

export async function removeIssuer(table: Table, organization: string): Promise<void> {
  const row = await table.get<Issuer>(issuerKey(organization));
  if (!row) return;
  if (!(await table.remove(row))) throw new Problem('busy', 'SSO is being changed by another request; try again.');
  await releaseClaim(table, organization, row.value);
}

async function releaseClaim(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const row = await table.get<IssuerClaim>(claimKey(pair));
  if (row?.value.organization === organization) await table.remove(row);
}

/** Judges a URL by the outbound rules: why it cannot be used, as the rest of a sentence. */
type UrlFault = (url: string, allowsPrivate: boolean) => string | undefined;

function checkedIssuer(wanted: Omit<Issuer, 'since'>, urlFault: UrlFault): Omit<Issuer, 'since'> {
  const { issuer, audience, keysAddress } = wanted;
  for (const [name, text] of Object.entries({ issuer, audience, keys: keysAddress })) {
    if (!FIT.test(text) || text.length > MAX_CHARACTERS) {
      throw new Problem('invalid', `The ${name} has 1 to ${MAX_CHARACTERS} visible ASCII characters.`);
    }
  }
  for (const [name, text] of Object.entries({ issuer, keys: keysAddress })) {
    const url = URL.parse(text);
    if (url?.protocol !== 'https:') throw new Problem('invalid', `The ${name} must be an HTTPS URL.`);
    if (url.username !== '' || url.password !== '') {
      throw new Problem('invalid', `The ${name} must be a URL without a user name and a password.`);
    }
    const fault = urlFault(text, wanted.allowsPrivate ?? true);
    if (fault !== undefined) throw new Problem('invalid', `The ${name} ${fault}.`);
  }
  return wanted;
}

// The user of an ID token, identified by issuer and subject, never by a name that users choose.

/** `createdAt` tells the user from another one who got the same name later. */
type UserLink = { user: string; createdAt: number };
type SsoSubject = { issuer: string; sub: string };
type SsoUserPorts = { table: Table; clock: Clock };

/** With the suffix it is still a user name. */
const MAX_WISHED = 100;

const subjectMark = ({ issuer, sub }: SsoSubject): string => hash('sha256', JSON.stringify([issuer, sub]), 'base64url');
const linkKey = (organization: string, subject: SsoSubject): Key => ({
  pk: `O#${organization}#SSO`,
  sk: `LINK#${subjectMark(subject)}`,
});

/** Returns undefined if the subject is not admitted. A subject whose user was removed stays out until the operator links another one. */
async function userForSubject(
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
  const userName = [named.preferred_username, named.email, subject.sub].map(userNameFrom).find((name) => name) ?? 'sso';
  const suffix = base62(hash('sha256', `${organization} ${mark}`, 'buffer').subarray(0, 6)).toLowerCase();
  for (const name of [userName, `${Array.from(userName).slice(0, MAX_WISHED).join('')}-${suffix}`]) {
    const draft = { name, organization, role: 'viewer', disabled: false, subject: mark } as const;
    const user: User = { ...draft, id: userIdOf(name), createdAt: clock.now() };
    const row = (await table.insert(userDraft(user))) ?? (await table.get<User>(userDraft(user)));
    if (row?.value.subject !== mark || row.value.organization !== organization) continue;
    await linkUser(table, row.value, subject);
    return row.value;
  }
  return undefined;
}

/** Replaces the user that the subject stood for before. */
export async function linkUser(
  table: Table,
  { id, organization, createdAt }: Person,
  subject: SsoSubject,
): Promise<void> {
  await putRow<UserLink>(table, { ...linkKey(organization, subject), value: { user: id, createdAt } });
}

/** The person an ID token was signed for, by an issuer that an organization trusts. */
const DEFAULT_MAX_AGE_SECONDS = 3_600;

type SignedUserPorts = { table: Table; clock: Clock; keysAt: KeysAt };

/** Returns undefined, without a reason, if the token admits no user. Nothing is fetched before an organization is found that trusts the issuer. */
export async function userSigned(ports: SignedUserPorts, text: string): Promise<Person | undefined> {
  const token = parseIdToken(text);
  if (!token || !isCurrent(token, ports.clock.now())) return undefined;
  const { iss: issuer, audience } = token.claims;
  const found = await organizationTrusting(ports.table, { issuer, audience });
  if (!found) return undefined;
  const { organization, trusted } = found;
  if (isOlderThan(token, trusted.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS, ports.clock.now())) return undefined;
  const { keysAddress, allowsPrivate = true } = trusted;
  const keys = await ports.keysAt(keysAddress, (known) => keyForToken(token, known) !== undefined, { allowsPrivate });
  const key = keyForToken(token, keys);
  if (!key || !(await isSignedBy(token, key, { issuer, nowMs: ports.clock.now() }))) return undefined;
  return userForSubject(ports, token.claims, { organization, admits: trusted.admits });
}
