/** `errand key`: the API keys of an organization. */
import { keyIdIn } from '../../shared/accounts/api-key-text.ts';
import {
  type ApiKey,
  apiKeyById,
  createKey,
  type ListedKey,
  listKeys,
  revokeKey,
} from '../../shared/accounts/api-keys.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Table } from '../../shared/ports.ts';
import { endConnections } from '../../shared/realtime/end-connections.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  SHOWN_ONCE,
  type ShownValue,
  timeOf,
  wholeNumber,
} from './command.ts';
import { findOrganization } from './org.ts';

async function addKey(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { name = 'API key', expires } = options;
  const organization = await findOrganization(operator.table, org);
  const keyRequest = {
    organization: organization.id,
    name,
    ...(expires === undefined ? {} : { expiresInDays: wholeNumber('expires', expires) }),
  };
  const { key, apiKey } = await withAudit(
    operator,
    { by: operator.by, act: 'key create', organization: organization.id, subject: name },
    () => createKey(operator, keyRequest),
    (created) => ({ subject: `key:${created.key.id}`, detail: created.key.name }),
  );
  const { id, expiresAt } = key;
  return {
    report: { id, organization: organization.id, name: key.name, apiKey, expiresAt: timeOf(expiresAt) },
    note: SHOWN_ONCE,
  };
}

async function showKeys({ table, clock }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, org);
  const now = clock.now();
  return { report: (await listKeys(table, id)).map((key) => keyReport(key, now)) };
}

const keyReport = (key: ListedKey, now: number): CommandOutput => ({
  id: key.id,
  name: key.name,
  state: keyState(key, now),
  createdAt: timeOf(key.createdAt),
  lastUsedAt: timeOf(key.lastUsedAt),
  expiresAt: timeOf(key.expiresAt),
  revokedAt: timeOf(key.revokedAt),
});

function keyState({ revokedAt, expiresAt }: ListedKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

async function revoke(operator: Operator, { args: [text = ''] }: CommandLine): Promise<ShownValue> {
  const { id, organization, name } = await keyNamed(operator.table, text);
  const act = { by: operator.by, act: 'key revoke', organization, subject: `key:${id}`, detail: name };
  await withAudit(operator, act, async () => {
    await revokeKey(operator, id);
    await endConnections(operator, organization, `key:${id}`);
  });
  return { report: { id, organization, name, state: 'revoked' } };
}

/** Finds a key by its id, or by its text if that has leaked. Errors do not repeat the text: it may be a secret. */
async function keyNamed(table: Table, text: string): Promise<ApiKey> {
  const key = await apiKeyById(table, keyIdIn(text) ?? text);
  if (key) return key;
  throw new Problem('notFound', 'No API key has this id: use one that "npx errand key list ORG" shows.');
}

export const key: Noun = {
  create: {
    usage: 'create ORG [--name NAME] [--expires DAYS]',
    about: 'creates an API key, which is shown only now',
    args: [1, 1],
    options: ['name', 'expires'],
    run: addKey,
  },
  list: { usage: 'list ORG', about: 'lists the keys of an organization', args: [1, 1], run: showKeys },
  revoke: { usage: 'revoke KEY', about: 'revokes a key, by its id, within 30 seconds', args: [1, 1], run: revoke },
};
