import { userInfo } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { NOUNS } from '../../../bin/operator/command-line.ts';
import { setIssuer } from '../../../shared/accounts/issuers.ts';
import { storeConnection } from '../../../shared/accounts/stored-connections.ts';
import { putRuleset } from '../../../shared/knowledge/rulesets.ts';
import { putWorkflow } from '../../../shared/knowledge/workflows.ts';
import { recipientMark } from '../../../shared/mail/recipient.ts';
import { suppress } from '../../../shared/mail/suppressions.ts';
import { putSource } from '../../../shared/sources/stored-sources.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { openAiServer } from '../../engines/models/openai-server.ts';
import { withAcme } from './errand.ts';
import { submitOne } from './submit-one.ts';

const { acme, json, refuses, run, state } = withAcme();

const READER = 'ann@readers.org';
const ISSUER = 'https://login.acme.org';

let server: Awaited<ReturnType<typeof openAiServer>>;
beforeAll(async () => {
  server = await openAiServer();
});
afterAll(() => server.close());

let taskId: string;
/** A task whose webhook is waiting. */
let ended: TaskAddress;
let recurring: TaskAddress;
beforeEach(async () => {
  ({ taskId } = await submitOne(state(), acme().id));
  recurring = await submitOne(state(), acme().id, { firstAt: Date.now() + 3_600_000, recurs: 'd 080000 UTC' });
  ended = await submitOne(state(), acme().id, { endpoint: 'https://hooks.customer-a.com/errand' });
  const { table, clock, ids, vault, close } = openLocal({ ERRAND_STATE: state() });
  const connection = { provider: 'openai-compatible', url: server.url } as const;
  await storeConnection({ table, clock, vault }, acme().id, { name: 'kept', model: 'large', connection });
  const steps = [{ name: 'Dates', instruction: 'List them.' }];
  await putWorkflow({ table, clock, ids }, acme().id, { name: 'Kept', steps });
  await putRuleset({ table, clock, ids }, acme().id, { name: 'Kept', text: 'Be brief.' });
  const source = { title: 'Kept', connectors: [{ kind: 'feed', address: 'https://news.acme.org/feed' }] };
  await putSource({ table, clock }, acme().id, { name: 'kept', value: source });
  const trusted = { issuer: ISSUER, audience: 'errand', keysAddress: `${ISSUER}/keys`, admits: false };
  await setIssuer({ table, clock }, acme().id, trusted);
  const mark = recipientMark(acme().id, READER);
  await suppress({ table, clock }, acme().id, { mark, by: 'unsubscribed', hint: 'a…@readers.org' });
  await moveTask({ table, clock, hints: async () => undefined }, ended, { type: 'cancel', force: true });
  close();
});

/** A command line for every verb that changes state, and the subject of its audit row. */
const ACTS: Record<string, [args: () => string[], subject: RegExp]> = {
  'org create': [() => ['Other'], /^Other$/],
  'org limits': [() => ['Acme', 'reads', '--minute', '5'], /^Acme$/],
  'org models': [() => ['Acme', 'openai/b'], /^Acme$/],
  'org snapshots': [() => ['Acme', 'off'], /^Acme$/],
  'org search': [() => ['Acme', 'searxng', '--url', 'https://search.acme.org/'], /^Acme$/],
  'model add': [
    () => ['ours', '--provider', 'openai-compatible', '--url', server.url, '--strong', 'large', '--org', 'Acme'],
    /^ours$/,
  ],
  'model remove': [() => ['kept', '--org', 'Acme'], /^kept$/],
  'key create': [() => ['Acme'], /^key:[0-9A-Za-z]{11}$/],
  'key revoke': [() => [acme().apiKey], /^key:[0-9A-Za-z]{11}$/],
  'user create': [() => ['bob', '--org', 'Acme', '--role', 'viewer'], /^bob$/],
  'user password': [() => ['ADMIN@acme'], /^admin@acme$/],
  'user role': [() => ['admin@acme', 'viewer'], /^admin@acme$/],
  'user disable': [() => ['admin@acme'], /^admin@acme$/],
  'user enable': [() => ['admin@acme'], /^admin@acme$/],
  'user link': [() => ['admin@acme', 'subject-1'], /^admin@acme$/],
  'user remove': [() => ['admin@acme'], /^admin@acme$/],
  'sso set': [
    () => ['Acme', '--issuer', `${ISSUER}/2`, '--audience', 'errand', '--keys', `${ISSUER}/keys`],
    /acme\.org\/2$/,
  ],
  'sso remove': [() => ['Acme'], /acme\.org$/],
  'webhook-secret rotate': [() => ['Acme'], /^Acme$/],
  'webhook-secret reseal': [() => [], /^all$/],
  'workflow put': [() => ['assets/demo/move-review.md', '--org', 'Acme'], /^Move review$/],
  'workflow remove': [() => ['Kept', '--org', 'Acme'], /^Kept$/],
  'ruleset put': [() => ['assets/demo/wording.md', '--org', 'Acme'], /^Wording$/],
  'ruleset remove': [() => ['Kept', '--org', 'Acme'], /^Kept$/],
  'source put': [() => ['news_feeds', '--file', 'assets/sources/news_feeds.yaml', '--org', 'Acme'], /^news_feeds$/],
  'source remove': [() => ['kept', '--org', 'Acme'], /^kept$/],
  'delivery redeliver': [
    () => [ended.taskId, `evt_${ended.taskId}_cancelled`, '--org', 'Acme'],
    /^task:[0-9a-f-]{36}$/,
  ],
  'suppression remove': [() => ['Acme', READER], /^[\w-]{22}$/],
  announce: [() => ['Down at noon', '--org', 'Acme'], /^Down at noon$/],
  'task redrive': [() => [taskId, '--org', 'Acme'], /^[0-9a-f-]{36}$/],
  'task run-now': [() => [recurring.taskId, '--org', 'Acme'], /^[0-9a-f-]{36}$/],
};
/** Runs until it is stopped, and changes nothing. */
const LISTENS = 'webhooks listen';
/** Erases the organization's own audit; tested in erase.test.ts. */
const ERASES = 'org erase';
/** Need a folder with an export, or a table of AWS; tested in test/shared/transfer. */
const TRANSFERS = ['org export', 'org import', 'table copy'];
const LOOKS: Record<string, () => string[]> = {
  'org list': () => [],
  'org show': () => ['Acme'],
  'org limits': () => ['Acme', 'reads'],
  'org models': () => ['Acme'],
  'org search': () => ['Acme'],
  'org snapshots': () => ['Acme'],
  'model list': () => [],
  'model test': () => ['kept', '--org', 'Acme'],
  'key list': () => ['Acme'],
  usage: () => ['Acme'],
  'user list': () => ['Acme'],
  'sso show': () => ['Acme'],
  'workflow list': () => ['--org', 'Acme'],
  'ruleset list': () => ['--org', 'Acme'],
  'source list': () => ['--org', 'Acme'],
  'suppression list': () => ['Acme'],
  'delivery list': () => [ended.taskId, '--org', 'Acme'],
  'task show': () => [taskId, '--org', 'Acme'],
  audit: () => [],
  doctor: () => [],
};

/** Verbs about no organization, or about all. */
const OF_ALL = new Set(['org create', 'webhook-secret reseal']);

it('classifies every verb as one that changes something or not', () => {
  const verbs = [...NOUNS].flatMap(([noun, of]) => Object.keys(of).map((verb) => `${noun} ${verb}`.trim()));
  expect(new Set([...Object.keys(ACTS), ...Object.keys(LOOKS)])).toEqual(
    new Set(verbs.filter((verb) => ![LISTENS, ERASES, ...TRANSFERS].includes(verb))),
  );
});

it.each(Object.entries(ACTS))(
  'has one row for %s with the actor, the action, its target and the outcome',
  async (act, line) => {
    const [args, subject] = line;
    const before = await json(['audit']);
    await json([...act.split(' '), ...args()]);
    const [row, ...others] = await json(['audit']);
    expect(row).toMatchObject({ by: `operator:${userInfo().username}`, act, outcome: 'done' });
    expect(row.subject).toMatch(subject);
    expect(Object.keys(row)).toEqual(['at', 'by', 'act', 'subject', 'detail', 'outcome', 'organization']);
    expect(others).toEqual(before);
    if (!OF_ALL.has(act)) expect((await json(['audit', 'Acme']))[0]).toEqual(row);
  },
);

it.each(Object.entries(LOOKS))('has no row for a command that only reads: %s', async (look, args) => {
  await json([...look.split(' '), ...args()]);
  expect(await json(['audit'])).toHaveLength(1);
});

it('has a row for a refused action', async () => {
  await run(['org', 'create', '\n']);
  expect((await json(['audit']))[0]).toMatchObject({ act: 'org create', subject: '\n', outcome: 'failed' });
  expect((await run(['audit'])).stdout).toContain('\\u{a}');
});

it.each([
  ['task redrive', () => ended.taskId, /has ended/],
  ['task run-now', () => recurring.taskId, /is cancelled/],
])('has a row with the outcome failed for a refused push: %s', async (act, id, why) => {
  const { table, clock, close } = openLocal({ ERRAND_STATE: state() });
  await moveTask({ table, clock, hints: async () => undefined }, recurring, { type: 'cancel', force: true });
  close();
  await refuses([...act.split(' '), id(), '--org', 'Acme'], why);
  expect((await json(['audit']))[0]).toMatchObject({ act, subject: id(), outcome: 'failed' });
});

it('lists the newest first, of one organization or all, up to the requested number', async () => {
  await json(['org', 'create', 'Other']);
  await json(['key', 'create', 'Acme']);
  const acts = async (...args: string[]) => (await json(['audit', ...args])).map(({ act }: { act: string }) => act);
  expect(await acts()).toEqual(['key create', 'org create', 'org create']);
  expect(await acts('Acme')).toEqual(['key create', 'org create']);
  expect(await acts('Other')).toEqual(['org create']);
  expect(await acts('--limit', '1')).toEqual(['key create']);
});

it.each(['0', '1001', 'all', '', '1.5'])('refuses to list %j rows', async (limit) => {
  await refuses(['audit', '--limit', limit], /--limit (is from 1 to 1000|takes a whole number)/);
});
