/** `errand sso`: the single sign-on of an organization. */
import { issuerUrlFault } from '../../engines/outbound/ssrf-policy.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { type Issuer, issuerOfOrganization, removeIssuer, setIssuer } from '../../shared/accounts/issuers.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Table } from '../../shared/ports.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  type ShownValue,
  timeOf,
  wholeNumber,
} from './command.ts';
import { findOrganization } from './org.ts';

const MIN_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = 366 * 86_400;

const issuerReport = (
  organization: string,
  { issuer, audience, keysAddress, admits, since, ...o }: Issuer,
): CommandOutput => ({
  organization,
  issuer,
  audience,
  keys: keysAddress,
  admits,
  ...(o.allowsPrivate ? { allowsPrivate: true } : {}),
  ...definedFields({ maxAgeSeconds: o.maxAgeSeconds }),
  since: timeOf(since),
});

/** Removes user names and passwords from a URL: rejected URLs are recorded in the audit too. */
const unlocked = (address: string): string => address.replaceAll(/[^/\\]+@/g, '');

async function setSso(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, org);
  const { issuer = '', audience = '', keys: keysAddress = '', admit: admits = false } = options;
  const allowsPrivate = options['allow-private'] ?? false;
  const maxAgeSeconds = ageIn(options['max-age']);
  const act = {
    by: operator.by,
    act: 'sso set',
    organization: id,
    subject: unlocked(issuer),
    detail: `audience ${audience}`,
  };
  const trusted = await withAudit(operator, act, () =>
    setIssuer(
      operator,
      id,
      {
        issuer,
        audience,
        keysAddress,
        admits,
        allowsPrivate,
        ...definedFields({ maxAgeSeconds }),
      },
      issuerUrlFault,
    ),
  );
  return { report: issuerReport(id, trusted) };
}

function ageIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = wholeNumber('max-age', text);
  if (seconds >= MIN_AGE_SECONDS && seconds <= MAX_AGE_SECONDS) return seconds;
  throw new Problem('invalid', `--max-age takes ${MIN_AGE_SECONDS} to ${MAX_AGE_SECONDS} seconds.`);
}

async function showSso({ table }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id, trusted } = await trustedBy(table, org);
  return { report: issuerReport(id, trusted) };
}

async function removeSso(operator: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const { id, trusted } = await trustedBy(table, org);
  const act = { by, act: 'sso remove', organization: id, subject: trusted.issuer };
  await withAudit(operator, act, () => removeIssuer(table, id));
  return { report: { ...issuerReport(id, trusted), state: 'removed' } };
}

async function trustedBy(table: Table, org: string) {
  const { id, name } = await findOrganization(table, org);
  const trusted = await issuerOfOrganization(table, id);
  if (trusted) return { id, trusted };
  throw new Problem('notFound', `${name} has no SSO: set it up with "npx errand sso set".`);
}

export const sso: Noun = {
  set: {
    usage: 'set ORG --issuer URL --audience ID --keys URL [--admit] [--allow-private] [--max-age SECONDS]',
    about:
      'configures OIDC; --admit creates unknown users as viewers; --allow-private for an issuer inside your network; --max-age of an ID token (default 3600)',
    args: [1, 1],
    options: ['admit', 'allow-private', 'max-age'],
    needs: ['issuer', 'audience', 'keys'],
    run: setSso,
  },
  show: { usage: 'show ORG', about: 'shows the issuer of an organization', args: [1, 1], run: showSso },
  remove: { usage: 'remove ORG', about: 'removes the issuer', args: [1, 1], run: removeSso },
};
