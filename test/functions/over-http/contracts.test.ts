/** Compares real answers with the contracts: every operation, every kind of problem, every message of the channel. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Role } from '../../../shared/accounts/caller.ts';
import { answerOf, checker, contract } from '../../scripts/contracts/check-answer.ts';
import { subscribe } from '../../shared/realtime/client.ts';
import { call, type Reply, target } from './call.ts';
import type { OrganizationName } from './target.ts';
import { PASSWORD, userNameOf } from './target.ts';

vi.setConfig({ testTimeout: 60_000 });

const SOON = { timeout: 25_000, interval: 100 };
/** A valid public host name that does not resolve. */
const ENDPOINT = 'https://no-such-host.errand-webhooks.org/hook';
/** Its circuit is closed however often deliveries to the other have failed. */
const UNTRIED_ENDPOINT = 'https://no-such-host.errand-untried.org/hook';
const UUID = '01900000-0000-7000-8000-00000000abcd';

const DOCUMENTS = { files: contract('files-and-tasks.openapi'), agents: contract('agents.openapi') };
const CHECKS = { files: checker(DOCUMENTS.files), agents: checker(DOCUMENTS.agents) };
const covered = { files: new Set<string>(), agents: new Set<string>() };

type ApiName = keyof typeof DOCUMENTS;
type ExpectedCall = {
  status: number;
  json?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  as?: OrganizationName | undefined;
  role?: Role;
  headers?: Record<string, string>;
  in?: Record<string, string>;
  query?: string;
};

/** Calls an operation by its path in the contract, and validates the answer. */
async function askOperation(
  api: ApiName,
  operation: string,
  { status, in: names = {}, query = '', ...o }: ExpectedCall,
): Promise<Reply> {
  const [method = '', path = ''] = operation.split(' ');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => names[name] ?? UUID);
  const below = api === 'files' ? filled.replace('/api/v1', '') : filled;
  const as = 'as' in o ? o.as : 'contracts';
  const { as: _, ...options } = o;
  const reply = await call(api, below + query, { method, ...(as ? { as } : {}), ...options });
  expect(reply.status, `${operation} ${reply.text}`).toBe(status);
  const schema = answerOf(DOCUMENTS[api], { method, path }, status);
  const documented = DOCUMENTS[api].paths[path][method.toLowerCase()].responses[String(status)];
  const [type] = Object.keys(documented.content ?? {});
  if (schema) expect(CHECKS[api](schema, reply.body), `${operation} ${reply.text}`).toEqual([]);
  else if (type) expect(reply.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  else expect(reply.text).toBe('');
  const documentedHeaders = Object.keys(documented.headers).map((name) => name.toLowerCase());
  const ours = [
    'x-request-id',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'www-authenticate',
    'idempotent-replayed',
    'x-errand-warnings',
  ];
  expect(documentedHeaders, operation).toEqual(expect.arrayContaining(ours.filter((name) => reply.headers.has(name))));
  covered[api].add(`${operation} ${status}`);
  return reply;
}

const files = (operation: string, o: ExpectedCall) => askOperation('files', operation, o);
const agents = (operation: string, o: ExpectedCall) => askOperation('agents', operation, o);

const newTask = {
  namespace: 'contracts',
  delivery: { type: 'webhook', config: { endpoint: ENDPOINT } },
  input: { type: 'chat', prompt: 'What is attached?' },
};

it('has the files', async () => {
  const { body: offer } = await files('POST /api/v1/files', { status: 200, json: { fileName: 'a.txt' } });
  await fetch(String(offer.uploadUrl), { method: 'PUT', body: 'Deposit due: 1,200.00' });
  const { fileId, storagePath } = offer as Record<string, string>;
  const at = { fileId: fileId ?? '' };
  const json = { fileName: 'a.txt', mimeType: 'text/plain', size: 21, storagePath };
  await files('POST /api/v1/files/{fileId}/complete', { status: 201, in: at, json });
  await files('GET /api/v1/files/{fileId}', { status: 200, in: at });
  await files('GET /api/v1/files', { status: 200, query: '?limit=1' });
  await files('GET /api/v1/files', { status: 400, query: '?limit=0' });
  const text = 'GET /api/v1/files/{fileId}/text';
  await files(text, { status: 202, in: at });
  const isRead = async () => (await call('files', `/files/${at.fileId}/text`, { as: 'contracts' })).status;
  await expect.poll(isRead, SOON).toBe(200);
  await files(text, { status: 200, in: at, query: '?format=json' });
  await files(text, { status: 400, in: at, query: '?format=xml' });
  await files(text, { status: 404 });
  await files('DELETE /api/v1/files/{fileId}', { status: 204, in: at });
  await files('GET /api/v1/files/{fileId}', { status: 404, in: at });
});

it('has the tasks, in each of their variants, and their deliveries', async () => {
  const { body } = await files('POST /api/v1/tasks', { status: 201, json: newTask });
  const at = { taskId: String(body.taskId) };
  const get = () => files('GET /api/v1/tasks/{taskId}', { status: 200, in: at });
  await expect.poll(async () => (await get()).body.status, SOON).toBe('success');
  const submitted = (await files('GET /api/v1/tasks/{taskId}/input', { status: 200, in: at })).body;
  expect(submitted).toMatchObject({ taskId: at.taskId, input: { prompt: newTask.input.prompt } });
  await files('GET /api/v1/tasks/{taskId}/input', { status: 404, in: { taskId: 'unknown' } });
  const list = () => files('GET /api/v1/tasks/{taskId}/deliveries', { status: 200, in: at });
  type Sent = { deliveryId: string; attempts: unknown[] }[];
  // Less often than the 25 a minute that are allowed.
  const seldom = { ...SOON, interval: 1_500 };
  await expect.poll(async () => ((await list()).body.deliveries as Sent)[0]?.attempts.length, seldom).toBe(1);
  const [sentDelivery] = (await list()).body.deliveries as Sent;
  const delivery = { ...at, deliveryId: sentDelivery?.deliveryId ?? '' };
  await files('POST /api/v1/tasks/{taskId}/deliveries/{deliveryId}/redeliver', { status: 202, in: delivery });
  await files('POST /api/v1/tasks/{taskId}/cancel', { status: 200, in: at });

  const cancelled = { taskId: String((await files('POST /api/v1/tasks', { status: 201, json: newTask })).body.taskId) };
  await files('POST /api/v1/tasks/{taskId}/cancel', { status: 200, in: cancelled });
  await files('GET /api/v1/tasks/{taskId}', { status: 200, in: cancelled });
  await files('GET /api/v1/tasks', { status: 200, query: '?namespace=contracts&limit=100' });
  await files('GET /api/v1/tasks', { status: 400, query: '?status=lost' });
});

type Properties = Record<string, { properties?: Properties }>;
const fieldsOf = (properties: Properties = {}): string[] => Object.keys(properties).toSorted();

/** Each field that a task may have, so that what shows it is compared with the contract. */
it('has the tasks with all their fields', async () => {
  const task = {
    ...newTask,
    budget: { maxTokens: 100_000, maxMinutes: 5 },
    input: {
      ...newTask.input,
      model: 'offline/extractive',
      reasoningEffort: 'low',
      fileIds: [],
      workflowIds: [],
      rulesetIds: [],
      outputSchema: { type: 'object', properties: { deposit: { type: 'number' } } },
      onMissing: 'null',
      accept: ['proven'],
    },
  };
  const { properties } = DOCUMENTS.files.components.schemas.NewTask;
  expect(fieldsOf(task as never), 'Give the new field a value here.').toEqual(fieldsOf(properties));
  expect(fieldsOf(task.input as never), 'Give the new field of input a value here.').toEqual(
    fieldsOf(properties.input.properties),
  );
  const { body } = await files('POST /api/v1/tasks', { status: 201, json: task });
  const at = { taskId: String(body.taskId) };
  const get = () => files('GET /api/v1/tasks/{taskId}', { status: 200, in: at });
  await expect.poll(async () => (await get()).body.status, SOON).toMatch(/success|failure/);
  const { body: submitted } = await files('GET /api/v1/tasks/{taskId}/input', { status: 200, in: at });
  const { type: _onlyType, ...shownFields } = task.input;
  expect(submitted.input, 'Show the new field of input here.').toMatchObject(shownFields);

  const submission = {
    task_type: 'research_agent',
    input: { query: 'Port fees' },
    webhook_url: ENDPOINT,
    priority: 3,
    timeout_minutes: 5,
    metadata: { order: '7' },
    budget: { max_tokens: 100_000 },
  };
  const schema = DOCUMENTS.agents.components.schemas.ResearchSubmission;
  expect(fieldsOf(submission as never), 'Give the new field a value here.').toEqual(fieldsOf(schema.properties));
  const accepted = await agents('POST /api/v1/tasks', { status: 202, json: submission });
  const there = { task_id: String(accepted.body.task_id) };
  const status = () => agents('GET /api/v1/tasks/{task_id}', { status: 200, in: there });
  await expect.poll(async () => (await status()).body.status, SOON).toBe('completed');
  await agents('GET /api/v1/tasks/{task_id}/results', { status: 200, in: there });
  const { body: given } = await agents('GET /api/v1/tasks/{task_id}/input', { status: 200, in: there });
  expect(given, 'Show the new field here.').toMatchObject({
    ...submission,
    budget: { max_tokens: 100_000, max_usd: null },
  });
});

it('has the other answers of the files and tasks API', async () => {
  await files('GET /api/v1/models', { status: 200 });
  for (const kind of ['workflows', 'rulesets']) {
    await files(`GET /api/v1/${kind}`, { status: 200, query: '?limit=1' });
    await files(`GET /api/v1/${kind}`, { status: 400, query: '?limit=0' });
  }
  await files('GET /api/v1/usage', { status: 200 });
  await files('GET /api/v1/health', { status: 200, as: undefined });
  await files('POST /api/v1/webhooks/test', { status: 200, json: { endpoint: ENDPOINT } });
});

it('is served by each API as it is in the repository', async () => {
  const roots = { files: target.filesAndTasks.replace(/\/api\/v1$/, ''), agents: target.agents };
  for (const api of ['files', 'agents'] as const) {
    const reply = await fetch(`${roots[api]}/openapi.json`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await reply.json()).toEqual(DOCUMENTS[api]);
    covered[api].add('GET /openapi.json 200');
    expect(CHECKS[api]('Health', await (await fetch(`${roots[api]}/health`)).json())).toEqual([]);
    covered[api].add('GET /health 200');
  }
  expect(await (await fetch(`${target.agents}/asyncapi.json`)).json()).toEqual(contract('agents.asyncapi'));
});

it('has the tasks of agents', async () => {
  const json = { task_type: 'research_agent', input: { query: 'Port fees' }, webhook_url: UNTRIED_ENDPOINT };
  const { body } = await agents('POST /api/v1/tasks', { status: 202, json });
  const at = { task_id: String(body.task_id) };
  const status = () => agents('GET /api/v1/tasks/{task_id}', { status: 200, in: at });
  await expect.poll(async () => (await status()).body.status, SOON).toBe('completed');
  await agents('GET /api/v1/tasks/{task_id}/results', { status: 200, in: at });
  const source = 'GET /api/v1/tasks/{task_id}/results/sources/{source}';
  await agents(source, { status: 200, in: { ...at, source: '1' } });
  await agents(source, { status: 404, in: { ...at, source: '0' } });
  const submitted = (await agents('GET /api/v1/tasks/{task_id}/input', { status: 200, in: at })).body;
  expect(submitted).toMatchObject({
    task_type: 'research_agent',
    input: { query: 'Port fees' },
    webhook_url: UNTRIED_ENDPOINT,
  });
  await agents('GET /api/v1/tasks/{task_id}/input', { status: 404, in: { task_id: 'unknown' } });
  const activity = (await agents('GET /api/v1/tasks/{task_id}/events', { status: 200, in: at })).body;
  expect((activity.events as { kind: string }[]).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['query', 'hits', 'note', 'budget']),
  );
  await agents('GET /api/v1/tasks/{task_id}/events', { status: 404, in: { task_id: 'unknown' } });
  await agents('POST /api/v1/tasks/{task_id}/cancel', { status: 409, in: at });
  const list = () => agents('GET /api/v1/tasks/{task_id}/deliveries', { status: 200, in: at });
  type Sent = { delivery_id: string; attempts: unknown[] }[];
  // Less often than the 25 a minute that are allowed.
  const seldom = { ...SOON, interval: 1_500 };
  await expect.poll(async () => ((await list()).body.deliveries as Sent)[0]?.attempts.length, seldom).toBe(1);
  const [sentDelivery] = (await list()).body.deliveries as Sent;
  const delivery = { ...at, delivery_id: sentDelivery?.delivery_id ?? '' };
  await agents('POST /api/v1/tasks/{task_id}/deliveries/{delivery_id}/redeliver', { status: 202, in: delivery });
  await agents('GET /api/v1/tasks', { status: 200, query: '?sort_by=completed_at&limit=100' });
  await agents('GET /api/v1/tasks', { status: 400, query: '?limit=0&sort_by=name' });
  await agents('GET /api/v1/usage', { status: 200 });
  await agents('GET /api/v1/sources', { status: 200 });
});

it('has the answer to a preview of a notification, and its results', async () => {
  const json = { input: { content: { recipients: ['ann@errand-tests.org'], data_sources: ['market_data'] } } };
  const { body } = await agents('POST /api/v1/notifications/preview', { status: 202, json });
  const at = { task_id: String(body.task_id) };
  const status = () => agents('GET /api/v1/tasks/{task_id}', { status: 200, in: at });
  await expect.poll(async () => (await status()).body.status, SOON).toBe('completed');
  const { body: results } = await agents('GET /api/v1/tasks/{task_id}/results', { status: 200, in: at });
  expect(results.results).toMatchObject({ preview: { html_file: 'mail.html', would_go_to: 1 } });
  await agents('GET /api/v1/tasks/{task_id}/input', { status: 200, in: at });
});

it('has the answer to a cancel, and the results of a cancelled task', async () => {
  const documents = Array.from({ length: 8 }, (_, at) => ({ url: `https://files.errand-tests.org/${at}.pdf` }));
  const json = { task_type: 'processing_agent', input: { documents, extraction_rules: ['dates'] } };
  const at = { task_id: String((await agents('POST /api/v1/tasks', { status: 202, json })).body.task_id) };
  const { body } = await call('agents', `/api/v1/tasks/${at.task_id}/results`, { as: 'contracts' });
  if (body.error && !('partial' in body)) expect(CHECKS.agents('Error', body)).toEqual([]);
  const request = { reason: 'Ordered twice', force: true };
  await agents('POST /api/v1/tasks/{task_id}/cancel', { status: 200, in: at, json: request });
  await agents('GET /api/v1/tasks/{task_id}', { status: 200, in: at });
  await agents('GET /api/v1/tasks/{task_id}/results', { status: 200, in: at });
});

it('has the other answers of the agent API', async () => {
  await agents('GET /health', { status: 200, as: undefined });
  await agents('GET /openapi.json', { status: 200, as: undefined });
  await agents('GET /asyncapi.json', { status: 200, as: undefined });
  await agents('GET /api/v1/health', { status: 200, as: undefined });
  const username = userNameOf('contracts', 'member');
  await agents('POST /auth/login', { status: 200, as: undefined, json: { username, password: PASSWORD } });
  await agents('POST /auth/login', { status: 400, as: undefined, json: { username } });
  await agents('POST /auth/login', { status: 401, as: undefined, json: { username, password: 'not the one' } });
  await agents('POST /api/v1/webhooks/test', { status: 200, json: { webhook_url: ENDPOINT } });
});

describe.each([
  ['files', 'POST /api/v1/tasks', newTask, '/api/v1/tasks/{taskId}'],
  [
    'agents',
    'POST /api/v1/tasks',
    { task_type: 'research_agent', input: { query: 'Fees' } },
    '/api/v1/tasks/{task_id}',
  ],
] as const)('the problems of %s', (api, submit, json, taskPath) => {
  it('are as the contract has them', async () => {
    await askOperation(api, submit, { status: 400, json: {} });
    await askOperation(api, submit, { status: 400, raw: '{' });
    await askOperation(api, submit, { status: 401, as: undefined, json });
    await askOperation(api, `GET ${taskPath}`, { status: 404 });
    await askOperation(api, submit, { status: 413, raw: `{"a":"${'x'.repeat(1_000_001)}"}` });
    await askOperation(api, submit, { status: 415, raw: 'a', headers: { 'content-type': 'text/plain' } });
    const headers = { 'idempotency-key': `contracts-${Date.now()}` };
    const first = await askOperation(api, submit, { status: api === 'files' ? 201 : 202, json, headers });
    const again = await askOperation(api, submit, { status: first.status, json, headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    await askOperation(api, submit, { status: 422, json: { ...json, more: 1 }, headers });
  });

  it('and so are those of a role and of a limit', async () => {
    if (api === 'agents') await agents('POST /api/v1/tasks', { status: 403, role: 'viewer', json });
    const test = () =>
      call(api, api === 'files' ? '/webhooks/test' : '/api/v1/webhooks/test', { as: 'contracts', json: {} });
    await expect.poll(async () => (await test()).status, SOON).toBe(429);
    await askOperation(api, 'POST /api/v1/webhooks/test', { status: 429, json: {} });
  });
});

it('has each message of the WebSocket channel', async () => {
  const { body } = await agents('POST /api/v1/websocket-auth', { status: 200 });
  const check = checker(contract('agents.asyncapi'));
  const since = new Date(Date.now() - 60_000).toISOString();
  const client = await subscribe(target.agentsSocket, String(body.websocket_token), { resume_from: { since } });
  await call('agents', '/api/v1/tasks', {
    as: 'contracts',
    json: { task_type: 'research_agent', input: { query: 'Fees' } },
  });
  client.send({ type: 'ping' });
  client.send({ type: 'dance' });
  const names = {
    authenticated: 'Authenticated',
    subscribed: 'Subscribed',
    pong: 'Pong',
    error: 'Fault',
    task_started: 'TaskStarted',
    task_progress: 'TaskProgress',
    task_completed: 'TaskCompleted',
    task_failed: 'TaskFailed',
    replay_complete: 'ReplayComplete',
  };
  for (const type of Object.keys(names)) await client.first((message) => message.type === type);
  client.close();
  // The notification is sent for a reason, such as a receiver that failed in earlier tests.
  const schemaNames: Record<string, string> = { ...names, system_notification: 'SystemNotification' };
  for (const message of client.messages) {
    expect(check(schemaNames[message.type] ?? message.type, message), JSON.stringify(message)).toEqual([]);
  }
});

afterAll(() => {
  for (const api of ['files', 'agents'] as const) {
    const operations = Object.entries(DOCUMENTS[api].paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const succeeded = operations.filter((operation) =>
      [...covered[api]].some((seen) => seen.startsWith(`${operation} 2`)),
    );
    // Pages for people have a suite of their own.
    const missing = operations.filter(
      (operation) => !succeeded.includes(operation) && !operation.includes('/unsubscribe/'),
    );
    expect(missing).toEqual([]);
  }
});
