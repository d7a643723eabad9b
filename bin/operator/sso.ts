/** `errand sso`: the issuer whose people an organization lets in. */
import { audited } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Table } from '../../shared/ports.ts';
import { type Issuer, issuerOf, removeIssuer, setIssuer } from '../../shared/sso/issuer.ts';
import { findOrganization } from './find-organization.ts';
import { type Report, type Shown, timeOf } from './show.ts';
import type { Line, Noun, Operator } from './verb.ts';

const reportOf = (organization: string, { issuer, audience, keysAddress, admits, since }: Issuer): Report => ({
  organization,
  issuer,
  audience,
  keys: keysAddress,
  admits,
  since: timeOf(since),
});

/** The audit has a row for what is refused, too: none for a password. */
const unlocked = (address: string): string => address.replaceAll(/[^/\\]+@/g, '');

async function set(operator: Operator, { args: [org = ''], options }: Line): Promise<Shown> {
  const { id } = await findOrganization(operator.table, org);
  const { issuer = '', audience = '', keys: keysAddress = '', admit: admits = false } = options;
  const act = {
    by: operator.by,
    act: 'sso set',
    organization: id,
    subject: unlocked(issuer),
    detail: `audience ${audience}`,
  };
  const trusted = await audited(operator, act, () =>
    setIssuer(operator, id, { issuer, audience, keysAddress, admits }),
  );
  return { report: reportOf(id, trusted) };
}

async function show({ table }: Operator, { args: [org = ''] }: Line): Promise<Shown> {
  const { id, trusted } = await trustedBy(table, org);
  return { report: reportOf(id, trusted) };
}

async function remove(operator: Operator, { args: [org = ''] }: Line): Promise<Shown> {
  const { table, by } = operator;
  const { id, trusted } = await trustedBy(table, org);
  const act = { by, act: 'sso remove', organization: id, subject: trusted.issuer };
  await audited(operator, act, () => removeIssuer(table, id));
  return { report: { ...reportOf(id, trusted), state: 'removed' } };
}

async function trustedBy(table: Table, org: string) {
  const { id, name } = await findOrganization(table, org);
  const trusted = await issuerOf(table, id);
  if (trusted) return { id, trusted };
  throw new Problem('notFound', `${name} has no single sign-on: "npm run errand -- sso set" gives it one.`);
}

export const sso: Noun = {
  set: {
    usage: 'set ORG --issuer ADDRESS --audience ID --keys ADDRESS [--admit]',
    about: 'lets the people of an OIDC issuer log in; with --admit new ones, too, as viewers',
    args: [1, 1],
    options: ['admit'],
    needs: ['issuer', 'audience', 'keys'],
    run: set,
  },
  show: { usage: 'show ORG', about: 'shows the issuer an organization trusts', args: [1, 1], run: show },
  remove: { usage: 'remove ORG', about: 'trusts it no longer', args: [1, 1], run: remove },
};
