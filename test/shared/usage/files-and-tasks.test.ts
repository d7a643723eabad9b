/** Tokens and storage in the Files & Tasks API. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Organization } from '../../../shared/accounts/organizations.ts';
import { fileDraft } from '../../../shared/files/file.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { runTask } from '../../../shared/tasks/run-task.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { type Apis, openApis } from '../../functions/both-apis/setup.ts';

let apis: Apis;
let organization: string;
beforeEach(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterEach(() => apis.close());

const SPENT = { inputTokens: 900, outputTokens: 40, cachedInputTokens: 500, reasoningTokens: 7 };
const USAGE = { model: 'openai/m', ...SPENT, estimated: false, costUsd: 0.0033 };
/** 900 and 40 tokens are $0.0033 then. */
const PRICE = { input: 3, output: 15 };
/** The usage of a day. */
const { pricedTokens: _priced, microUsd: _cost, ...UNSPENT } = NO_TOKENS;
const NOTHING = { files: 0, bytes: 0, capped: false };

async function ask(method: string, path: string, json?: object) {
  const body = json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
  const reply = await apis.ask({ apiName: 'files-and-tasks', organization, method, path: `/api/v1${path}`, ...body });
  return JSON.parse(String(reply.body));
}

async function submitTask(): Promise<string> {
  const { taskId } = await ask('POST', '/tasks', {
    delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } },
    input: { type: 'chat', prompt: 'When is it due?' },
    namespace: 'usage',
  });
  return taskId;
}

/** A stage that calls a model once. */
const asking = (then: () => unknown, priced: 'priced' | 'unpriced' = 'priced'): Stage => ({
  name: 'answering',
  async run({ meter }) {
    meter.use('openai/m');
    meter.begin(() => NO_TOKENS, priced === 'priced' ? PRICE : undefined)(SPENT);
    return then();
  },
});

async function run(taskId: string, stage: Stage): Promise<void> {
  const ports = { ...apis, every: () => () => undefined, agents: { chat: { stages: () => [stage] } } };
  await runTask(ports, { organization, taskId }, new AbortController().signal);
}

const refuse = (): never => {
  throw new TaskFailure('PROCESSING_FAILED', 'The model came to no end.');
};

it('shows the usage of a task once it has ended, and four fields before', async () => {
  const taskId = await submitTask();
  expect(Object.keys(await ask('GET', `/tasks/${taskId}`)).sort()).toEqual([
    'createdAt',
    'namespace',
    'status',
    'taskId',
  ]);
  let shown = {};
  const answering = asking(async () => {
    shown = await ask('GET', `/tasks/${taskId}`);
    return { text: 'In March.' };
  });
  await run(taskId, answering);
  expect(shown).toEqual({ taskId, namespace: 'usage', status: 'active', createdAt: expect.any(String) });
  expect(await ask('GET', `/tasks/${taskId}`)).toMatchObject({ status: 'success', usage: USAGE });
  expect((await ask('GET', '/tasks')).tasks).toMatchObject([{ status: 'success', usage: USAGE }]);
});

it('shows the usage of a failed task, and none for a task that called no model', async () => {
  const [failing, cancelled] = [await submitTask(), await submitTask()];
  await run(failing, asking(refuse));
  await ask('POST', `/tasks/${cancelled}/cancel`);
  expect(await ask('GET', `/tasks/${failing}`)).toMatchObject({ status: 'failure', usage: USAGE });
  expect(Object.keys(await ask('GET', `/tasks/${cancelled}`)).sort()).toEqual([
    'completedAt',
    'createdAt',
    'error',
    'namespace',
    'status',
    'taskId',
  ]);
});

it('shows tasks and tokens by day for thirty days, of tasks that failed as well', async () => {
  await run(await submitTask(), asking(refuse));
  apis.clock.pass(24 * 3_600_000);
  await run(
    await submitTask(),
    asking(() => ({ text: 'In March.' }), 'unpriced'),
  );
  await submitTask();
  const { days, storage } = await ask('GET', '/usage');
  expect(days).toHaveLength(30);
  expect(days.slice(0, 3)).toEqual([
    { date: '2026-06-02', tasks: 2, ...UNSPENT, ...SPENT, costUsd: null },
    { date: '2026-06-01', tasks: 1, ...UNSPENT, ...SPENT, costUsd: 0.0033 },
    { date: '2026-05-31', tasks: 0, ...UNSPENT, costUsd: 0 },
  ]);
  expect(storage).toEqual(NOTHING);
});

it('refuses a budget in dollars for a model without a known price, with the name of the model', async () => {
  const found = apis.organizations.get(organization) as Organization;
  apis.organizations.set(organization, { ...found, models: ['openai/gpt-4o', 'openai/ours'] });
  const submit = (model: string, budget: object = { maxUsd: 1 }) =>
    ask('POST', '/tasks', {
      delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } },
      input: { type: 'chat', prompt: 'When is it due?', model },
      namespace: 'usage',
      budget,
    });
  expect(await submit('openai/ours')).toEqual({
    error:
      'budget.maxUsd cannot be held, as the price of the model openai/ours is not known; limit the tokens, or name another model',
  });
  expect(await submit('openai/gpt-4o')).toEqual({ taskId: expect.any(String) });
  apis.organizations.set(organization, {
    ...found,
    models: ['openai/gpt-4o', 'openai/ours'],
    limits: { 'monthly-usd': { most: 500 } },
  });
  expect(await submit('openai/ours', {})).toEqual({
    error: expect.stringMatching(/^input\.model cannot be openai\/ours: its price is not known, .* monthly budget/),
  });
  expect(await submit('openai/gpt-4o', {})).toEqual({ taskId: expect.any(String) });
});

it('sums up the stored files, until they are deleted, for their organization only', async () => {
  const store = async (size: number) => {
    const [fileId, createdAt] = [apis.ids.uuid(), apis.clock.now()];
    const file = {
      fileName: 'a.txt',
      mimeType: 'a/b',
      size,
      createdAt,
      goneAt: createdAt + 1e9,
      bytesAt: `x/${fileId}`,
    };
    await apis.table.insert(fileDraft(organization, fileId, { state: 'stored', ...file }));
    return fileId;
  };
  const fileId = await store(1_000);
  await store(536_870_912);
  expect((await ask('GET', '/usage')).storage).toEqual({ files: 2, bytes: 536_871_912, capped: false });
  const reply = {
    apiName: 'files-and-tasks',
    organization,
    method: 'DELETE',
    path: `/api/v1/files/${fileId}`,
  } as const;
  expect((await apis.ask(reply)).status).toBe(204);
  expect((await ask('GET', '/usage')).storage).toEqual({ files: 1, bytes: 536_870_912, capped: false });
  organization = apis.found();
  expect((await ask('GET', '/usage')).storage).toEqual(NOTHING);
});
