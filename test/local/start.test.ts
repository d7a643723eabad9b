/** `npm start` as a person meets it: its start block, its files, its ends, its refusals. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openLocal } from '../../adapters/local/context.ts';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import { freePort } from '../api/free-port.ts';
import { type Running, startLocalProduct } from '../api/local-product.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { endWithParent } from '../end-with-parent.ts';
import { child } from '../operator/errand.ts';

const SCRIPT = join(import.meta.dirname, '../../bin/local.ts');

let folder: ReturnType<typeof temporaryFolder>;
let state = '';
let port = 0;
const running: Running[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  state = join(folder.path, 'state');
  port = await freePort();
});

afterEach(async () => {
  for (const { process: product } of running.splice(0)) {
    if (product.exitCode !== null || product.signalCode !== null) continue;
    product.kill('SIGKILL');
    await once(product, 'exit');
  }
  folder.remove();
});

async function start(): Promise<Running> {
  const product = await startLocalProduct(state, port);
  running.push(product);
  return product;
}

const startOnce = (args: string[] = [], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(port), ...env },
  });

/** As a person who reads what it prints. */
async function startPrinting(more: Record<string, string> = {}) {
  const product = endWithParent(
    spawn(process.execPath, [SCRIPT], {
      env: { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(port), ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let printed = '';
  for await (const text of product.stdout.setEncoding('utf8')) {
    printed += text;
    if (printed.includes('Ctrl-C')) break;
  }
  const stop = async () => {
    product.kill('SIGTERM');
    expect(await once(product, 'exit')).toEqual([0, null]);
  };
  return { printed, stop };
}

const models = ({ local }: Running, key: string | undefined) =>
  fetch(`${local.filesAndTasks.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });

it('writes where it answers, with two organizations that can be used at once', async () => {
  const product = await start();
  const organization = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    apiKey: expect.stringMatching(/^errand_/),
    username: expect.any(String),
    password: expect.stringMatching(/^.{12,}$/),
    webhookSecret: expect.stringMatching(/^whsec_/),
    models: ['offline/extractive'],
  };
  expect(product.local).toEqual({
    filesAndTasks: { baseUrl: `http://127.0.0.1:${port}/api/v1` },
    agents: { rootUrl: `http://127.0.0.1:${port + 1}`, wsUrl: `ws://127.0.0.1:${port + 1}` },
    mail: join(state, 'mail'),
    organizations: [
      { ...organization, name: 'Demo One' },
      { ...organization, name: 'Demo Two' },
    ],
  });
  for (const { apiKey } of product.local.organizations) expect((await models(product, apiKey)).status).toBe(200);
  for (const secret of ['local.json', 'demo.json', 'master.json', 'state.db']) {
    expect(statSync(join(state, secret)).mode & 0o077, secret).toBe(0);
  }
});

it('prints a labelled block whose calls work as printed, without colour outside of a terminal', async () => {
  const { printed, stop } = await startPrinting();
  expect(printed).toContain('  Files & Tasks API');
  expect(printed).not.toContain('\u001b');
  const call =
    /^curl -s (\S+) \\\n {2}-H '(authorization): ([^']+)' \\\n {2}-H '(content-type): ([^']+)' -d '([^']+)'$/m.exec(
      printed,
    );
  const [, url = '', auth = '', credential = '', type = '', json = '', body = ''] = call ?? [];
  const reply = await fetch(url, { method: 'POST', headers: { [auth]: credential, [type]: json }, body });
  expect(await reply.json()).toMatchObject({
    uploadUrl: expect.stringContaining('http://127.0.0.1'),
    storagePath: expect.any(String),
  });
  const login = /^curl -s (\S+) -H 'content-type: ([^']+)' \\\n {2}-d '([^']+)'$/m.exec(printed);
  const headers = { 'content-type': login?.[2] ?? '' };
  const loggedIn = await fetch(login?.[1] ?? '', { method: 'POST', headers, body: login?.[3] ?? '' });
  expect(await loggedIn.json()).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) });
  await stop();
});

it('stops cleanly, and keeps its state and its credentials', async () => {
  const first = await start();
  const { organizations } = first.local;
  first.process.kill('SIGINT');
  expect(await once(first.process, 'exit')).toEqual([0, null]);
  expect(existsSync(join(state, 'local.json'))).toBe(false);
  const second = await start();
  expect(second.local.organizations).toEqual(organizations);
  expect((await models(second, organizations[0]?.apiKey)).status).toBe(200);
});

it('tells of what became of its organizations since: another webhook secret, and one that is gone', async () => {
  const first = await start();
  const [one, two] = first.local.organizations;
  const { webhookSecret } = JSON.parse(child(state, ['webhook-secret', 'rotate', one?.id ?? '', '--json']).stdout);
  child(state, ['org', 'erase', two?.id ?? '', '--confirm', two?.id ?? '']);
  first.process.kill('SIGINT');
  await once(first.process, 'exit');
  const second = await start();
  expect(second.local.organizations).toEqual([{ ...one, webhookSecret }]);
});

it('shows no credential that is no longer valid, and the current models', async () => {
  const first = await start();
  const [one, two] = first.local.organizations;
  child(state, ['user', 'password', two?.username ?? '', '--password-stdin'], 'correct horse battery');
  child(state, ['key', 'revoke', two?.apiKey ?? '']);
  child(state, ['org', 'models', 'Demo Two', 'openai/x', 'offline/extractive']);
  first.process.kill('SIGINT');
  await once(first.process, 'exit');
  const { printed, stop } = await startPrinting();
  const local = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
  const models = ['openai/x', 'offline/extractive'];
  expect(local.organizations).toEqual([one, { ...two, apiKey: null, password: null, models }]);
  expect(printed).toContain('revoked since: npx errand key create "Demo Two"');
  expect(printed).toContain('admin@demo-two / changed since: npx errand user list "Demo Two"');
  expect(printed).toContain(`Bearer ${one?.apiKey}'`);
  expect(printed).not.toMatch(/null|undefined/);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(page).toContain(String(one?.password));
  expect(page).not.toContain('admin@demo-two');
  expect(printed.match(/.*by default.*/g)).toEqual([
    expect.stringMatching(/for Demo Two by default: openai\/x answers only while .* with ERRAND_OPENAI_ADDRESS$/),
  ]);
  await stop();
});

it('says nothing of a model whose provider is set up, nor of one that is not the default', async () => {
  await (await start()).stop();
  child(state, ['org', 'models', 'Demo One', 'openai/x']);
  const set = await startPrinting({ ERRAND_OPENAI_ADDRESS: 'http://127.0.0.1:9/v1' });
  expect(set.printed).not.toContain('by default');
  await set.stop();
  child(state, ['org', 'models', 'Demo One', 'offline/extractive', 'openai/x']);
  const second = await startPrinting();
  expect(second.printed).not.toContain('by default');
  await second.stop();
});

it('takes over after a kill -9', async () => {
  const first = await start();
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(existsSync(join(state, 'local.json'))).toBe(true);
  const second = await start();
  expect((await models(second, first.local.organizations[0]?.apiKey)).status).toBe(200);
});

it('founds the demo organizations once, also when its first start is killed while it does', async () => {
  const demo = join(state, 'demo.json');
  const env = { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(port) };
  const first = endWithParent(spawn(process.execPath, [SCRIPT], { env, stdio: 'ignore' }));
  await vi.waitUntil(() => existsSync(demo), { timeout: 10_000, interval: 1 });
  const { table, close } = openLocal(env);
  const founded = async () => (await listOrganizations(table)).map(({ id }) => id);
  await vi.waitUntil(async () => (await founded()).length > 0, { timeout: 10_000, interval: 1 });
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await founded()).toHaveLength(1);
  const { founding } = JSON.parse(readFileSync(demo, 'utf8'));
  const { local } = await start();
  expect(local.organizations).toEqual(founding);
  expect(await founded()).toEqual(local.organizations.map(({ id }) => id));
  close();
});

it.each(['', '[{"id"', 'null', '{}', '[7]', '[{"id":"x"}]'])(
  'names demo.json alone when it holds %j, and goes on with the state once it is deleted',
  async (damaged) => {
    const first = await start();
    await first.stop();
    const demo = join(state, 'demo.json');
    writeFileSync(demo, damaged);
    const { status, stderr } = startOnce();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^errand: .*demo\.json is damaged\. .* delete this file alone/),
    ]);
    expect(stderr).not.toContain('--reset');
    rmSync(demo);
    const second = await start();
    expect((await models(second, first.local.organizations[0]?.apiKey)).status).toBe(200);
    expect(second.local.organizations).toHaveLength(2);
  },
);

it('wipes the state and the credentials with --reset, and not while it runs', async () => {
  const first = await start();
  const refused = startOnce(['--reset'], { ERRAND_PORT: String(await freePort()) });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^errand: Errand already runs on /) });
  expect((await models(first, first.local.organizations[0]?.apiKey)).status).toBe(200);
  await first.stop();

  const again = endWithParent(
    spawn(process.execPath, [SCRIPT, '--reset'], { env: first.env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  await once(again.stdout, 'data');
  const { organizations } = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
  expect(organizations[0].id).not.toBe(first.local.organizations[0]?.id);
  again.kill('SIGINT');
  await once(again, 'exit');
});

it('wipes with --reset only what is its own', async () => {
  await (await start()).stop();
  writeFileSync(join(state, 'thesis.txt'), 'mine');
  const again = endWithParent(
    spawn(process.execPath, [SCRIPT, '--reset'], {
      env: { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await once(again.stdout, 'data');
  again.kill('SIGINT');
  await once(again, 'exit');
  expect(readFileSync(join(state, 'thesis.txt'), 'utf8')).toBe('mine');

  const foreign = join(folder.path, 'foreign');
  mkdirSync(join(foreign, 'blobs'), { recursive: true });
  writeFileSync(join(foreign, 'blobs/thesis.txt'), 'mine');
  writeFileSync(join(foreign, 'state.db'), 'no database');
  const refused = startOnce(['--reset'], { ERRAND_STATE: foreign });
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/is not an Errand state file: set ERRAND_STATE/),
  ]);
  expect(readFileSync(join(foreign, 'blobs/thesis.txt'), 'utf8')).toBe('mine');
});

it('refuses a second start on one state, naming the remedy and the process', async () => {
  const product = await start();
  const { status, stdout, stderr } = startOnce([], { ERRAND_PORT: String(await freePort()) });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    `errand: Errand already runs on ${state} (process ${product.process.pid}): stop it, or set ERRAND_STATE to another folder.\n`,
  );
  expect((await models(product, product.local.organizations[0]?.apiKey)).status).toBe(200);
});

it.each([0, 1])('refuses a taken port, be it the first or the second (%i)', async (which) => {
  const holder = createServer().listen(port + which, '127.0.0.1');
  await once(holder, 'listening');
  const { status, stderr } = startOnce();
  expect([status, stderr]).toEqual([1, `errand: Port ${port + which} is taken: set ERRAND_PORT to another one.\n`]);
  expect(readdirSync(state)).not.toContain('local.json');
  holder.close();
  expect((await start()).local.filesAndTasks.baseUrl).toContain(String(port));
});

it.each([[['--rest']], [['now']], [['--reset=yes']]])('answers %j with the usage and exit code 2', (args) => {
  const { status, stdout, stderr } = startOnce(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('Usage: npm start');
  expect(existsSync(state)).toBe(false);
});

it('logs each request as a line without secrets when asked to', async () => {
  const product = endWithParent(
    spawn(process.execPath, [SCRIPT], {
      env: { PATH: process.env.PATH, ERRAND_STATE: state, ERRAND_PORT: String(port), ERRAND_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  await once(product.stdout, 'data');
  const { organizations } = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
  const key: string = organizations[0].apiKey;
  const headers = { 'x-api-key': key, 'x-request-id': 'mine' };
  await fetch(`http://127.0.0.1:${port}/api/v1/models?key=${key}`, { headers });
  const [line] = await once(product.stderr.setEncoding('utf8'), 'data');
  expect(JSON.parse(line)).toMatchObject({
    message: 'request',
    requestId: 'mine',
    route: '/api/v1/models',
    status: 200,
  });
  expect(line).not.toContain(key);
  product.kill('SIGINT');
  await once(product, 'exit');
});
