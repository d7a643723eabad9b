import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checks } from '../../../bin/operator/doctor-checks.ts';
import { UNFINISHED_TASKS } from '../../../shared/accounts/caps.ts';
import { child, withAcme } from './errand.ts';

const { acme, json, refuses, run, state } = withAcme();

it('creates an organization and prints its credentials and URLs only once', async () => {
  expect(acme()).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Acme',
    apiKey: expect.stringMatching(/^errand_[0-9A-Za-z]{11}_[0-9A-Za-z]{39}$/),
    username: 'admin@acme',
    password: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
    webhookSecret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    models: ['offline/extractive'],
  });
});

it('prints them with aligned labels in a terminal, and that they are shown only once', async () => {
  const { status, stdout } = await run(['org', 'create', '株式会社 "Zoë"']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}id {13}[0-9a-f-]{36}\n {2}name {11}株式会社 "Zoë"\n {2}apiKey {9}errand_/);
  expect(stdout).toMatch(/\n\nKeep the secrets above now: they are not shown again.\n$/);
});

it('does not use a name twice without an explicit option', async () => {
  await refuses(['org', 'create', ' Acme '], new RegExp(`${acme().id} is called "Acme" already: .* --again`));
  expect(await json(['org', 'list'])).toHaveLength(1);
});

it('lists organizations, and shows one by id and by name', async () => {
  const shown = { id: acme().id, name: 'Acme', createdAt: expect.stringMatching(/Z$/), models: ['offline/extractive'] };
  expect(await json(['org', 'list'])).toEqual([shown]);
  expect(await json(['org', 'show', 'Acme'])).toEqual({ ...shown, limits: {} });
  expect(await json(['org', 'show', acme().id])).toEqual({ ...shown, limits: {} });
  expect((await run(['org', 'list'])).stdout).toMatch(
    /^ {2}id +name +createdAt +models\n {2}[0-9a-f-]{36} {2}Acme {2}/,
  );
});

it('sets, shows and clears limits', async () => {
  const before = await json(['org', 'limits', 'Acme']);
  const [{ limit, minute }] = before;
  expect(await json(['org', 'limits', 'Acme', limit, '--minute', '7', '--hour', '70'])).toEqual([
    { limit, minute: 7, hour: 70, most: null, overridden: true },
  ]);
  expect((await json(['org', 'show', 'Acme'])).limits).toEqual({ [limit]: { minute: 7, hour: 70 } });
  expect(await json(['org', 'limits', 'Acme', limit, '--clear'])).toMatchObject([{ limit, minute, overridden: false }]);
  expect(await json(['org', 'limits', 'Acme'])).toEqual(before);
});

it('sets how many tasks may be unfinished, which is not a rate', async () => {
  const set = ['org', 'limits', 'Acme', 'unfinished-tasks'];
  expect(await json([...set, '--most', '5'])).toEqual([
    { limit: 'unfinished-tasks', minute: null, hour: null, most: 5, overridden: true },
  ]);
  expect(await json([...set, '--clear'])).toMatchObject([{ most: UNFINISHED_TASKS.most, overridden: false }]);
  const wrong = await run([...set, '--minute', '5']);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringMatching(/sets unfinished-tasks by --most/)]);
});

it('knows every limit of the agent API', async () => {
  const all: { limit: string; minute: number; hour: number }[] = await json(['org', 'limits', 'Acme']);
  const figures = Object.fromEntries(all.map(({ limit, minute, hour }) => [limit, [minute, hour]]));
  expect(figures).toMatchObject({
    'agent-submits': [10, 100],
    'agent-lists': [50, 1_000],
    'agent-status': [25, 500],
    'agent-cancels': [25, 500],
    'agent-results': [25, 500],
  });
});

it('keeps the texts of cited sources until the operator turns that off', async () => {
  expect(await json(['org', 'snapshots', 'Acme'])).toMatchObject({ name: 'Acme', snapshots: true });
  expect(await json(['org', 'snapshots', 'Acme', 'off'])).toMatchObject({ snapshots: false });
  expect(await json(['org', 'snapshots', 'Acme'])).toMatchObject({ snapshots: false });
  await json(['org', 'snapshots', 'Acme', 'on']);
  expect(await json(['org', 'snapshots', 'Acme'])).toMatchObject({ snapshots: true });
  expect((await run(['org', 'snapshots', 'Acme', 'perhaps'])).status).toBe(2);
});

it('sets and shows models', async () => {
  await json(['org', 'models', 'Acme', 'openai/llama3.2', 'offline/extractive']);
  expect((await json(['org', 'models', 'Acme'])).models).toEqual(['openai/llama3.2', 'offline/extractive']);
});

it('sets and shows the models that agents use, by role', async () => {
  await json(['org', 'models', 'Acme', 'openai/large', 'openai/small']);
  await json(['org', 'models', 'Acme', '--role', 'strong', 'openai/large']);
  const shown = await json(['org', 'models', 'Acme', '--role', 'cheap', 'openai/small']);
  expect(shown).toMatchObject({
    models: ['openai/large', 'openai/small'],
    strong: 'openai/large',
    cheap: 'openai/small',
  });
  expect(await json(['org', 'models', 'Acme'])).toEqual(shown);
  // A model that the organization no longer has is removed from its role.
  await json(['org', 'models', 'Acme', 'openai/large']);
  expect(await json(['org', 'models', 'Acme'])).not.toHaveProperty('cheap');
  const others = [
    ['--role', 'best', 'openai/large'],
    ['--role', 'cheap'],
    ['--role', 'cheap', 'openai/large', 'openai/small'],
    ['--role', 'cheap', 'openai/unknown'],
  ];
  for (const other of others) expect((await run(['org', 'models', 'Acme', ...other])).status).not.toBe(0);
});

/** As if the product ran on the state: what it writes when it is ready. */
function runWith(modelConnections: string[]): void {
  writeFileSync(join(state(), 'lock.pid'), String(process.pid));
  writeFileSync(join(state(), 'local.json'), JSON.stringify({ modelConnections }));
}

it('says which models the running product has no connection for, and nothing that it cannot know', async () => {
  const set = ['org', 'models', 'Acme', 'offline/extractive', 'openai/x'];
  expect((await run(set)).stdout).not.toContain('answers only');
  expect((await json(['doctor'])).modelsNotSetUp).toEqual([]);
  runWith(['openai']);
  expect((await run(set)).stdout).not.toContain('answers only');
  expect((await json(['doctor'])).modelsNotSetUp).toEqual([]);
  runWith([]);
  const why = 'openai/x answers only while the product runs with ERRAND_OPENAI_ADDRESS or OPENAI_API_KEY';
  expect((await run(set)).stdout).toContain(`\n\n${why}.\n`);
  expect((await json(['doctor'])).modelsNotSetUp).toEqual([`Acme: ${why}`]);
  // A product that was killed leaves both files.
  writeFileSync(join(state(), 'lock.pid'), '2147483646');
  expect((await run(set)).stdout).not.toContain('answers only');
});

it('reports missing settings of the models of a new organization', () => {
  const create = (name: string, models: string) =>
    child(state(), ['org', 'create', name], '', { ERRAND_MODELS: models });
  runWith([]);
  expect(create('Other', 'openai/x').stdout).toMatch(/openai\/x answers only while [^\n]+\nKeep/);
  expect(create('Third', 'bedrock/x').stdout).toMatch(/bedrock\/x answers only while [^\n]+ AWS_REGION\.\nKeep/);
});

it('reports which models of Bedrock a stage was not deployed with', () => {
  const granted = ['bedrock/a', 'offline/extractive'];
  expect(checks.noteOnGrants(['bedrock/a', 'openai/b', 'offline/extractive'], granted)).toBeUndefined();
  expect(checks.noteOnGrants(['bedrock/a', 'bedrock/b'], granted)).toMatch(
    /only once it is deployed with them .*: bedrock\/b\.$/,
  );
});

it('names the remedy for an organization that is unknown or not the only one', async () => {
  await refuses(['org', 'show', 'Nobody'], /There is no organization "Nobody": "npx errand org list" shows them/);
  await refuses(['key', 'list', ''], /There is no organization ""/);
  await refuses(['org', 'show', 'a\nb\u001b[31m'], /"a\\nb\\u001b\[31m"/);
  const { id } = await json(['org', 'create', 'Acme', '--again']);
  await refuses(
    ['org', 'show', 'Acme'],
    new RegExp(`2 organizations are called "Acme": use one of the ids ${acme().id}, ${id}`),
  );
});

it.each([
  [['org', 'create', ''], /A name has /],
  [['org', 'limits', 'Acme', 'raeds', '--minute', '5'], /There is no limit "raeds"; there are .*reads/],
  [['org', 'limits', 'Acme', '__proto__', '--minute', '5'], /There is no limit "__proto__"/],
  [['org', 'limits', 'Acme', 'reads', '--minute', 'abc'], /--minute takes a whole number, not "abc"/],
  [['org', 'limits', 'Acme', 'reads', '--minute=-5'], /--minute takes a whole number/],
  [['org', 'limits', 'Acme', 'reads', '--hour', '0'], /from 1 to 1000000/],
  [['org', 'models', 'Acme', 'gpt'], /"gpt" is not a model: write NAME\/model/],
  [['org', 'models', 'Acme', 'openai/b', 'openai/b'], /each once/],
  [
    ['org', 'models', 'Acme', 'foo/bar'],
    /There is no connection foo to models; there are offline, .*npx errand model add foo/,
  ],
  [
    ['org', 'models', 'Acme', 'offline/nope'],
    /There is no offline\/nope; the provider offline has only offline\/extractive, which is no language model\./,
  ],
])('refuses %j in one line', async (args, remedy) => {
  await refuses(args, remedy);
  expect(await json(['org', 'list'])).toHaveLength(1);
  expect(await json(['org', 'show', 'Acme'])).toMatchObject({ limits: {}, models: ['offline/extractive'] });
});

it('changes no state if the arguments are invalid', async () => {
  const before = readdirSync(state()).toSorted();
  expect((await run(['org', 'create'])).status).toBe(2);
  expect(readdirSync(state()).toSorted()).toEqual(before);
});
