/** Requests that the background-agent API refuses: invalid ones, other organizations' tasks, repeats, and those above a limit. */
import { describe, expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { ask, bodyOf, errorOf, RANDOM, submitTask, TIME } from './agent-calls.ts';
import { call, type Reply } from './call.ts';

/** Its behaviour is tested in processing.test.ts. */
const ALL_TYPES = ['research_agent', 'processing_agent', 'notification_agent'];

describe('an invalid request', () => {
  it('returns all valid choices at once', async () => {
    const json = {
      task_type: 'research_agent',
      priority: 99,
      input: { sources: ['x'] },
      webhook_url: 'https://10.0.0.1/',
    };
    const reply = await ask('/tasks', { json });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body)).toEqual(['error']);
    expect(reply.body.error).toEqual({
      code: 'TASK_VALIDATION_FAILED',
      message: expect.any(String),
      details: {
        invalid_fields: ['priority', 'input.query', 'input.sources.0', 'webhook_url', 'input.sources'],
        valid_task_types: ALL_TYPES,
        valid_sources: ['financial_reports', 'market_data', 'news_feeds'],
        reasons: expect.any(Object),
      },
      request_id: reply.headers.get('x-request-id'),
      timestamp: expect.stringMatching(TIME),
    });
  });

  it.each([
    ['GET', `/tasks/${RANDOM}`],
    ['GET', `/tasks/${RANDOM}/results`],
    ['GET', `/tasks/${RANDOM}/deliveries`],
    ['POST', `/tasks/${RANDOM}/cancel`],
    ['POST', `/tasks/${RANDOM}/deliveries/x/redeliver`],
  ])('%s %s answers 404 for an unknown task and for a task of another organization alike', async (method, path) => {
    const id = await submitTask();
    const headers = { 'x-request-id': 'same' };
    const random = await ask(path, { method, as: 'stranger', headers });
    const foreign = await ask(path.replace(RANDOM, id), { method, as: 'stranger', headers });
    const textWithoutTime = (reply: Reply) => reply.text.replace(/"timestamp":"[^"]+"/, '');
    expect([random.status, errorOf(random).code]).toEqual([404, 'TASK_NOT_FOUND']);
    expect([foreign.status, textWithoutTime(foreign)]).toEqual([404, textWithoutTime(random)]);
  });

  it.each([
    ['POST', '/tasks', '{', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/tasks', '[]', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/tasks', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST', '/websocket-auth', '{', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/websocket-auth', '[]', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/websocket-auth', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['DELETE', '/tasks', '', 'application/json', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/task', '', 'application/json', 404, 'NOT_FOUND'],
  ])(
    '%s %s with %j as %s answers with the error body of the agent API',
    async (method, path, raw, type, status, code) => {
      const headers = { 'content-type': type };
      const reply = await call('agents', `/api/v1${path}`, {
        as: 'agents',
        method,
        headers,
        ...(raw === '' ? {} : { raw }),
      });
      expect([reply.status, errorOf(reply).code]).toEqual([status, code]);
      expect(Object.keys(reply.body.error as object)).toEqual([
        'code',
        'message',
        'details',
        'request_id',
        'timestamp',
      ]);
    },
  );

  it('is a missing or bad token', async () => {
    for (const headers of [{}, { authorization: 'Bearer x.y.z' }]) {
      const reply = await call('agents', '/api/v1/tasks', { headers });
      expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});

it('creates one task when a submit is repeated with its idempotency key', async () => {
  const headers = { 'idempotency-key': `k-${Date.now()}` };
  const [first, second] = [
    await ask('/tasks', { json: bodyOf(), headers }),
    await ask('/tasks', { json: bodyOf(), headers }),
  ];
  expect([first.status, second.status, second.body]).toEqual([202, 202, first.body]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  const other = await ask('/tasks', { json: bodyOf({ priority: 1 }), headers });
  expect([other.status, errorOf(other).code]).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
});

it('releases the idempotency key of a rejected submit', async () => {
  const headers = { 'idempotency-key': `r-${Date.now()}` };
  expect((await ask('/tasks', { json: {}, headers })).status).toBe(400);
  const mended = await ask('/tasks', { json: bodyOf(), headers });
  expect([mended.status, mended.headers.get('idempotent-replayed')]).toEqual([202, null]);
});

describe('limits', () => {
  it('allow ten of fifty concurrent submits within a minute', { timeout: 90_000 }, async () => {
    const msLeft = 60_000 - (Date.now() % 60_000);
    if (msLeft < 15_000) await new Promise((resolve) => setTimeout(resolve, msLeft + 100));
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => ask('/tasks', { as: 'agent-limits', json: bodyOf() })),
    );
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    for (const reply of refused) {
      expect(errorOf(reply)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(reply.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60, "hour";q=100;w=3600');
    }
    const { body }: { body: Any } = await ask('/usage', { as: 'agent-limits' });
    expect(body.limits[0]).toMatchObject({ calls: 'POST /tasks', minute: { most: 10 }, hour: { most: 100, left: 90 } });
    expect(body.days).toHaveLength(30);
    // Reads have rate limits of their own.
    const list = await ask('/tasks', { as: 'agent-limits' });
    expect(list.headers.get('ratelimit-policy')).toBe('"minute";q=50;w=60, "hour";q=1000;w=3600');
    const read = await ask(`/tasks/${RANDOM}`, { as: 'agent-limits' });
    expect(read.headers.get('ratelimit-policy')).toBe('"minute";q=25;w=60, "hour";q=500;w=3600');
  });

  it('answer INSUFFICIENT_RESOURCES to an organization at its maximum of unfinished tasks', async () => {
    const burst = async () => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => ask('/tasks', { as: 'agent-full', json: bodyOf() })),
      );
      return all.find(({ status }) => status === 503);
    };
    let full: Reply | undefined;
    for (let tries = 0; !full && tries < 20; tries++) full = await burst();
    expect(errorOf(full as Reply)).toMatchObject({ code: 'INSUFFICIENT_RESOURCES', details: {} });
    expect(full?.headers.get('retry-after')).toBe('60');
  });
});
