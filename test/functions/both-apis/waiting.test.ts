/** `include=waiting`: what a task of the Files & Tasks API waits for while its model is busy or away. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeEach(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterEach(() => apis.close());

async function ask(method: string, path: string, json?: object) {
  const body = json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
  const reply = await apis.ask({ apiName: 'files-and-tasks', organization, method, path: `/api/v1${path}`, ...body });
  return { status: reply.status, body: JSON.parse(String(reply.body)) };
}

async function waitingTask(): Promise<string> {
  const { body } = await ask('POST', '/tasks', {
    delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } },
    input: { type: 'chat', prompt: 'When is the rent due?' },
    namespace: 'waiting',
  });
  const address = { organization, taskId: body.taskId };
  const until = apis.clock.now() + 30_000;
  await moveTask(apis, address, { type: 'claim' });
  await moveTask(apis, address, { type: 'wait', attempt: 1, until, waitsFor: 'openai/m: 429' });
  return body.taskId;
}

it('adds the model, its answer and the next try only where that is asked for', async () => {
  const taskId = await waitingTask();
  const nextTry = new Date(apis.clock.now() + 30_000).toISOString();
  const { body: plain } = await ask('GET', `/tasks/${taskId}`);
  expect(Object.keys(plain)).toEqual(['taskId', 'namespace', 'status', 'createdAt']);
  expect(plain.status).toBe('active');
  const { body } = await ask('GET', `/tasks/${taskId}?include=waiting`);
  expect(body).toEqual({ ...plain, waitingFor: `waiting for openai/m: 429, next try at ${nextTry}` });
});

it('adds nothing to a task that has ended, and refuses what it does not know', async () => {
  const taskId = await waitingTask();
  const { body: cancelled } = await ask('POST', `/tasks/${taskId}/cancel`, {});
  expect((await ask('GET', `/tasks/${taskId}?include=waiting`)).body).toEqual(cancelled);
  expect(await ask('GET', `/tasks/${taskId}?include=title`)).toMatchObject({
    status: 400,
    body: { error: 'include must be waiting' },
  });
});
