/** `npm start`: printed start block, state folder, shutdown and refused starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { NO_MODEL } from '../../functions/over-http/local-product.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { folder, models, port, SCRIPT, start, startOnce, startPrinting, state } from './own-product.ts';

it('prints its URLs, with two organizations that can be used immediately', async () => {
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
    modelConnections: [],
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

it('takes over after a kill -9', async () => {
  const first = await start();
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(existsSync(join(state, 'local.json'))).toBe(true);
  const second = await start();
  expect((await models(second, first.local.organizations[0]?.apiKey)).status).toBe(200);
});

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

it('removes only its own files with --reset', async () => {
  await (await start()).stop();
  writeFileSync(join(state, 'thesis.txt'), 'mine');
  const again = endWithParent(
    spawn(process.execPath, [SCRIPT, '--reset'], {
      env: { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ERRAND_PORT: String(port) },
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

it.each([0, 1])('refuses to start if a port is in use, the first or the second (%i)', async (which) => {
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
    spawn(process.execPath, [SCRIPT, NO_MODEL], {
      env: { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ERRAND_PORT: String(port), ERRAND_LOG_LEVEL: 'info' },
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
