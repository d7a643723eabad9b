/** The tasks of the background-agent API over HTTP: submitted, watched, listed, cancelled, and what came out. */
import { describe, expect, it } from 'vitest';
import type { Role } from '../../shared/accounts/caller.ts';
import type { Any } from '../any.ts';
import { call, type Reply } from './call.ts';
import type { OrganizationName } from './target.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TASK_ID = /^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RANDOM = 'task_01900000-0000-7000-8000-00000000abcd';
const SOON = { timeout: 20_000, interval: 50 };

type As = { as?: OrganizationName; role?: Role };
type Asked = As & { json?: unknown; method?: string; headers?: Record<string, string> };

const ask = (path: string, { as = 'agents', ...asked }: Asked = {}): Promise<Reply> =>
  call('agents', `/api/v1${path}`, { as, ...asked });

const INPUTS = {
  research_agent: { query: 'How did port fees change?', sources: ['market_data'], output_format: 'markdown' },
  notification_agent: { content: { recipients: ['a@errand-tests.org'], data_sources: ['news_feeds'] } },
};
const bodyOf = (more: object = {}) => ({ task_type: 'research_agent', input: INPUTS.research_agent, ...more });

async function submitted(more: object = {}, as: As = {}): Promise<string> {
  const { status, body, text } = await ask('/tasks', { ...as, json: bodyOf(more) });
  expect(status, text).toBe(202);
  return String(body.task_id);
}

const ENDED = /completed|failed|cancelled/;
const finished = (id: string): Promise<Any> =>
  expect
    .poll(async () => (await ask(`/tasks/${id}`)).body, SOON)
    .toMatchObject({ status: expect.stringMatching(ENDED) })
    .then(async () => (await ask(`/tasks/${id}`)).body);

const errorOf = ({ body }: Reply) => body.error as { code: string; details: Record<string, unknown> };

/** What it does is shown in processing.test.ts. */
const ALL_TYPES = ['research_agent', 'processing_agent', 'notification_agent'];

/** What a task of the type goes through and comes to. */
const COMES_TO = {
  research_agent: {
    stages: ['planning', 'gathering', 'ranking', 'reading', 'writing'],
    preview: { sources: 1, sources_dead: 0, items: 3, documents: 2, read: 2 },
    results: { query: INPUTS.research_agent.query, files: [expect.objectContaining({ name: 'report.md' })] },
    details: { sources_processed: 2, service_engine_queries: 0 },
    scores: { data_quality: 1, source_reliability: 1 },
  },
  notification_agent: {
    stages: ['gathering', 'composing', 'sending', 'reporting'],
    preview: { recipients: 1, sent: 1, suppressed: 0, refused: 0 },
    results: { counts: { sent: 1, suppressed: 0, refused: 0 }, format: 'html', slot: null },
    details: { sources_processed: 1, service_engine_queries: 0 },
    scores: { data_quality: 1, source_reliability: 1 },
  },
};

describe.each(Object.keys(INPUTS) as (keyof typeof INPUTS)[])('a task of a %s', (task_type) => {
  const input = INPUTS[task_type];
  const comesTo = COMES_TO[task_type];

  it('is accepted, goes through its stages, and has results', async () => {
    const metadata = { order: '7' };
    const { status, body } = await ask('/tasks', { json: { task_type, input, metadata, priority: 9 } });
    expect(status).toBe(202);
    expect(body).toEqual({
      task_id: expect.stringMatching(TASK_ID),
      status: 'accepted',
      task_type,
      priority: 9,
      estimated_completion: expect.stringMatching(TIME),
      created_at: expect.stringMatching(TIME),
      webhook_configured: false,
      metadata,
    });
    expect(Date.parse(String(body.estimated_completion))).toBeGreaterThan(Date.parse(String(body.created_at)));

    const id = String(body.task_id);
    const now = await ask(`/tasks/${id}`);
    expect(now.body.status).toMatch(/pending|processing|completed/);
    const shown = await finished(id);
    expect(shown).toEqual({
      task_id: id,
      status: 'completed',
      task_type,
      priority: 9,
      progress: {
        percentage: 100,
        current_stage: null,
        stages_completed: comesTo.stages,
        estimated_remaining_minutes: 0,
      },
      created_at: body.created_at,
      started_at: expect.stringMatching(TIME),
      last_updated: expect.stringMatching(TIME),
      completed_at: shown.last_updated,
      output_preview: expect.objectContaining(comesTo.preview),
      webhook_configured: false,
      metadata,
      usage: { model: 'offline/extractive', input_tokens: 0, output_tokens: 0 },
    });

    const results = await ask(`/tasks/${id}/results`, { headers: { accept: 'application/json' } });
    expect([results.status, results.body]).toEqual([
      200,
      {
        task_id: id,
        status: 'completed',
        results: expect.objectContaining(comesTo.results),
        processing_details: {
          ...comesTo.details,
          processing_time_minutes: expect.any(Number),
          confidence_scores: { analysis_completeness: expect.any(Number), ...comesTo.scores },
        },
        completed_at: shown.completed_at,
        usage: shown.usage,
        metadata,
      },
    ]);
  });
});

describe('what is not as it should be', () => {
  it('is told at once, with all that would be right', async () => {
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
        invalid_fields: ['priority', 'input.query', 'input.sources', 'webhook_url'],
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
  ])('%s %s of a task that never was is not found, like a foreign one', async (method, path) => {
    const id = await submitted();
    const headers = { 'x-request-id': 'same' };
    const random = await ask(path, { method, as: 'stranger', headers });
    const foreign = await ask(path.replace(RANDOM, id), { method, as: 'stranger', headers });
    const said = (reply: Reply) => reply.text.replace(/"timestamp":"[^"]+"/, '');
    expect([random.status, errorOf(random).code]).toEqual([404, 'TASK_NOT_FOUND']);
    expect([foreign.status, said(foreign)]).toEqual([404, said(random)]);
  });

  it.each([
    ['POST', '/tasks', '{', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/tasks', '[]', 'application/json', 400, 'TASK_VALIDATION_FAILED'],
    ['POST', '/tasks', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['DELETE', '/tasks', '', 'application/json', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/task', '', 'application/json', 404, 'NOT_FOUND'],
  ])('%s %s with %j as %s has the error body of this API', async (method, path, raw, type, status, code) => {
    const headers = { 'content-type': type };
    const reply = await call('agents', `/api/v1${path}`, {
      as: 'agents',
      method,
      headers,
      ...(raw === '' ? {} : { raw }),
    });
    expect([reply.status, errorOf(reply).code]).toEqual([status, code]);
    expect(Object.keys(reply.body.error as object)).toEqual(['code', 'message', 'details', 'request_id', 'timestamp']);
  });

  it('is a missing or bad token', async () => {
    for (const headers of [{}, { authorization: 'Bearer x.y.z' }]) {
      const reply = await call('agents', '/api/v1/tasks', { headers });
      expect([reply.status, errorOf(reply).code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});

it('makes one task of a submit that is repeated under its key', async () => {
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

it('frees the key of a submit that was refused', async () => {
  const headers = { 'idempotency-key': `r-${Date.now()}` };
  expect((await ask('/tasks', { json: {}, headers })).status).toBe(400);
  const mended = await ask('/tasks', { json: bodyOf(), headers });
  expect([mended.status, mended.headers.get('idempotent-replayed')]).toEqual([202, null]);
});

describe('cancel', () => {
  it('answers as the task stands, the same to every repeat, and is refused once it has ended by itself', async () => {
    const id = await submitted({ priority: 1, metadata: { a: 'b' } });
    const first = await ask(`/tasks/${id}/cancel`, { json: { reason: 'Ordered twice', force: true } });
    const again = await ask(`/tasks/${id}/cancel`, { method: 'POST' });
    if (first.status === 409) {
      expect(errorOf(first)).toMatchObject({ code: 'TASK_NOT_CANCELLABLE', details: { status: 'completed' } });
      expect([again.status, errorOf(again).code]).toEqual([409, 'TASK_NOT_CANCELLABLE']);
      return;
    }
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      task_id: id,
      status: 'cancelled',
      previous_status: expect.stringMatching(/pending|processing/),
      reason: 'Ordered twice',
      force: true,
      requested_at: expect.stringMatching(TIME),
      results_available: expect.any(Boolean),
      metadata: { a: 'b' },
    });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const shown = await finished(id);
    expect([shown.status, shown.error.code]).toEqual(['cancelled', 'TASK_CANCELLED']);
    const results = await ask(`/tasks/${id}/results`);
    expect([results.status, results.body]).toEqual([
      200,
      expect.objectContaining({ status: 'cancelled', partial: true, error: shown.error }),
    ]);
  });

  it('refuses a task that has completed, and a body that is wrong', async () => {
    const id = await submitted();
    await finished(id);
    const reply = await ask(`/tasks/${id}/cancel`, { json: {} });
    expect([reply.status, errorOf(reply)]).toEqual([
      409,
      expect.objectContaining({ code: 'TASK_NOT_CANCELLABLE', details: { status: 'completed' } }),
    ]);
    const wrong = await ask(`/tasks/${id}/cancel`, { json: { reason: 7, force: 'x' } });
    expect([wrong.status, errorOf(wrong).details.invalid_fields]).toEqual([400, ['reason', 'force']]);
  });
});

it('gives viewers the reading, members their own tasks, and admins all', async () => {
  const id = await submitted();
  for (const path of ['/tasks', `/tasks/${id}`, `/tasks/${id}/deliveries`, '/usage']) {
    expect((await ask(path, { role: 'viewer' })).status, path).toBe(200);
  }
  const refused = await ask('/tasks', { role: 'viewer', json: bodyOf() });
  expect([refused.status, errorOf(refused).code]).toEqual([403, 'FORBIDDEN']);
  const byAdmin = await submitted({}, { role: 'admin' });
  const foreign = await ask(`/tasks/${byAdmin}/cancel`, { method: 'POST' });
  expect([foreign.status, errorOf(foreign).code]).toEqual([403, 'FORBIDDEN']);
  expect((await ask(`/tasks/${id}/cancel`, { role: 'admin', method: 'POST' })).status).toBeOneOf([200, 202, 409]);
});

describe('the list', () => {
  it('filters, sorts, counts and goes on behind a cursor', async () => {
    const ids: string[] = [];
    for (const priority of [2, 10, 2])
      ids.push(await submitted({ priority, task_type: 'notification_agent', input: INPUTS.notification_agent }));
    for (const id of ids) await finished(id);
    const query = '/tasks?task_type=notification_agent&status=completed';
    // The list may lag for a moment.
    await expect.poll(async () => (await ask(`${query}&limit=100`)).text, SOON).toContain(ids[2]);
    const { body }: { body: Any } = await ask(`${query}&limit=1`);
    expect(body.tasks).toEqual([
      {
        task_id: ids[2],
        status: 'completed',
        task_type: 'notification_agent',
        priority: 2,
        progress_percentage: 100,
        created_at: expect.stringMatching(TIME),
        completed_at: expect.stringMatching(TIME),
        duration_minutes: expect.any(Number),
        metadata: {},
      },
    ]);
    expect(body.pagination).toMatchObject({ offset: 0, limit: 1, has_next: true, total_count_capped: false });
    expect(body.pagination.total_count).toBeGreaterThan(2);
    const next: Any = (await ask(`${query}&limit=1&cursor=${body.pagination.next_cursor}`)).body;
    expect(next.tasks[0].task_id).toBe(ids[1]);
    const first: Any = (await ask(`${query}&sort_by=priority&limit=1`)).body;
    expect(first.tasks[0].priority).toBe(10);
  });

  it('refuses every parameter that is wrong, at once', async () => {
    const reply = await ask('/tasks?limit=0&offset=x&status=done&sort_by=name&sort_order=up&task_type=chat');
    expect([reply.status, errorOf(reply).details.invalid_fields]).toEqual([
      400,
      expect.arrayContaining(['limit', 'offset', 'status', 'sort_by', 'sort_order', 'task_type']),
    ]);
  });
});

describe('webhooks', () => {
  const ENDPOINT = 'https://no-such-host.errand-webhooks.org/hook';

  it('show what was tried, and send again', async () => {
    const id = await submitted({ webhook_url: ENDPOINT });
    const deliveries = async (): Promise<Any> => (await ask(`/tasks/${id}/deliveries`)).body.deliveries;
    await expect.poll(async () => (await deliveries())[0]?.attempts.length ?? 0, SOON).toBeGreaterThan(0);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ delivery_id: expect.stringMatching(/^evt_/), webhook_url: ENDPOINT });
    expect(delivery.attempts[0]).toMatchObject({ attempt: 1, status: null, error: 'unresolved', answer: '' });
    const again = await ask(`/tasks/${id}/deliveries/${delivery.delivery_id}/redeliver`, { method: 'POST' });
    expect([again.status, again.body.delivery_id]).toEqual([202, delivery.delivery_id]);
  });

  it('can be tried out, ten times a minute', async () => {
    const reply = await ask('/webhooks/test', { json: { webhook_url: ENDPOINT } });
    expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ status: null, error: 'unresolved' })]);
    expect(reply.headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60');
    const refused = await ask('/webhooks/test', { json: { webhook_url: 'http://10.0.0.1/' } });
    expect([refused.status, errorOf(refused).details.invalid_fields]).toEqual([400, ['webhook_url']]);
  });
});

describe('limits', () => {
  it('let ten submits a minute through, of fifty that come at once', { timeout: 90_000 }, async () => {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
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
    // Reading has counters of its own.
    const list = await ask('/tasks', { as: 'agent-limits' });
    expect(list.headers.get('ratelimit-policy')).toBe('"minute";q=50;w=60, "hour";q=1000;w=3600');
    const read = await ask(`/tasks/${RANDOM}`, { as: 'agent-limits' });
    expect(read.headers.get('ratelimit-policy')).toBe('"minute";q=25;w=60, "hour";q=500;w=3600');
  });

  it('answer INSUFFICIENT_RESOURCES to an organization that has as many unfinished as it may', async () => {
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
