/** What `errand doctor` checks of the state, the models and the search providers. */
import { operatorAccount } from '../../adapters/aws/deployed-stage.ts';
import { bedrockModels } from '../../adapters/aws/model.ts';
import { MODEL_REQUEST } from '../../engines/models/call-limits.ts';
import { asFetch } from '../../engines/outbound/clients.ts';
import { type OutboundRequest, outbound } from '../../engines/outbound/request.ts';
import { issuerUrlFault, operatorPolicy } from '../../engines/outbound/ssrf-policy.ts';
import { type SearchAnswer, searchConnectors } from '../../engines/sources/web-search.ts';
import { issuerOfOrganization } from '../../shared/accounts/issuers.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { searchProviderOf } from '../../shared/accounts/search-provider.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import type { Table } from '../../shared/ports.ts';
import type { Operator } from './command.ts';

type Ports = Pick<Operator, 'table' | 'clock' | 'vault'>;

/** A sentence with a remedy if webhook secrets cannot be decrypted because their key is gone; `undefined`: all can be. */
async function lostSecrets(ports: Ports): Promise<string | undefined> {
  const lost: string[] = [];
  for (const { id, name } of await listOrganizations(ports.table)) {
    if (!(await currentSecrets(ports, id).catch(orUnreadable))) lost.push(name);
  }
  const [firstName, ...moreNames] = lost;
  if (firstName === undefined) return undefined;
  const more = moreNames.length > 0 ? ` and of ${moreNames.length} more` : '';
  return (
    `The webhook secret of ${JSON.stringify(firstName)}${more} was encrypted under a master secret that does not exist any more: ` +
    'restore that from a backup, or run webhook-secret rotate ORG --again for each.'
  );
}

/** One sentence with a remedy for each organization whose SSO issuer has private URLs and was set before these needed permission. */
async function privateIssuers(table: Table): Promise<string[]> {
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

/** The check of a Bedrock model requests one token with the operator's credentials, to see whether the account may use it. */
const MAX_TOKENS = 1;

const bedrockOf = (request: OutboundRequest) =>
  bedrockModels({
    ...operatorAccount(process.env),
    fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
  });

async function askModel(model: string): Promise<void> {
  const answering = await bedrockOf(outbound())(model.replace(/^bedrock\//, ''));
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say yes.' }] }];
  await answering.doGenerate({ prompt, maxOutputTokens: MAX_TOKENS });
}

/** A note on Bedrock models that the stack does not let its workers call. */
function noteOnGrants(models: readonly string[], granted: readonly string[]): string | undefined {
  const ungranted = models.filter((model) => model.startsWith('bedrock/') && !granted.includes(model));
  if (ungranted.length === 0) return undefined;
  return `The stage can call these only once it is deployed with them in "models": ${ungranted.join(', ')}.`;
}

const SEARCH_TIMEOUT_MS = 30_000;
/** This organization has no search provider, so the operator's is tried. */
const NO_ORGANIZATION = 'none';

/** Sends a query to each search provider and returns one sentence for each that rejects it. */
async function searchWarnings(ports: Ports, searchUrl: string | undefined): Promise<string[]> {
  const find = searchConnectors({ ...ports, request: outbound(), searchUrl });
  const owners = new Map<string, string>();
  for (const { id, name } of await listOrganizations(ports.table))
    if (await searchProviderOf(ports.table, id)) owners.set(id, JSON.stringify(name));
  if (searchUrl !== undefined) owners.set(NO_ORGANIZATION, 'organizations without one');
  const warnings: string[] = [];
  for (const [id, owner] of owners) {
    const connector = await find(id);
    const answer = await connector
      ?.search({ text: 'weather', count: 1 }, AbortSignal.timeout(SEARCH_TIMEOUT_MS))
      .catch(orTimeout);
    if (answer && answer.notes.length > 0) warnings.push(`The search provider of ${owner}: ${answer.notes.join(' ')}`);
  }
  return warnings;
}

function orTimeout(error: unknown): SearchAnswer {
  if ((error as Error).name !== 'TimeoutError') throw error;
  return { hits: [], notes: ['It did not answer in time.'] };
}

/** The checks of the local product and of a stage. */
export const checks = { lostSecrets, privateIssuers, askModel, bedrockOf, noteOnGrants, searchWarnings };
