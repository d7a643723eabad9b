/** The console of the local product, its receiver of webhooks, and its list of mails. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../../client/src/agents.ts';
import { agents as agentsFace } from '../../../functions/agents/api.ts';
import { login } from '../../../functions/agents/login.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { rawRequest } from './raw-request.ts';

const folder = temporaryFolder();
let product: Running;
let port = 0;

beforeAll(async () => {
  port = await freePort();
  product = await startLocalProduct(join(folder.path, 'state'), port);
});
afterAll(async () => {
  await product.stop();
  folder.remove();
});

const get = (path: string, headers = {}, method = 'GET') =>
  rawRequest({ port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } });
const page = () => get('/');
const people = (nth = 0) => {
  const { username, password } = product.local.organizations[nth] ?? { username: '', password: '' };
  return agents({ ...product.local.agents, login: { username, password } });
};

type Caught = { path: string; signatures: string[]; body: string; bytes: number; isCut: boolean; answered: number };
/** Logged in as the first organization. */
const caughtWebhooks = async (nth = 0): Promise<Caught[]> => {
  const { access_token: token } = await people(nth).login();
  return fetchCaught({ authorization: `Bearer ${token}` });
};
const fetchCaught = async (headers = {}): Promise<Caught[]> =>
  JSON.parse((await get('/console/webhooks', headers)).text).webhooks;

describe('the page', () => {
  it('is at the root URL, and contains the URLs of the APIs and the credentials', async () => {
    const { status, headers, text } = await page();
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    const told = /name="errand" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const [one] = product.local.organizations;
    expect(JSON.parse(told)).toMatchObject({
      filesUrl: product.local.filesAndTasks.baseUrl,
      agentsUrl: product.local.agents.rootUrl,
      wsUrl: product.local.agents.wsUrl,
      local: { demoUsers: [{ organization: one?.name, username: one?.username, password: one?.password }, {}] },
    });
  });

  it('runs only its own files, whose names contain a hash of their content', async () => {
    const { headers, text } = await page();
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' /);
    expect(policy).toContain(`ws://127.0.0.1:${port + 1};`);
    for (const part of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const path of files) {
      expect(path).toMatch(/^assets\/\w+-[A-Z0-9]{8}\.(js|css|svg)$/);
      const file = await get(`/${path}`);
      expect([file.status, file.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('is served only to this machine under its own host names', async () => {
    expect((await get('/', { host: `localhost:${port}` })).status).toBe(200);
    for (const path of ['/', '/console/webhooks', '/console/mails']) {
      const refused = await get(path, { host: `rebound.acme.org:${port}` });
      expect([refused.status, refused.text]).toEqual([403, 'This is for this machine alone.']);
    }
    expect((await page()).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('leaves all routes and other methods to the APIs', async () => {
    const routes = [...filesAndTasks.routes, ...agentsFace.routes, ...login.routes].map(({ path }) => path);
    for (const path of routes) expect(path).not.toMatch(/^\/$|^\/(assets|console|catch|mail)\//);
    expect(JSON.parse((await get('/', {}, 'POST')).text)).toEqual({ error: 'Not found.' });
    expect((await get('/health')).status).toBe(200);
    expect((await get('/openapi.json')).status).toBe(200);
    expect((await rawRequest({ port: port + 1, path: '/' })).status).toBe(404);
  });

  it('does not serve files outside its folder', async () => {
    for (const path of [
      '/assets/../index.html',
      '/assets/%2e%2e/index.html',
      '/assets/..%2findex.html',
      '/assets/',
      '/assets/none-AAAAAAAA.js',
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });
});

describe('the catcher', () => {
  it('receives the webhooks of tasks, and reports that their signature is valid', async () => {
    const attempt = await people().testWebhook(`http://127.0.0.1:${port}/catch/mine`);
    expect(attempt).toMatchObject({ status: 200, error: null, answer: 'Received.' });
    const [newest] = await caughtWebhooks();
    expect(newest).toMatchObject({ path: '/catch/mine', answered: 200, isCut: false });
    expect(newest?.signatures).toEqual(['webhook-signature', 'x-service-signature']);
    expect(JSON.parse(newest?.body ?? '')).toMatchObject({ event_type: 'task_completed' });
  });

  it('shows a webhook to its organization, and unsigned ones to all', async () => {
    await people(1).testWebhook(`http://127.0.0.1:${port}/catch/other-organization`);
    await post('/catch/without-owner', '{}');
    const paths = (all: Caught[]) => all.map(({ path }) => path);
    expect(paths(await caughtWebhooks(1)).slice(0, 2)).toEqual(['/catch/without-owner', '/catch/other-organization']);
    for (const others of [
      await caughtWebhooks(0),
      await fetchCaught(),
      await fetchCaught({ authorization: 'Bearer forged' }),
    ]) {
      expect(paths(others)).toContain('/catch/without-owner');
      expect(paths(others)).not.toContain('/catch/other-organization');
    }
    expect(paths(await caughtWebhooks(0))).toContain('/catch/mine');
    expect(paths(await caughtWebhooks(1))).not.toContain('/catch/mine');
  });

  it('answers with an error if its URL asks for one', async () => {
    expect(await people().testWebhook(`http://localhost:${port}/catch/?answer=503`)).toMatchObject({ status: 503 });
    expect((await caughtWebhooks())[0]).toMatchObject({ answered: 503 });
  });

  it('marks requests that are not webhooks of this product, and keeps only the start of the newest hundred', async () => {
    expect((await post('/catch/x', 'a'.repeat(100_000))).status).toBe(200);
    const [big] = await caughtWebhooks();
    expect(big).toMatchObject({ signatures: [], bytes: 100_000, isCut: true });
    expect(big?.body.length).toBe(65_536);
    for (let sent = 0; sent < 105; sent++) await post(`/catch/${sent}`, '{}');
    const all = await caughtWebhooks();
    expect(all.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, at) => `/catch/${104 - at}`));
    expect((await get('/catch/x')).status).toBe(405);
  });

  it.each(['127.0.0.1', 'localhost'])(
    'is the only route of the product that an endpoint may name, as %s',
    async (host) => {
      for (const place of [`${port}/api/v1/tasks`, `${port + 1}/auth/login`, `${port}/catch/../console/mails`]) {
        const refused = people().testWebhook(`http://${host}:${place}`);
        await expect(refused, place).rejects.toMatchObject({ status: 400, code: 'TASK_VALIDATION_FAILED' });
      }
    },
  );
});

it('lists the mails of this machine, the newest first, each with its URL', async () => {
  const id = '0b7f1f5e-0000-4000-8000-000000000000';
  const mails = product.local.mail;
  mkdirSync(mails, { recursive: true });
  const mail = (subject: string) =>
    `From: a@b.org\r\nTo: "<b>Ann</b>" <ann@readers.org>\r\nSubject: ${subject}\r\nContent-Type: text/html\r\n\r\n<script>1</script><p>Hello</p>`;
  writeFileSync(join(mails, `2026-11-20T07-00-00-000Z-${id}.eml`), mail('Older'));
  writeFileSync(join(mails, `2026-11-21T07-00-00-000Z-${id}.eml`), mail('Newer'));
  const { mails: listed } = JSON.parse((await get('/console/mails')).text);
  expect(listed.map(({ subject }: { subject: string }) => subject)).toEqual(['Newer', 'Older']);
  const shown = await get(listed[0].htmlPath);
  expect(shown.headers['content-security-policy']).toMatch(/^sandbox allow-popups/);
  expect(String(shown.headers['content-security-policy'])).not.toContain('allow-scripts');
});

function post(path: string, body: string): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length };
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode }));
    });
    sent.on('error', reject).end(body);
  });
}
