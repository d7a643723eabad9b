/** The packed client as a customer gets it: installed from its tarball, type-checked, and run by each Node version on this machine. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { keyOf, target } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const folder = temporaryFolder();
afterAll(() => folder.remove());
const app = join(folder.path, 'app');

const PROGRAM = `
import { writeFileSync } from 'node:fs';
import { agents, filesAndTasks, verifyWebhook } from '@errand/client';

const { BASE: baseUrl = '', KEY: apiKey = '', ROOT: rootUrl = '', WS: wsUrl = '' } = process.env;
const { USERNAME: username = '', PASSWORD: password = '' } = process.env;
const { files, tasks } = filesAndTasks({ baseUrl, apiKey });
writeFileSync('lease.txt', 'The lease runs until 30 June 2031.');
let told = 0;
const { fileId } = await files.upload('lease.txt', { onProgress: ({ sentBytes }) => { told = sentBytes; } });
const { taskId } = await tasks.create({
  namespace: 'packed',
  delivery: { type: 'webhook', config: { endpoint: 'https://no-such-host.errand-webhooks.org/' } },
  input: { type: 'chat', prompt: 'Until when?', fileIds: [fileId] },
});
const task = await tasks.wait(taskId);
console.log('task', task.status, told);

const people = agents({ rootUrl, wsUrl, login: { username, password } });
const { task_id } = await people.submit({ task_type: 'research_agent', input: { query: 'Port fees' } });
const seen: string[] = [];
let way = '';
for await (const news of people.watch({ taskIds: [task_id], onWay: (each) => { way = each; } })) seen.push(news.type);
console.log('watched', way, seen[0], seen.at(-1));
const refused = await verifyWebhook({ headers: {}, body: '{}' }, { secret: 'whsec_bm90IG91cnM=' }).catch((error) => error.code);
console.log('webhook', refused);
`;

/** The program in the README. */
const SOCKETS = `
import WS, { WebSocket as Named } from 'ws';
import { agents, type WebSocketMaker } from '@errand/client';

export const theirs = [WS, Named, globalThis.WebSocket].map((WebSocket) => agents({ rootUrl: 'https://acme.org', WebSocket }));
export const made: WebSocketMaker[] = [WS, globalThis.WebSocket];
// @ts-expect-error: not a WebSocket constructor
agents({ rootUrl: 'https://acme.org', WebSocket: Map });
`;

beforeAll(async () => {
  mkdirSync(app);
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder.path], { cwd: join(ROOT, 'client') });
  expect(packed.stdout).toContain('errand-client-');
  writeFileSync(join(app, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(app, 'program.ts'), PROGRAM);
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder.path, tarball)], { cwd: app });
});

it('contains the program, its types and a README, and nothing else', () => {
  const installed = join(app, 'node_modules/@errand/client');
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json']);
  expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@errand']);
  for (const file of ['index.js', 'index.d.ts']) expect(existsSync(join(installed, 'dist', file))).toBe(true);
});

it('type-checks in a strict TypeScript program', async () => {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const how = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--types', 'node'];
  const types = [
    '--typeRoots',
    join(ROOT, 'node_modules/@types'),
    '--outDir',
    '.',
    '--rewriteRelativeImportExtensions',
  ];
  // Checks only our declarations, as those of Node and of browsers contradict each other.
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), [...strict, ...how, ...types, 'program.ts'], {
    cwd: app,
  }).catch((error: { stdout: string }) => error);
  expect(stdout.split('\n').filter((line) => /errand|program/.test(line))).toEqual([]);
});

it.each([
  ['nodenext', 'nodenext', 'es2023'],
  ['esnext', 'bundler', 'es2023,dom'],
])('accepts the WebSocket of the package ws and the built-in one, with %s and %s', async (module, resolution, lib) => {
  writeFileSync(join(app, 'sockets.ts'), SOCKETS);
  const types = join(ROOT, 'node_modules/@types');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: lib.split(','),
    module,
    moduleResolution: resolution,
    types: ['node'],
    typeRoots: [types],
    paths: { ws: [join(types, 'ws/index.d.ts')] },
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['sockets.ts'] }));
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', app]).catch((error) => error);
  expect(stdout).toBe('');
});

/** Every Node on the path that is recent enough, by its version. */
async function nodes(): Promise<[string, string][]> {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'node'));
  const there = [process.execPath, ...places.filter((place) => existsSync(place))];
  const versions = await Promise.all(there.map(async (node) => [(await run(node, ['--version'])).stdout.trim(), node]));
  const recent = versions.filter(([version]) => Number(version?.slice(1).split('.')[0]) >= 20);
  return [...new Map(recent as [string, string][])];
}

describe.each(await nodes())('under Node %s', (version, node) => {
  it('uploads, waits for a task, and watches an agent', async () => {
    const env = {
      PATH: process.env.PATH ?? '',
      BASE: target.filesAndTasks,
      KEY: keyOf('client'),
      ROOT: target.agents,
      WS: target.agentsSocket,
      USERNAME: userNameOf('client', 'member'),
      PASSWORD,
    };
    const { stdout } = await run(node, ['program.js'], { cwd: app, env, timeout: 60_000 });
    // Node has a built-in WebSocket from version 22.
    const way = Number(version.slice(1).split('.')[0]) < 22 ? 'polling' : 'websocket';
    expect(stdout.trim().split('\n')).toEqual([
      'task success 34',
      `watched ${way} task_started task_completed`,
      'webhook WEBHOOK_NOT_OURS',
    ]);
  });
});
