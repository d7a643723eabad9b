/** Organizations whose webhooks nobody can sign any more: what their secret was sealed under is gone. */
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import type { Operator } from './verb.ts';

type Ports = Pick<Operator, 'table' | 'clock' | 'vault'>;

/** In one sentence with its remedy; undefined = all can be opened. */
export async function lostSecrets(ports: Ports): Promise<string | undefined> {
  const lost: string[] = [];
  for (const { id, name } of await listOrganizations(ports.table)) {
    if (!(await currentSecrets(ports, id).catch(orUnreadable))) lost.push(name);
  }
  const [first, ...others] = lost;
  if (first === undefined) return undefined;
  const more = others.length > 0 ? ` and of ${others.length} more` : '';
  return (
    `The webhook secret of ${JSON.stringify(first)}${more} was sealed under a master secret that is gone: ` +
    'restore that from a backup, or run webhook-secret rotate ORG --again for each.'
  );
}
