/** Both APIs accept the discarding address of either of them in the place of a receiver. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { type ApiName, type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeAll(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterAll(() => apis.close());

async function post(apiName: ApiName, path: string, json: object): Promise<{ status: number; body: Any }> {
  const body = Buffer.from(JSON.stringify(json));
  const answer = await apis.ask({ apiName, organization, method: 'POST', path: `/api/v1${path}`, body });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

const ADDRESSES = ['https://files.acme.org', 'https://agents.acme.org'].map(
  (root) => `${root}/api/v1/webhooks/discard`,
);

it.each(ADDRESSES)('a task with the endpoint %s ends as delivered without an attempt', async (address) => {
  const input = { type: 'chat', prompt: 'What is attached?' };
  const delivery = { type: 'webhook', config: { endpoint: address } };
  const chat = await post('files-and-tasks', '/tasks', { namespace: 'default', delivery, input });
  const research = { task_type: 'research_agent', input: { query: 'Port fees' }, webhook_url: address };
  const agent = await post('agents', '/tasks', research);
  expect([chat.status, agent.status]).toEqual([201, 202]);
  await post('files-and-tasks', `/tasks/${chat.body.taskId}/cancel`, {});
  await post('agents', `/tasks/${agent.body.task_id}/cancel`, { force: true });
  for (const [apiName, taskId] of [
    ['files-and-tasks', chat.body.taskId],
    ['agents', agent.body.task_id],
  ] as const) {
    const { body } = await apis.ask({
      apiName,
      organization,
      method: 'GET',
      path: `/api/v1/tasks/${taskId}/deliveries`,
    });
    expect(JSON.parse(body).deliveries).toEqual([expect.objectContaining({ state: 'delivered', attempts: [] })]);
  }
});

it('a test event cannot be sent to it', async () => {
  const [endpoint] = ADDRESSES;
  expect(await post('files-and-tasks', '/webhooks/test', { endpoint })).toEqual({
    status: 400,
    body: { error: 'endpoint receives nothing: name a receiver of your own' },
  });
  const { status, body } = await post('agents', '/webhooks/test', { webhook_url: endpoint });
  expect([status, body.error.details.reasons]).toEqual([
    400,
    { webhook_url: 'receives nothing: name a receiver of your own' },
  ]);
});

it('the same path of another host is an ordinary endpoint', async () => {
  const webhook_url = 'https://10.0.0.1/api/v1/webhooks/discard';
  const { status } = await post('agents', '/tasks', {
    task_type: 'research_agent',
    input: { query: 'x' },
    webhook_url,
  });
  expect(status).toBe(400);
});
