/** A connection of an organization through the whole product: it answers, its key leaks nowhere, and others do not know it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LocalContext, openLocal } from '../../../adapters/local/context.ts';
import { agents } from '../../../client/src/agents.ts';
import { setModels } from '../../../shared/accounts/organizations.ts';
import { removeModelConnection, storeConnection } from '../../../shared/accounts/stored-connections.ts';
import { openAiServer } from '../../engines/models/openai-server.ts';
import { OPENAI, says } from '../../engines/models/scripted-provider.ts';
import { json } from '../../engines/models/stub-server.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const KEY = 'sk-canary-e83b1d';
const folder = temporaryFolder();
const state = join(folder.path, 'state');
let product: Running;
let server: Awaited<ReturnType<typeof openAiServer>>;
let logged = '';

/** What the command line does, which this process cannot start and wait for: its server must answer meanwhile. */
async function withState(change: (local: LocalContext) => Promise<unknown>): Promise<void> {
  const local = openLocal({ ERRAND_STATE: state });
  await change(local).finally(() => local.close());
}

beforeAll(async () => {
  const env = { ERRAND_LOG_LEVEL: 'info' };
  product = await startLocalProduct(state, await freePort(), [], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const output of [product.process.stdout, product.process.stderr])
    output?.setEncoding('utf8').on('data', (text) => {
      logged += text;
    });
  server = await openAiServer({ key: KEY, tools: OPENAI.stream(...says('It is due in March.')) });
  await withState(async (local) => {
    const connection = { provider: 'openai-compatible', url: server.url, key: KEY } as const;
    await storeConnection(local, organization(0).id, { name: 'ours', model: 'large', connection });
    await setModels(local.table, organization(0).id, ['ours/large']);
  });
});
afterAll(async () => {
  await product.stop();
  await server.close();
  folder.remove();
});

const organization = (nth: number) => product.local.organizations[nth] as (typeof product.local.organizations)[0];

async function call(path: string, body?: object, nth = 0) {
  const response = await fetch(product.local.filesAndTasks.baseUrl + path, {
    headers: { authorization: `Bearer ${organization(nth).apiKey}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const originOf = ({ local }: Running): string => new URL(local.filesAndTasks.baseUrl).origin;

async function endedTask(model: string): Promise<Record<string, unknown>> {
  const delivery = { type: 'webhook', config: { endpoint: `${originOf(product)}/catch/` } };
  const { body } = await call('/tasks', {
    namespace: 'n',
    delivery,
    input: { type: 'chat', prompt: 'Due when?', model },
  });
  return vi.waitUntil(
    async () => {
      const { body: task } = await call(`/tasks/${body.taskId}`);
      return 'completedAt' in task ? task : undefined;
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function caughtWebhooks(): Promise<string> {
  const { username, password } = organization(0);
  const { access_token: token } = await agents({ ...product.local.agents, login: { username, password } }).login();
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${originOf(product)}/console/webhooks`, { headers })).text();
}

it('answers with the key of the organization', async () => {
  expect(await endedTask('ours/large')).toMatchObject({ status: 'success' });
  expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
});

it('shows the key nowhere, even if the provider repeats it in its refusal', async () => {
  const asked = server.asked.length;
  server.answerNext(json({ error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } }, 401));
  const failed = await endedTask('ours/large');
  expect(failed).toMatchObject({ status: 'failure', error: { code: 'MODEL_UNAVAILABLE' } });
  expect(server.asked).toHaveLength(asked + 1);
  const caught = await vi.waitUntil(
    async () => {
      const webhooks = await caughtWebhooks();
      return webhooks.includes(String(failed.taskId)) ? webhooks : undefined;
    },
    { timeout: 10_000, interval: 50 },
  );
  expect(logged).toContain('"kind":"invalid_api_key"');
  for (const text of [JSON.stringify(failed), caught, logged]) expect(text).not.toContain(KEY);
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
});

it('tells another organization the same of this model as of none', async () => {
  const refusal = async (model: string) => {
    const { status, body } = await call('/tasks', { namespace: 'n', input: { type: 'chat', prompt: 'x', model } }, 1);
    return [status, JSON.stringify(body).replaceAll(model, 'MODEL')];
  };
  const [ofOurs, ofNone] = [await refusal('ours/large'), await refusal('none/large')];
  expect(ofOurs[0]).toBe(400);
  expect(ofOurs).toEqual(ofNone);
});

it('stops within a second of the removal', async () => {
  await withState(({ table }) => removeModelConnection(table, organization(0).id, 'ours'));
  const asked = server.asked.length;
  const refused = await vi.waitUntil(
    async () => {
      const task = await endedTask('ours/large');
      return task.status === 'failure' ? task : undefined;
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(refused.error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('is not set up') });
  expect(server.asked.length - asked).toBeLessThanOrEqual(1);
});
