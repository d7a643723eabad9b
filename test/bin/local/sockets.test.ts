/** The WebSocket channel of the local product: a watched task, and the effect of operator commands on connections. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { type Client, connect, subscribe } from '../../shared/realtime/client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let product: Running;
let access = '';

async function ask(path: string, json?: object, token = access): Promise<Record<string, string>> {
  const response = await fetch(product.local.agents.rootUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json ? { body: JSON.stringify(json) } : {}),
  });
  return (await response.json()) as Record<string, string>;
}

async function listening(): Promise<Client> {
  const { websocket_token: token = '' } = await ask('/api/v1/websocket-auth');
  return subscribe(product.local.agents.wsUrl, token);
}

const errand = (...words: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../../bin/errand.ts'), ...words, '--json'], {
    env: product.env,
    encoding: 'utf8',
  });

beforeAll(async () => {
  product = await startLocalProduct(join(folder.path, 'state'), await freePort());
  const [{ username = '', password = '' } = {}] = product.local.organizations;
  access = (await ask('/auth/login', { username, password })).access_token ?? '';
});
afterAll(async () => {
  await product.stop();
  folder.remove();
});

it('sends the updates of a task from its start to its end', async () => {
  const client = await listening();
  const input = { query: 'How high is the tide?' };
  const { task_id: id } = await ask('/api/v1/tasks', { task_type: 'research_agent', input, metadata: { order: '7' } });
  await client.first(({ type, task_id }) => type === 'task_completed' && task_id === id);
  const told = client.messages.filter(({ task_id }) => task_id === id);
  expect(told[0]).toMatchObject({ type: 'task_started', metadata: { order: '7' } });
  expect(told.at(-2)).toMatchObject({ type: 'task_progress', progress: 100 });
  expect(told.slice(1, -1).every(({ type }) => type === 'task_progress')).toBe(true);
  client.close();
});

it('warns once when most of a limit is used', async () => {
  const client = await listening();
  for (let sent = 0; sent < 10; sent++) await ask('/api/v1/webhooks/test', { webhook_url: 'http://127.0.0.1:1/' });
  const warning = await client.first(({ type }) => type === 'system_notification');
  expect(warning).toMatchObject({ level: 'warning', message: expect.stringContaining('80 %') });
  await sleep(300);
  expect(client.messages.filter(({ type }) => type === 'system_notification')).toHaveLength(1);
  client.close();
});

it('sends the announcement of the operator to subscribers', async () => {
  const client = await listening();
  const { stdout, status } = errand('announce', 'Down at noon', '--level', 'critical');
  expect([status, JSON.parse(stdout)]).toEqual([0, { level: 'critical', message: 'Down at noon', connections: 1 }]);
  expect(await client.first(({ type }) => type === 'system_notification')).toEqual({
    type: 'system_notification',
    level: 'critical',
    message: 'Down at noon',
    timestamp: expect.any(String),
  });
  client.close();
  expect(errand('announce', ' ').status).toBe(2);
  expect(errand('announce', 'x', '--level', 'loud').status).toBe(2);
});

it('closes the connections of a disabled user', async () => {
  const client = await listening();
  const [{ username = '' } = {}] = product.local.organizations;
  expect(errand('user', 'disable', username).status).toBe(0);
  await client.closed();
  errand('user', 'enable', username);
});

it('closes the connections of a user whose password changes', async () => {
  const client = await listening();
  const [{ username = '' } = {}] = product.local.organizations;
  expect(errand('user', 'password', username).status).toBe(0);
  await client.closed();
});

it('closes open connections when it stops', async () => {
  const client = await connect(product.local.agents.wsUrl);
  await product.stop();
  await client.closed();
  product = await startLocalProduct(join(folder.path, 'state'), await freePort());
});
