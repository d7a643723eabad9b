/** HEAD on the local product: the answer of GET without its body, on every route with GET. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let product: Running;
beforeAll(async () => {
  product = await startLocalProduct(join(folder.path, 'state'), await freePort());
});
afterAll(async () => {
  await product.stop();
  folder.remove();
});

/** Headers that differ between answers. */
const CHANGING = new Set(['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive']);

async function answer(method: string, address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { method, headers });
  const shown = [...response.headers].filter(([name]) => !CHANGING.has(name));
  return { status: response.status, headers: Object.fromEntries(shown), body: await response.text() };
}

async function expectSame(address: string, headers?: Record<string, string>): Promise<number> {
  const got = await answer('GET', address, headers);
  const head = await answer('HEAD', address, headers);
  expect(head, address).toEqual({ ...got, body: '' });
  expect(Number(head.headers['content-length']), address).toBe(Buffer.byteLength(got.body));
  return head.status;
}

it('is answered on both APIs, with and without a credential', async () => {
  const { filesAndTasks, agents, organizations } = product.local;
  const [{ apiKey = '', username = '', password = '' } = {}] = organizations;
  const login = await fetch(`${agents.rootUrl}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const statuses = [
    await expectSame(`${filesAndTasks.baseUrl}/health`),
    await expectSame(`${filesAndTasks.baseUrl}/tasks`, { 'x-api-key': apiKey ?? '' }),
    await expectSame(`${agents.rootUrl}/health`),
    await expectSame(`${agents.rootUrl}/api/v1/tasks`, { authorization: `Bearer ${token}` }),
  ];
  expect(statuses).toEqual([200, 200, 200, 200]);
  const refused = await answer('HEAD', `${filesAndTasks.baseUrl}/tasks`);
  expect([refused.status, refused.body]).toEqual([401, '']);
  const wrong = await answer('HEAD', `${agents.rootUrl}/api/v1/websocket-auth`);
  expect([wrong.status, wrong.headers.allow, wrong.body]).toEqual([405, 'POST', '']);
});

it('is answered for the pages of this machine', async () => {
  const own = product.local.filesAndTasks.baseUrl.replace('/api/v1', '');
  const pages = [
    '/',
    '/docs',
    '/docs/',
    '/docs/try',
    '/docs/docs.css',
    '/llms.txt',
    '/openapi.json',
    '/console/webhooks',
    '/mail/',
  ];
  for (const page of pages) {
    const [got, head] = [await answer('GET', own + page), await answer('HEAD', own + page)];
    expect([page, head.status, head.body]).toEqual([page, got.status, '']);
    expect(head.headers['content-type'], page).toBe(got.headers['content-type']);
  }
});
