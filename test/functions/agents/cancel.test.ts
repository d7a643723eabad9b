/** Cancelling: immediate while a task waits or when forced, else at its next safe point; repeats get the same answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import type { TokenPrice, Tokens } from '../../../shared/usage/tokens.ts';
import { type Api, addressOf, gates, openApi, type Who, workerOf } from './setup.ts';

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

const cancel = (id: string, json?: object, as: Who = who) => api.call(as, 'POST', `/tasks/${id}/cancel`, { json });
const get = async (id: string, path = '') => (await api.call(who, 'GET', `/tasks/${id}${path}`)).body;
const NOON = '2026-06-01T12:00:00.000Z';

/** A model that stalls after part of its answer. */
function hangs(estimate: Partial<Tokens>, price: TokenPrice | undefined) {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const stage: Stage = {
    name: 'planning',
    run({ meter }) {
      meter.use('openai/m');
      meter.begin(() => estimate, price);
      resolve();
      return new Promise(() => undefined);
    },
  };
  return { stage, reached };
}

async function running(o: { finished?: number } = {}) {
  const id = await api.submitted(who);
  const { stages, planning, gathering } = gates();
  const worker = workerOf(api, stages);
  const run = worker.run(addressOf(who, id));
  await planning.reached;
  if (o.finished) {
    planning.open();
    await gathering.reached;
  }
  return { id, worker, run, gathering };
}

it('ends a waiting task immediately, and answers a repeat the same way', async () => {
  const id = await api.submitted(who, { metadata: { order: '7' } });
  const first = await cancel(id, { reason: 'Ordered twice' });
  expect(first.status).toBe(200);
  expect(first.body).toEqual({
    task_id: id,
    status: 'cancelled',
    previous_status: 'pending',
    reason: 'Ordered twice',
    force: false,
    requested_at: NOON,
    results_available: false,
    stopped_at: NOON,
    usage: {
      model: null,
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      reasoning_tokens: 0,
      estimated: false,
      cost_usd: 0,
    },
    metadata: { order: '7' },
  });
  api.clock.pass(5_000);
  for (const json of [undefined, { reason: 'Another' }, { force: true }]) {
    const again = await cancel(id, json);
    expect([again.status, again.body]).toEqual([200, first.body]);
  }
  const status = await get(id);
  expect([status.status, status.error.code, status.started_at]).toEqual(['cancelled', 'TASK_CANCELLED', null]);
  expect(await get(id, '/results')).toMatchObject({ status: 'cancelled', results: {}, partial: true });
});

it('lets a running task reach its next safe point, and keeps its results', async () => {
  const { id, worker, run } = await running({ finished: 1 });
  const first = await cancel(id, { reason: 'Too late' });
  expect([first.status, first.body.status, first.body.previous_status]).toEqual([202, 'cancelling', 'processing']);
  expect((await get(id)).status).toBe('cancelling');
  expect((await api.call(who, 'GET', '/tasks?status=cancelling')).body.tasks).toMatchObject([{ status: 'cancelling' }]);
  api.clock.pass(1_000);
  const again = await cancel(id, { reason: 'Other words' });
  expect([again.status, again.body]).toEqual([202, first.body]);
  worker.beat();
  await run;
  const after = await cancel(id);
  expect([after.status, after.body]).toEqual([
    200,
    { ...first.body, status: 'cancelled', stopped_at: expect.any(String) },
  ]);
  expect(first.body.stopped_at).toBeNull();
  const results = await get(id, '/results');
  expect(results).toMatchObject({ status: 'cancelled', partial: true, results: { topic: 'tides' } });
  expect(results.error).toEqual({ code: 'TASK_CANCELLED', message: 'The task was cancelled.' });
});

it('ends the task within a minute even if its worker is not notified', async () => {
  const { id, worker, run } = await running();
  await cancel(id);
  api.clock.pass(60_000);
  await moveTask(api, addressOf(who, id), { type: 'tick' });
  expect((await get(id)).status).toBe('cancelled');
  worker.beat();
  await run;
});

it('ends a running task immediately if forced, and its worker can no longer change it', async () => {
  const { id, worker, run, gathering } = await running({ finished: 1 });
  const forced = await cancel(id, { force: true });
  expect([forced.status, forced.body]).toEqual([
    200,
    expect.objectContaining({ status: 'cancelled', previous_status: 'processing', force: true, reason: null }),
  ]);
  worker.beat();
  gathering.open();
  await run;
  expect(await get(id)).toMatchObject({ status: 'cancelled', progress: { percentage: 33 } });
});

it('answers with the cost of the task when its last call was aborted, and with null for a model without a price', async () => {
  for (const [price, cost] of [
    [{ input: 3, output: 15 }, 0.0033],
    [undefined, null],
  ] as const) {
    const id = await api.submitted(who);
    const hanging = hangs({ inputTokens: 900, outputTokens: 40, estimatedOutputTokens: 40 }, price);
    const worker = workerOf(api, [hanging.stage]);
    const run = worker.run(addressOf(who, id));
    await hanging.reached;
    const { body: first } = await cancel(id);
    expect([first.stopped_at, first.usage.cost_usd]).toEqual([null, 0]);
    worker.beat();
    await run;
    const { status, body } = await cancel(id);
    expect([status, body.status, body.stopped_at]).toEqual([200, 'cancelled', NOON]);
    expect(body.usage).toMatchObject({ input_tokens: 900, output_tokens: 40, estimated: true, cost_usd: cost });
    expect((await get(id)).usage).toEqual(body.usage);
  }
});

it('can be forced while it is in progress, and keeps its first reason unless another is given', async () => {
  const { id, worker, run } = await running();
  await cancel(id, { reason: 'First' });
  api.clock.pass(1_000);
  const forced = await cancel(id, { force: true });
  expect([forced.status, forced.body]).toEqual([
    200,
    expect.objectContaining({ status: 'cancelled', reason: 'First', force: true, requested_at: NOON }),
  ]);
  worker.beat();
  await run;
});

it('gives the same answer to all concurrent callers', async () => {
  const id = await api.submitted(who);
  const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => cancel(id, { reason: `Reason ${at}` })));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
});

it('refuses a task that has ended by itself', async () => {
  const id = await api.submitted(who);
  const { stages, open } = gates();
  open();
  await workerOf(api, stages).run(addressOf(who, id));
  const { status, body } = await cancel(id, { force: true });
  expect([status, body.error.code, body.error.details]).toEqual([409, 'TASK_NOT_CANCELLABLE', { status: 'completed' }]);
  expect(body.error.message).toBe('The task has completed and cannot be cancelled.');
});

it.each([{ reason: 'x'.repeat(501) }, { reason: 7 }, { reason: '' }, { force: 'yes' }, { reason: [], force: 1 }])(
  'refuses %j',
  async (json) => {
    const id = await api.submitted(who);
    const { status, body } = await cancel(id, json);
    expect([status, body.error.details.invalid_fields]).toEqual([400, Object.keys(json)]);
    expect((await get(id)).status).toBe('pending');
  },
);

describe('roles', () => {
  const as = (role: 'viewer' | 'member' | 'admin', by = 'user:two'): Who => ({ ...who, role, by });

  it('lets a viewer only read', async () => {
    const id = await api.submitted(who);
    const viewer = as('viewer', 'user:one');
    for (const path of ['/tasks', `/tasks/${id}`, `/tasks/${id}/deliveries`, '/usage']) {
      expect((await api.call(viewer, 'GET', path)).status, path).toBe(200);
    }
    for (const path of ['/tasks', `/tasks/${id}/cancel`, `/tasks/${id}/deliveries/x/redeliver`, '/webhooks/test']) {
      const { status, body } = await api.call(viewer, 'POST', path, { json: {} });
      expect([status, body.error.code], path).toEqual([403, 'FORBIDDEN']);
    }
    expect((await get(id)).status).toBe('pending');
  });

  it('lets a member cancel only their own tasks, and an admin any', async () => {
    const id = await api.submitted(who);
    const refused = await cancel(id, {}, as('member'));
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await get(id)).status).toBe('pending');
    expect((await cancel(id, {}, as('admin'))).status).toBe(200);
    expect((await cancel(await api.submitted(who))).status).toBe(200);
  });
});
