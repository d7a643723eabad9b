/** The routes of webhooks, with a receiver whose name does not resolve: deliveries, redelivery, test events. */
import { describe, expect, it, vi } from 'vitest';
import { call } from './call.ts';

/** A valid public host name that does not resolve. */
const ENDPOINT = 'https://no-such-host.errand-webhooks.org/hook';
const UUID = '00000000-0000-4000-8000-000000000000';
const SOON = { timeout: 25_000, interval: 100 };

vi.setConfig({ testTimeout: 30_000 });

type Attempt = { attempt: number; at: string; status: number | null; error: string | null; nextAttemptAt: string };
type Delivery = { deliveryId: string; state: string; nextAttemptAt: string | null; attempts: Attempt[] };

const submitTask = async (): Promise<string> => {
  const delivery = { type: 'webhook', config: { endpoint: ENDPOINT } };
  const json = { namespace: 'webhooks', delivery, input: { type: 'chat', prompt: 'What is attached?' } };
  const { status, body } = await call('files', '/tasks', { as: 'webhooks', json });
  expect(status).toBe(201);
  return String(body.taskId);
};

const deliveriesOf = async (taskId: string): Promise<Delivery[]> => {
  const { status, body } = await call('files', `/tasks/${taskId}/deliveries`, { as: 'webhooks' });
  expect(status).toBe(200);
  return body.deliveries as Delivery[];
};

const waitForAttempts = (taskId: string, times: number): Promise<Delivery> =>
  vi.waitFor(async () => {
    const [delivery] = await deliveriesOf(taskId);
    if (!delivery || delivery.attempts.length < times) throw new Error('not yet');
    return delivery;
  }, SOON);

describe('the deliveries of a task', () => {
  it('show each attempt, and sending again adds one with the next number', async () => {
    const taskId = await submitTask();
    const delivery = await waitForAttempts(taskId, 1);
    expect(delivery).toMatchObject({
      deliveryId: `evt_${taskId}_succeeded`,
      endpoint: ENDPOINT,
      state: expect.stringMatching(/pending|sending/),
    });
    const [first] = delivery.attempts;
    expect(first).toEqual({
      attempt: 1,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      durationMs: expect.any(Number),
      status: null,
      error: 'unresolved',
      answer: '',
      nextAttemptAt: expect.any(String),
    });
    const planned = Date.parse(first?.nextAttemptAt ?? '') - Date.parse(first?.at ?? '');
    expect(planned).toBeGreaterThanOrEqual(4_000);

    const again = await call('files', `/tasks/${taskId}/deliveries/${delivery.deliveryId}/redeliver`, {
      as: 'webhooks',
      method: 'POST',
    });
    expect([again.status, again.body.deliveryId]).toEqual([202, delivery.deliveryId]);
    const after = await waitForAttempts(taskId, 2);
    expect(after.attempts.map(({ attempt }) => attempt).slice(0, 2)).toEqual([1, 2]);
  });

  it('of a task that is unknown or foreign are not found, and neither is an unknown delivery', async () => {
    const taskId = await submitTask();
    await waitForAttempts(taskId, 1);
    const missing = [404, { error: 'Task not found' }];
    for (const path of [UUID, 'x', taskId]) {
      const as = path === taskId ? 'stranger' : 'webhooks';
      const list = await call('files', `/tasks/${path}/deliveries`, { as });
      expect([list.status, list.body]).toEqual(missing);
      const again = await call('files', `/tasks/${path}/deliveries/evt_1/redeliver`, { as, method: 'POST' });
      expect([again.status, again.body]).toEqual(missing);
    }
    const other = await call('files', `/tasks/${taskId}/deliveries/evt_1/redeliver`, {
      as: 'webhooks',
      method: 'POST',
    });
    expect([other.status, other.body]).toEqual([404, { error: 'Delivery not found' }]);
  });

  it('require an API key', async () => {
    for (const [method, path] of [
      ['GET', `/tasks/${UUID}/deliveries`],
      ['POST', `/tasks/${UUID}/deliveries/evt_1/redeliver`],
      ['POST', '/webhooks/test'],
    ] as const) {
      expect((await call('files', path, { method })).status).toBe(401);
    }
  });
});

describe('the test of an endpoint', () => {
  const test = (json: unknown) => call('files', '/webhooks/test', { as: 'webhooks', json });

  it('answers with the attempt', async () => {
    const { status, body } = await test({ endpoint: ENDPOINT });
    expect([status, body]).toEqual([
      200,
      {
        at: expect.any(String),
        durationMs: expect.any(Number),
        status: null,
        error: 'unresolved',
        answer: '',
        nextAttemptAt: null,
      },
    ]);
  });

  it.each([
    [{}, 'endpoint is required'],
    [{ endpoint: '' }, 'endpoint is required'],
    [{ endpoint: 5 }, 'endpoint must be a string'],
    [{ endpoint: 'https://10.0.0.1/' }, 'endpoint must be a public HTTPS URL'],
    [{ endpoint: 'http://hooks.customer-a.com/' }, 'endpoint must be a public HTTPS URL'],
  ])('answers %j with 400: %s', async (json, error) => {
    const reply = await test(json);
    expect([reply.status, reply.body]).toEqual([400, { error }]);
  });

  it('is allowed ten times a minute', async () => {
    const statuses: number[] = [];
    for (let times = 0; times < 21 && !statuses.includes(429); times++) {
      statuses.push((await call('files', '/webhooks/test', { as: 'limited', json: {} })).status);
    }
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
  });
});

it.each([
  'https://10.0.0.1/hook',
  'https://localhost/hook',
  'https://hooks.local/hook',
  'http://hooks.customer-a.com/hook',
  'https://user:pass@hooks.customer-a.com/hook',
  'hooks.customer-a.com',
])('rejects a task with the webhook %s', async (endpoint) => {
  const delivery = { type: 'webhook', config: { endpoint } };
  const json = { namespace: 'n', delivery, input: { type: 'chat', prompt: 'p' } };
  const { status, body } = await call('files', '/tasks', { as: 'webhooks', json });
  expect([status, body]).toEqual([400, { error: 'delivery.config.endpoint must be a public HTTPS URL' }]);
});
