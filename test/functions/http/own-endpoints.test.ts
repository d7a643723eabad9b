/** Endpoints on the hosts of the service itself, whichever of its APIs the caller reached: refused at once, but for the discarding one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicEndpointFault } from '../../../engines/outbound/ssrf-policy.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import { type Api, openApi } from '../agents/setup.ts';
import { apiContextOf, postOf } from './api-context.ts';

let api: Api;
beforeEach(() => {
  api = openApi();
});
afterEach(() => api.close());

const FILES_HOST = 'files.acme.org';
const AGENTS_HOST = 'agents.acme.org';
const serviceUrls = [`https://${FILES_HOST}`, `https://${AGENTS_HOST}`];
const OTHER_HOST = [`https://${AGENTS_HOST}/auth/login`, `https://${AGENTS_HOST.toUpperCase()}/ws/tasks`];
const DISCARD = `https://${AGENTS_HOST}/api/v1/webhooks/discard`;

/** Calls the Files & Tasks API by its own host. */
async function callFiles(path: string, json: object) {
  const organization = { id: 'org', name: 'One', createdAt: 0, models: ['offline/extractive'], limits: {} };
  const dispatch = dispatcher(filesAndTasks, {
    ...apiContextOf(api),
    organizationOf: async () => organization,
    faultOfEndpoint: publicEndpointFault,
    serviceUrls,
  });
  const { status, body } = await dispatch({ ...postOf(json, 'key'), path: `/api/v1${path}`, hosts: [FILES_HOST] });
  return { status, body };
}

describe('the Files & Tasks API', () => {
  const chat = (endpoint: string) => ({
    namespace: 'n',
    delivery: { type: 'webhook', config: { endpoint } },
    input: { type: 'chat', prompt: 'What is due?' },
  });

  it.each(OTHER_HOST)('refuses a task whose endpoint is %s', async (endpoint) => {
    const { status, body } = await callFiles('/tasks', chat(endpoint));
    expect([status, JSON.parse(body)]).toEqual([400, { error: 'delivery.config.endpoint must be a public HTTPS URL' }]);
  });

  it.each(OTHER_HOST)('refuses to test the endpoint %s', async (endpoint) => {
    const { status, body } = await callFiles('/webhooks/test', { endpoint });
    expect([status, JSON.parse(body)]).toEqual([400, { error: 'endpoint must be a public HTTPS URL' }]);
  });

  it('accepts a task with the discarding endpoint of the other API', async () => {
    expect((await callFiles('/tasks', chat(DISCARD))).status).toBe(201);
  });
});

describe('the agent API', () => {
  const call = (path: string, json: object) => api.call({ organization: api.found() }, 'POST', path, { json });
  const research = (webhook_url: string) => ({ task_type: 'research_agent', input: { query: 'q' }, webhook_url });
  const refusal = { status: 400, body: { error: { details: { invalid_fields: ['webhook_url'] } } } };

  it.each(OTHER_HOST)('refuses a task whose webhook_url is %s', async (url) => {
    expect(await call('/tasks', research(url))).toMatchObject(refusal);
  });

  it.each(OTHER_HOST)('refuses to test the webhook_url %s', async (webhook_url) => {
    expect(await call('/webhooks/test', { webhook_url })).toMatchObject(refusal);
  });

  it('accepts a task with the discarding endpoint', async () => {
    expect((await call('/tasks', research(DISCARD))).status).toBe(202);
  });
});
