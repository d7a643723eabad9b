/** What a task was submitted with, whole enough that another task can be submitted with it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putWorkflow } from '../../../shared/knowledge/workflows.ts';
import type { Any } from '../../support/any.ts';
import { type ApiName, type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeEach(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterEach(() => apis.close());

async function ask(apiName: ApiName, method: string, path: string, json?: object): Promise<Any> {
  const body = json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
  const reply = await apis.ask({ apiName, organization, method, path: `/api/v1${path}`, ...body });
  return JSON.parse(String(reply.body));
}

const chat = {
  namespace: 'leases',
  delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } },
  input: { type: 'chat', prompt: 'When does it end?' },
};
const research = { task_type: 'research_agent', input: { query: 'How did port fees change?' } };

it('has the time limit and the budget of an agent task', async () => {
  const limits = { timeout_minutes: 7, budget: { max_tokens: 5_000, max_usd: null } };
  const { task_id } = await ask('agents', 'POST', '/tasks', { ...research, ...limits });
  expect(await ask('agents', 'GET', `/tasks/${task_id}/input`)).toMatchObject(limits);
  const { task_id: otherId } = await ask('agents', 'POST', '/tasks', research);
  expect(await ask('agents', 'GET', `/tasks/${otherId}/input`)).toMatchObject({ timeout_minutes: 60, budget: null });
});

it('has the budget of a chat task, and only what was given of it', async () => {
  const budget = { maxTokens: 5_000, maxMinutes: 7 };
  const { taskId } = await ask('files-and-tasks', 'POST', '/tasks', { ...chat, budget });
  expect((await ask('files-and-tasks', 'GET', `/tasks/${taskId}/input`)).budget).toEqual(budget);
  const { taskId: otherId } = await ask('files-and-tasks', 'POST', '/tasks', chat);
  expect(await ask('files-and-tasks', 'GET', `/tasks/${otherId}/input`)).not.toHaveProperty('budget');
});

it('has the ids of the workflows of a chat task', async () => {
  const steps = [{ name: 'Dates', instruction: 'List the dates.' }];
  const workflow = await putWorkflow(apis, organization, { name: 'Review', steps });
  const input = { ...chat.input, workflowIds: [workflow.id] };
  const { taskId } = await ask('files-and-tasks', 'POST', '/tasks', { ...chat, input });
  expect((await ask('files-and-tasks', 'GET', `/tasks/${taskId}/input`)).input).toMatchObject({
    workflowIds: [workflow.id],
    steps,
  });
});
