/**
 * The SSO issuer of an organization, set by the operator. A pair of issuer and audience belongs to one organization.
 */

import { hash } from 'node:crypto';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import type { Clock, Key, Table } from '../ports.ts';

export type Issuer = {
  issuer: string;
  audience: string;
  /** The issuer's JWKS URL. */
  keysAddress: string;
  /** Whether an unknown subject becomes a viewer at the first login. */
  admits: boolean;
  /** Whether the keys may be fetched from a private address; rows without this field predate it and may. */
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

/** The organization that trusts this issuer and audience. The claim alone proves nothing: it may be stale. */
export async function organizationTrusting(table: Table, pair: IssuerPair) {
  const organization = (await table.get<IssuerClaim>(claimKey(pair)))?.value.organization;
  const trusted = organization === undefined ? undefined : await issuerOfOrganization(table, organization);
  return organization !== undefined && trusted && isSame(trusted, pair) ? { organization, trusted } : undefined;
}

/** Replaces the issuer. The claim is written first, so that no two organizations trust the same pair. */
export async function setIssuer(
  { table, clock }: { table: Table; clock: Clock },
  organization: string,
  settings: Omit<Issuer, 'since'>,
  urlFault: UrlFault = () => undefined,
): Promise<Issuer> {
  const issuer = { ...checkedIssuer(settings, urlFault), since: clock.now() };
  await claimIssuer(table, organization, issuer);
  const before = await issuerOfOrganization(table, organization);
  await putRow<Issuer>(table, { ...issuerKey(organization), value: issuer });
  if (before && !isSame(before, issuer)) await releaseClaim(table, organization, before);
  return issuer;
}

export async function removeIssuer(table: Table, organization: string): Promise<void> {
  const row = await table.get<Issuer>(issuerKey(organization));
  if (!row) return;
  if (!(await table.remove(row))) throw new Problem('busy', 'SSO is being changed by another request; try again.');
  await releaseClaim(table, organization, row.value);
}

const isSame = (a: IssuerPair, b: IssuerPair): boolean => a.issuer === b.issuer && a.audience === b.audience;

async function claimIssuer(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const owner = await organizationTrusting(table, pair);
  if (owner && owner.organization !== organization) {
    throw new Problem('invalid', 'This issuer and this audience belong to another organization already.');
  }
  // Overwrites a stale claim of an organization that no longer trusts this pair.
  await putRow<IssuerClaim>(table, { ...claimKey(pair), value: { organization } });
}

async function releaseClaim(table: Table, organization: string, pair: IssuerPair): Promise<void> {
  const row = await table.get<IssuerClaim>(claimKey(pair));
  if (row?.value.organization === organization) await table.remove(row);
}

/** Checks a URL by the outbound rules; returns why it cannot be used, as the end of a sentence. */
type UrlFault = (url: string, allowsPrivate: boolean) => string | undefined;

function checkedIssuer(settings: Omit<Issuer, 'since'>, urlFault: UrlFault): Omit<Issuer, 'since'> {
  const { issuer, audience, keysAddress } = settings;
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
    const fault = urlFault(text, settings.allowsPrivate ?? true);
    if (fault !== undefined) throw new Problem('invalid', `The ${name} ${fault}.`);
  }
  return settings;
}
