/** Organizations whose SSO issuer was set before private URLs had to be allowed, and lies on one. */
import { issuerUrlFault } from '../../engines/outbound/issuer-policy.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { issuerOfOrganization } from '../../shared/accounts/sso.ts';
import type { Table } from '../../shared/ports.ts';

/** One sentence with its remedy for each of them. */
export async function privateIssuers(table: Table): Promise<string[]> {
  const warnings: string[] = [];
  for (const { id, name } of await listOrganizations(table)) {
    const trusted = await issuerOfOrganization(table, id);
    if (!trusted || trusted.allowsPrivate !== undefined) continue;
    const urls = [trusted.issuer, trusted.keysAddress].filter((url) => issuerUrlFault(url, false) !== undefined);
    if (urls.length === 0) continue;
    warnings.push(
      `The SSO issuer of ${JSON.stringify(name)} is not public (${[...new Set(urls)].join(', ')}): ` +
        'run "sso set" again with --allow-private, or move it.',
    );
  }
  return warnings;
}
