/** `errand model`, against a real server on this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { modelConnections } from '../../../shared/accounts/stored-connections.ts';
import { openAiServer } from '../../engines/models/openai-server.ts';
import { child, withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

const KEY = 'sk-canary-19c4e0';
let server: Awaited<ReturnType<typeof openAiServer>>;
beforeEach(async () => {
  server = await openAiServer({ key: KEY, models: ['large', 'small', 'judge'] });
});
afterEach(() => server.close());

const adding = (...more: string[]) => [
  ...['model', 'add', 'ours', '--provider', 'openai-compatible', '--url', server.url, '--strong', 'large'],
  ...['--key-stdin', ...more],
];

async function connectionsOf(organization: string, name = 'ours') {
  const { table, vault, clock, close } = openLocal({ ERRAND_STATE: state() });
  try {
    return await modelConnections({ table, vault, clock, environment: new Map() })(name, organization);
  } finally {
    close();
  }
}

it('tries a connection, stores it for every organization, and says how to give it to one', async () => {
  const { status, stdout } = await run(adding(), `${KEY}\n`);
  expect(status).toBe(0);
  expect(stdout).toMatch(/ok +key +accepted\n/);
  expect(stdout).toContain('npx errand org models ORG ours/large offline/extractive');
  expect(await json(['model', 'list'])).toEqual([
    {
      name: 'ours',
      for: 'every organization',
      provider: 'openai-compatible',
      url: server.url,
      key: 'set',
      model: 'large',
      since: expect.stringMatching(/Z$/),
    },
  ]);
  expect(await connectionsOf('anybody')).toEqual({
    ...{ provider: 'openai-compatible', url: server.url, key: KEY },
    since: expect.any(Number),
  });
  expect((await json(['org', 'models', 'Acme', 'ours/large'])).models).toEqual(['ours/large']);
});

it('makes it the default of an organization with its roles, and keeps it for that one', async () => {
  const { id } = await json(['org', 'create', 'Other']);
  await json(adding('--org', 'Acme', '--cheap', 'small', '--verify', 'judge'), KEY);
  expect(await json(['org', 'models', 'Acme'])).toMatchObject({
    models: ['ours/large', 'ours/small', 'ours/judge', 'offline/extractive'],
    strong: 'ours/large',
    cheap: 'ours/small',
    verify: 'ours/judge',
  });
  expect(await connectionsOf(acme().id)).toMatchObject({ key: KEY });
  expect(await connectionsOf(id)).toBeUndefined();
  await refuses(['org', 'models', 'Other', 'ours/large'], /There is no connection ours to models; there are offline/);
  await refuses(['model', 'test', 'ours', '--org', 'Other'], /There is no connection "ours"/);
  await refuses(['model', 'test', 'none', '--org', 'Other'], /There is no connection "none"/);
  await refuses(['model', 'test', 'anthropic'], /this shell sets no connection anthropic: run the command with/);
  await refuses(['model', 'remove', 'ours'], /There is no connection "ours"/);
  expect(await json(['model', 'list', '--org', 'Other'])).toEqual([]);
  expect(await json(['model', 'list', '--org', 'Acme'])).toMatchObject([{ name: 'ours', for: 'Acme' }]);
});

it('drops the models of a connection that was removed from the list of an organization that gets a new one', async () => {
  await json(adding('--org', 'Acme'), KEY);
  await json(['model', 'remove', 'ours', '--org', 'Acme']);
  const anew = adding('--org', 'Acme').map((word) => (word === 'ours' ? 'new' : word));
  await json(anew, KEY);
  expect((await json(['org', 'models', 'Acme'])).models).toEqual(['new/large', 'offline/extractive']);
});

it('refuses a connection that does not answer, unless it is told to keep it', async () => {
  await refuses(adding(), /ours\/large does not answer\. key: status 401: .*--anyway/, 'sk-wrong-canary');
  expect(await json(['model', 'list'])).toEqual([]);
  expect((await json(['audit']))[0]).toMatchObject({ act: 'model add', subject: 'ours', outcome: 'failed' });
  expect(await json(adding('--anyway'), KEY.replace('c', 'd'))).toMatchObject({ name: 'ours', key: 'set' });
});

it('tests a stored connection, and exits with 1 if it does not answer', async () => {
  await json(adding(), KEY);
  const checks = await json(['model', 'test', 'ours']);
  expect(checks.map(({ check }: { check: string }) => check)).toEqual([
    ...['reached', 'key', 'model', 'streams', 'tools', 'strict schema', 'images', 'price'],
  ]);
  const other = await run(['model', 'test', 'ours/larg']);
  expect(other.status).toBe(1);
  expect(other.stdout).toMatch(/wrong +there is no larg; it has large, small, judge\. Did you mean large\?/);
});

it('tests a connection that the environment of the command sets', () => {
  const { status, stderr } = child(state(), ['model', 'test', 'openai'], '', { ERRAND_OPENAI_ADDRESS: server.url });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^model test needs the model too: model test openai\/MODEL/),
  ]);
});

it('removes a connection, and names the organizations that still list its models', async () => {
  await json(adding(), KEY);
  await json(['org', 'models', 'Acme', 'ours/large']);
  expect((await run(['model', 'remove', 'ours'])).stdout).toMatch(/still listed for Acme: "npx errand org models/);
  expect(await json(['model', 'list'])).toEqual([]);
  expect(await connectionsOf(acme().id)).toBeUndefined();
});

it('erases the connections of an organization with it', async () => {
  await json(adding('--org', 'Acme'), KEY);
  await json(['org', 'erase', acme().id, '--confirm', acme().id]);
  expect(await connectionsOf(acme().id)).toBeUndefined();
});

it('shows the key nowhere: not in outputs, errors, audit rows or files', async () => {
  const said = [await run(adding(), KEY), await run(adding('--org', 'Acme'), KEY), await run(adding(), `${KEY}x`)];
  for (const args of [
    ['model', 'list'],
    ['model', 'test', 'ours'],
    ['audit'],
    ['audit', 'Acme'],
    ['model', 'remove', 'ours'],
  ])
    said.push(await run([...args, '--json']));
  expect(said.map(({ status }) => status)).toEqual([0, 0, 1, 0, 0, 0, 0, 0]);
  expect(JSON.stringify(said)).not.toContain(KEY);
  const files = readdirSync(state(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
  expect((await json(['audit', 'Acme']))[0]).toMatchObject({ act: 'model add', subject: 'ours', outcome: 'done' });
});

it.each([
  [['offline', '--provider', 'openai', '--strong', 'x'], /^errand: A name has 1 to 40 characters/],
  [['ours', '--provider', 'openai-compatible', '--strong', 'x', '--url', 'https://k@a.org/v1'], /--url takes an HTTP/],
  [
    ['ours', '--provider', 'openai-compatible', '--strong', 'x', '--url', 'https://a.org/v1?key=a'],
    /--url takes an HTTP/,
  ],
  [['ours', '--provider', 'openai', '--strong', 'a b', '--key-stdin'], /"ours\/a b" is not a model/],
])('refuses %j in one line', async (args, remedy) => {
  await refuses(['model', 'add', ...args], remedy, KEY);
});

it.each([
  [['--provider', 'antropic', '--strong', 'x'], /--provider openai, .*Did you mean anthropic\?/],
  [['--provider', 'openai', '--strong', 'x'], /openai needs a key: give --key-stdin/],
  [['--provider', 'azure', '--strong', 'x', '--key-stdin'], /azure needs the --url/],
  [['--provider', 'openai'], /Missing option: --strong/],
])('answers %j with its usage', async (args, fault) => {
  const { status, stderr } = await run(['model', 'add', 'ours', ...args], KEY);
  expect([status, stderr]).toEqual([2, expect.stringMatching(fault)]);
  expect(stderr).toContain('Usage: npx errand model');
});
