/** An organization with rows and bytes of every kind, and what its callers and operators see of it. */
import { buffer } from 'node:stream/consumers';
import { claim } from '../../../functions/http/idempotency.ts';
import { createKey } from '../../../shared/accounts/api-keys.ts';
import { setIssuer } from '../../../shared/accounts/issuers.ts';
import { organizationById } from '../../../shared/accounts/organizations.ts';
import { setSearchProvider } from '../../../shared/accounts/search-provider.ts';
import { linkUser } from '../../../shared/accounts/sso-users.ts';
import { storeConnection } from '../../../shared/accounts/stored-connections.ts';
import { createUser, listUsers } from '../../../shared/accounts/users.ts';
import { rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { insertLong } from '../../../shared/core/long-values.ts';
import type { Vault } from '../../../shared/core/vault.ts';
import { fileKey } from '../../../shared/files/file.ts';
import { listFiles } from '../../../shared/files/list-files.ts';
import { requestReading } from '../../../shared/files/reading.ts';
import { completeUpload, requestUpload } from '../../../shared/files/upload.ts';
import { allKnowledge } from '../../../shared/knowledge/knowledge.ts';
import { rulesetText } from '../../../shared/knowledge/rulesets.ts';
import { limitSpender } from '../../../shared/limits/rate-limit.ts';
import { storeMailOutcome } from '../../../shared/mail/mail-outcomes.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { listSuppressions, suppress } from '../../../shared/mail/suppressions.ts';
import type { Blobs, Clock, Ids, Key, Passwords, Table } from '../../../shared/ports.ts';
import { listSources, putSource } from '../../../shared/sources/stored-sources.ts';
import { archiveKey } from '../../../shared/tasks/archive.ts';
import { checkpointDrafts } from '../../../shared/tasks/checkpoints.ts';
import { listTasks } from '../../../shared/tasks/list-tasks.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import { type TaskAddress, taskDraft, taskKey } from '../../../shared/tasks/rows.ts';
import { runsOf } from '../../../shared/tasks/runs.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { AGENTS_API, type Task, type TaskApi } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { countTokens, tokensByDay } from '../../../shared/usage/daily-usage.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { deliveriesOf } from '../../../shared/webhooks/deliveries.ts';
import { belongingsOf } from '../../functions/both-apis/belongings.ts';
import { putText } from '../files/setup.ts';

export type FullPorts = {
  table: Table;
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  vault: Vault;
  passwords: Passwords;
};

/** Secrets that the fixture chooses; others are generated. */
const PLANTED = {
  modelKey: 'sk-planted-model-key',
  searchKey: 'planted-search-key',
  password: 'planted-password-of-a-user',
};

/** Longer than one row, with a character of three bytes. */
export const LONG_TEXT = `${'語 and so on. '.repeat(20_000)}end`;

const EXPIRY_MS = 1e9;
const hints = async () => undefined;

export async function fillOrganization(ports: FullPorts, organization: string) {
  const { table, blobs, clock, ids } = ports;
  const belongings = await belongingsOf({ ...ports, hints } as never, organization);
  const planted = await plantSecrets(ports, organization);
  const upload = await uploadedFile(ports, organization, 'a whole upload');
  const expiresAt = clock.now() + EXPIRY_MS;

  async function submitted(more: object = {}): Promise<TaskAddress> {
    const address = { organization, taskId: ids.uuid() };
    const input = { model: 'offline/extractive', asked: { query: 'q' } };
    const about = { input, by: 'user:one', endpoint: 'https://hooks.errand-tests.org/y' };
    const submission = { face: AGENTS_API, type: 'research_agent', priority: 5, about, ...more } as const;
    await submitTask({ ...ports, hints }, address, submission);
    return address;
  }

  const succeeded = await submitted();
  await moveTask({ ...ports, hints }, succeeded, { type: 'claim' });
  const bytesAt = archiveKey(succeeded, 'mark');
  await putText(blobs, bytesAt, 'the archive');
  const result = { text: LONG_TEXT, archive: { bytesAt, sizeBytes: 11 } };
  const prerequisites = resultDrafts(succeeded, { attempt: 1, result, expiresAt });
  await moveTask({ ...ports, hints }, succeeded, { type: 'finish', attempt: 1, as: 'succeeded' }, { prerequisites });

  const running = await submitted();
  await moveTask({ ...ports, hints }, running, { type: 'claim' });
  const keptAt = archiveKey(running, 'state');
  await putText(blobs, keptAt, 'the state of a stage');
  const reached = { checkpoint: 1, attempt: 1 };
  // Long, and of a later version than the first, so that it is stored packed.
  const carried = { known: { bytesAt: keptAt }, texts: Array.from({ length: 99 }, () => 'long enough to be packed') };
  const first = checkpointDrafts(running, { ...reached, version: 2, carried, expiresAt });
  await moveTask({ ...ports, hints }, running, { type: 'beat', ...reached, progress: 33 }, { prerequisites: first });
  await table.insert({ pk: `O#${organization}#T#${running.taskId}`, sk: 'CANCEL', value: { force: false }, expiresAt });
  const recurring = await submitted({ firstAt: clock.now() + 3_600_000, recurs: 'd 080000 UTC' });
  await storeMailOutcome(
    table,
    recurring,
    { run: 'once', mark: 'm' },
    { status: 'sent', at: clock.now(), messageId: '<a@b>', providerId: 'p' },
  );

  await suppress(ports, organization, {
    mark: recipientMark(organization, 'a@b.org'),
    by: 'bounced',
    hint: 'a…@b.org',
  });
  const source = { title: 'Ours', entries: [{ title: 'One', text: 'Text.' }] };
  await putSource(ports, organization, { name: 'ours', value: source });
  const tokens = { ...NO_TOKENS, inputTokens: 3, outputTokens: 4 };
  await countTokens(table, organization, { tokens, now: clock.now() });
  await table.spend(
    { pk: `O#${organization}#USAGE`, sk: 'MONTH#2026-06' },
    { by: { tokens: 7 }, atMost: {}, expiresAt },
  );
  await storeOtherRows(ports, { running, recurring, expiresAt });
  const expired = { pk: `O#${organization}#T#${running.taskId}`, sk: 'DELIVERY#evt#000001' };
  await table.insert({ ...expired, value: { at: 1 }, expiresAt: clock.now() - 1 });
  return { ...belongings, planted, upload, succeeded, running, recurring, expired };
}

type OtherRows = { running: TaskAddress; recurring: TaskAddress; expiresAt: number };

/** Of kinds that only a whole product writes, with values as they are in recorded states. */
async function storeOtherRows({ table, clock }: FullPorts, { running, recurring, expiresAt }: OtherRows) {
  const { pk } = taskKey(running);
  const [item] = await table.getMany<Task>([taskKey(running)]);
  const endedAt = clock.now();
  const run = { number: 1, slotAt: endedAt, seq: 1 };
  const ended = { ...item?.value, state: 'succeeded', endedAt, run } as Task;
  await table.insert(taskDraft({ ...recurring, run: 1 }, ended, endedAt));
  await table.spend({ pk, sk: 'BUDGET#0' }, { by: { tokens: 5 }, atMost: {}, expiresAt });
  for (const name of ['EVENTS#1#1', 'INPUT'])
    await insertLong(table, { pk, name, value: { text: LONG_TEXT }, expiresAt });
  const others = {
    'DELIVERY#evt_1#000001': { at: 1, ms: 2, status: 500 },
    'USAGE#0#1': { model: 'm', inputTokens: 1 },
  };
  const reports = { 'MAILED#once#m': { status: 'bounced', at: 1, reason: 'r' }, 'MISSED#1#2': { from: 1, to: 2 } };
  for (const [sk, value] of Object.entries({ ...others, ...reports })) await table.insert({ pk, sk, value, expiresAt });
}

/** Returns every text that no export may contain. */
async function plantSecrets(ports: FullPorts, organization: string): Promise<string[]> {
  const { table, clock, ids } = ports;
  const connection = {
    provider: 'openai',
    url: 'https://models.errand-tests.org/v1?token=planted-in-a-query',
  } as const;
  const { modelKey: key, searchKey, password } = PLANTED;
  await storeConnection(ports, organization, { name: 'ours', model: 'm', connection: { ...connection, key } });
  await setSearchProvider(ports, organization, {
    preset: 'brave',
    url: 'https://api.search.brave.com/',
    key: searchKey,
  });
  const { secret } = await rotateWebhookSecret(ports, organization);
  const { apiKey } = await createKey(ports, { organization, name: "Ann's key" });
  const name = `ann@${organization}`;
  const user = await createUser(ports, { organization, name, role: 'member', password });
  const issuer = { issuer: `https://${organization}.errand-tests.org`, audience: 'a' };
  await setIssuer(ports, organization, { ...issuer, keysAddress: 'https://keys.errand-tests.org/', admits: true });
  await linkUser(table, user, { issuer: issuer.issuer, sub: 'subject' });
  await claim(ports, { organization, method: 'POST', path: '/x', key: 'k', body: Buffer.from('') });
  await limitSpender(ports)(organization, { name: 'files', minute: 5 });
  await table.insert({
    pk: `O#${organization}#REDEEMED#x`,
    sk: 'REDEEMED',
    value: {},
    expiresAt: clock.now() + 60_000,
  });
  await table.insert({
    pk: `W#${ids.uuid()}`,
    sk: 'CONNECTION',
    value: { organization, by: 'user:x', endsAt: clock.now() },
  });
  await table.insert({ pk: `SIGNED-IN#${user.id}`, sk: 'ADDRESS#x', value: { organization } });
  return [
    key,
    searchKey,
    password,
    secret,
    apiKey,
    'planted-in-a-query',
    ...(await storedSecrets(table, organization)),
  ];
}

const SECRET_FIELDS = new Set(['hash', 'sealed', 'sealedKey', 'passwordHash', 'bodyHash']);

/** The hashes and sealed values of the rows with secrets. */
async function storedSecrets(table: Table, organization: string): Promise<string[]> {
  const list = async (name: string) => (await table.listed(`O#${organization}#${name}`, { limit: 100 })).rows;
  const keys: Key[] = [
    ...['WEBHOOK_SECRET', 'MODEL#ours', 'SEARCH_PROVIDER'].map((sk) => ({ pk: `O#${organization}`, sk })),
    ...(await list('KEYS')).map(({ id }) => ({ pk: `K#${id}`, sk: 'KEY' })),
    ...(await list('USERS')).map(({ id }) => ({ pk: `U#${id}`, sk: 'USER' })),
  ];
  const texts: string[] = [];
  for (const row of await table.getMany(keys))
    JSON.stringify(row?.value, (name, value) => {
      if (SECRET_FIELDS.has(name) && typeof value === 'string') texts.push(value);
      return value;
    });
  return texts;
}

/** A file whose upload address was used again after the completion. */
async function uploadedFile({ table, blobs, clock }: FullPorts & { ids: Ids }, organization: string, text: string) {
  const file = { organization, fileId: crypto.randomUUID().replace(/^(.{14})./, '$17') };
  const { storagePath } = await requestUpload({ table, blobs, clock }, { ...file, fileName: 'a.txt' });
  const bytesAt = async () =>
    (await table.get<{ bytesAt: string }>(fileKey(organization, file.fileId)))?.value.bytesAt ?? '';
  await putText(blobs, await bytesAt(), text);
  const about = { fileName: 'a.txt', mimeType: 'text/plain', size: text.length };
  await completeUpload({ table, blobs, clock }, { ...file, ...about, storagePath });
  await putText(blobs, (await bytesAt()).split('#')[0] ?? '', text.toUpperCase());
  await requestReading({ table, clock, hints }, file);
  return { fileId: file.fileId, bytesAt: await bytesAt() };
}

const textOf = async (blobs: Blobs, at: string): Promise<string | undefined> => {
  const body = await blobs.read(at);
  return body && (await buffer(body)).toString();
};

/** All that the use cases show of an organization. The name of an upload's version differs from store to store. */
export async function shownOrganization(
  { table, blobs, clock }: Pick<FullPorts, 'table' | 'blobs' | 'clock'>,
  organization: string,
) {
  const faces: TaskApi[] = ['files-and-tasks', AGENTS_API];
  const filter = { organization, limit: 100, fits: () => true, states: undefined };
  const pages = await Promise.all(faces.map((face) => listTasks({ table }, { ...filter, api: face })));
  const tasks = await Promise.all(
    pages
      .flatMap(({ rows }) => rows)
      .map(async ({ taskId, ...shown }) => {
        const address = { organization, taskId };
        const { archive } = shown.result ?? {};
        return {
          taskId,
          ...shown,
          archive: archive && (await textOf(blobs, archive.bytesAt)),
          deliveries: await deliveriesOf({ table }, address),
          runs: (await runsOf(table, address, 10)).map(({ value }) => value),
        };
      }),
  );
  const files = (await listFiles({ table, clock }, { organization, limit: 100 })).rows;
  const rulesets = await allKnowledge(table, 'ruleset', organization);
  return {
    organization: await organizationById(table, organization),
    tasks,
    files: await Promise.all(
      files.map(async ({ bytesAt, ...file }) => ({ ...file, bytes: await textOf(blobs, bytesAt) })),
    ),
    workflows: (await allKnowledge(table, 'workflow', organization)).map(({ value }) => value),
    rulesets: await Promise.all(rulesets.map(({ value }) => rulesetText(table, organization, value))),
    sources: await listSources(table, organization),
    suppressions: await listSuppressions(table, organization, 100),
    days: await tokensByDay(table, organization, clock.now()),
    users: await listUsers(table, organization),
  };
}
