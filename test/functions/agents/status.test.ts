/** The progress of a task while it waits, runs, fails and ends. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { type Api, addressOf, gates, openApi, type Who, workerOf } from './setup.ts';

const NOTHING_MORE = { cached_input_tokens: 0, reasoning_tokens: 0, estimated: false, cost_usd: 0 };

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

const get = async (id: string, path = '') => (await api.call(who, 'GET', `/tasks/${id}${path}`)).body;
const at = (ms: number) => new Date(Date.parse('2026-06-01T12:00:00Z') + ms).toISOString();

it('shows every field of the specification, with null for values that are not known yet', async () => {
  const id = await api.submitted(who, { metadata: { order: '7' }, priority: 8 });
  const { status, headers, body } = await api.call(who, 'GET', `/tasks/${id}`);
  expect([status, headers['retry-after']]).toEqual([200, '3']);
  expect(body).toEqual({
    task_id: id,
    status: 'pending',
    task_type: 'research_agent',
    priority: 8,
    progress: { percentage: 0, current_stage: 'planning', stages_completed: [], estimated_remaining_minutes: 3 },
    created_at: at(0),
    started_at: null,
    last_updated: at(0),
    completed_at: null,
    output_preview: {},
    webhook_configured: false,
    metadata: { order: '7' },
    warnings: [],
    usage: { model: null, input_tokens: 0, output_tokens: 0, ...NOTHING_MORE },
  });
});

it('tells pollers to wait as long as their rate limit requires', async () => {
  const usual = { organization: api.found({}) };
  const narrow = { organization: api.found({ 'agent-status': { hour: 60 }, 'agent-results': { minute: 1 } }) };
  for (const [of, status, results] of [
    [usual, '8', '8'],
    [narrow, '60', '60'],
  ] as const) {
    const id = await api.submitted(of);
    const [statusReply, early] = [
      await api.call(of, 'GET', `/tasks/${id}`),
      await api.call(of, 'GET', `/tasks/${id}/results`),
    ];
    expect([statusReply.headers['retry-after'], early.headers['retry-after']]).toEqual([status, results]);
  }
});

it('shows progress from stage to stage that never falls', async () => {
  const id = await api.submitted(who);
  const { planning, gathering, writing, stages } = gates();
  const running = workerOf(api, stages).run(addressOf(who, id));
  await planning.reached;
  api.clock.pass(60_000);
  const first = await get(id);
  expect(first).toMatchObject({ status: 'processing', started_at: at(0), last_updated: at(0), output_preview: {} });
  expect(first.progress).toEqual({
    percentage: 0,
    current_stage: 'planning',
    stages_completed: [],
    estimated_remaining_minutes: 2,
  });
  planning.open();
  await gathering.reached;
  const second = await get(id);
  expect(second).toMatchObject({ last_updated: at(60_000), output_preview: { topic: 'tides' } });
  expect(second.progress).toMatchObject({
    percentage: 33,
    current_stage: 'gathering',
    stages_completed: ['planning'],
  });
  gathering.open();
  await writing.reached;
  // Longer than usual: the remaining time follows from the pace so far.
  api.clock.pass(3 * 60_000);
  expect((await get(id)).progress).toEqual({
    percentage: 66,
    current_stage: 'writing',
    stages_completed: ['planning', 'gathering'],
    estimated_remaining_minutes: 2.06,
  });
  writing.open();
  await running;
  const { status, headers, body } = await api.call(who, 'GET', `/tasks/${id}`);
  expect([status, headers['retry-after']]).toEqual([200, undefined]);
  expect(body).toMatchObject({ status: 'completed', completed_at: at(240_000), output_preview: { outline: 5 } });
  expect(body.progress).toEqual({
    percentage: 100,
    current_stage: 'writing',
    stages_completed: ['planning', 'gathering', 'writing'],
    estimated_remaining_minutes: 0,
  });
  expect(body.usage).toEqual({
    model: 'offline/extractive',
    input_tokens: 10,
    output_tokens: 5,
    ...NOTHING_MORE,
    cost_usd: null,
  });
});

it('shows the tokens of an answer in progress, as of the last heartbeat, until the task has ended', async () => {
  const id = await api.submitted(who);
  const [firstTokens, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let arrived = 10;
  const stage: Stage = {
    name: 'planning',
    async run({ meter }) {
      meter.use('openai/m');
      meter.begin(() => ({}))({ inputTokens: 100, outputTokens: 5 });
      const end = meter.begin(() => ({ inputTokens: 1_000, outputTokens: arrived }));
      firstTokens.resolve();
      await answered.promise;
      end({ inputTokens: 900, outputTokens: 50 });
      return {};
    },
  };
  const worker = workerOf(api, [stage]);
  const running = worker.run(addressOf(who, id));
  await firstTokens.promise;
  const tokens = async () => (await get(id)).progress.tokens;
  expect(await tokens()).toBeUndefined();
  worker.beat();
  await expect.poll(tokens).toBe(1_115);
  arrived = 40;
  expect(await tokens()).toBe(1_115);
  worker.beat();
  await expect.poll(tokens).toBe(1_145);
  answered.resolve();
  await running;
  const ended = await get(id);
  expect(ended.progress).not.toHaveProperty('tokens');
  expect(ended.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 55 });
});

it('shows no time before the creation if the clock is set back while a task runs', async () => {
  const id = await api.submitted(who);
  const { planning, stages, open } = gates();
  const running = workerOf(api, stages).run(addressOf(who, id));
  await planning.reached;
  api.clock.pass(-3_600_000);
  expect(await get(id)).toMatchObject({ created_at: at(0), last_updated: at(0) });
  open();
  await running;
  expect(await get(id)).toMatchObject({ status: 'completed', last_updated: at(0), completed_at: at(0) });
});

it('shows the stage in which a task stopped, and the first one of a task that never began', async () => {
  const [failed, cancelled] = [await api.submitted(who), await api.submitted(who)];
  const { planning, gathering, stages } = gates();
  const running = workerOf(api, stages).run(addressOf(who, failed));
  planning.open();
  await gathering.reached;
  gathering.fail(new TaskFailure('PROCESSING_FAILED', 'No source answers.'));
  await running;
  await api.call(who, 'POST', `/tasks/${cancelled}/cancel`);
  expect(await get(failed)).toMatchObject({ status: 'failed', progress: { current_stage: 'gathering' } });
  expect(await get(cancelled)).toMatchObject({ status: 'cancelled', progress: { current_stage: 'planning' } });
});

it('returns the results of a completed task with the actual counts', async () => {
  const id = await api.submitted(who, { metadata: { order: '7' } });
  const { stages, open, writing } = gates();
  open();
  const early = await api.call(who, 'GET', `/tasks/${id}/results`);
  expect([early.status, early.body.error.code, early.headers['retry-after']]).toEqual([409, 'TASK_NOT_COMPLETED', '3']);
  expect(early.body.error.message).toBe('The task is pending; its results are there when it has ended.');
  expect(early.body.error.details).toMatchObject({ status: 'pending', progress: { percentage: 0 } });
  const running = workerOf(api, stages).run(addressOf(who, id));
  await writing.reached;
  await running;
  expect(await get(id, '/results')).toEqual({
    task_id: id,
    status: 'completed',
    results: { outline: 'High.' },
    processing_details: {
      sources_processed: 2,
      processing_time_minutes: 0,
      service_engine_queries: 3,
      confidence_scores: { data_quality: 0, analysis_completeness: 0, source_reliability: 0 },
    },
    completed_at: at(0),
    usage: { model: 'offline/extractive', input_tokens: 10, output_tokens: 5, ...NOTHING_MORE, cost_usd: null },
    metadata: { order: '7' },
    warnings: [],
  });
});

it('shows why a task failed, and returns the results of its finished stages as partial', async () => {
  const id = await api.submitted(who);
  const { planning, gathering, stages } = gates();
  const running = workerOf(api, stages).run(addressOf(who, id));
  planning.open();
  await gathering.reached;
  api.clock.pass(90_000);
  gathering.fail(new TaskFailure('PROCESSING_FAILED', 'The sources contradict each other.'));
  await running;
  const error = { code: 'PROCESSING_FAILED', message: 'The sources contradict each other.' };
  expect(await get(id)).toMatchObject({ status: 'failed', error, output_preview: { topic: 'tides' } });
  expect(await get(id, '/results')).toMatchObject({
    status: 'failed',
    error,
    results: { topic: 'tides' },
    partial: true,
    processing_details: { sources_processed: 2, processing_time_minutes: 1.5 },
  });
});

it('fails a task that exceeds its timeout with TASK_TIMEOUT', async () => {
  const id = await api.submitted(who, { timeout_minutes: 1 });
  const { planning, stages } = gates();
  const worker = workerOf(api, stages);
  const running = worker.run(addressOf(who, id));
  await planning.reached;
  api.clock.pass(60_000);
  worker.beat();
  await running;
  const status = await get(id);
  expect([status.status, status.error.code]).toEqual(['failed', 'TASK_TIMEOUT']);
  expect(await get(id, '/results')).toMatchObject({
    status: 'failed',
    error: status.error,
    results: {},
    partial: true,
  });
});

it('stays processing while a failed attempt waits for its next one', async () => {
  const id = await api.submitted(who);
  const { planning, stages } = gates();
  const running = workerOf(api, stages).run(addressOf(who, id));
  await planning.reached;
  api.clock.pass(1_000);
  planning.fail(new TaskFailure('MODEL_UNAVAILABLE', 'No answer.', { mayPass: true }));
  await running;
  expect(await get(id)).toMatchObject({
    status: 'processing',
    last_updated: at(1_000),
    progress: { current_stage: 'planning' },
  });
});

it('says what it waits for while its model is busy, and only then', async () => {
  const id = await api.submitted(who);
  const wait = { waitsFor: 'openai/m: 429', until: api.clock.now() + 30_000 };
  const busy: Stage = {
    name: 'planning',
    run: () => Promise.reject(new TaskFailure('MODEL_UNAVAILABLE', 'The model is busy.', { wait })),
  };
  await workerOf(api, [busy]).run(addressOf(who, id));
  const { status, progress, ...otherFields } = await get(id);
  expect(status).toBe('processing');
  expect(progress.waiting_for).toBe(`waiting for openai/m: 429, next try at ${at(30_000)}`);
  expect(otherFields).not.toHaveProperty('error');
  api.clock.pass(30_000);
  await workerOf(api, [{ name: 'planning', run: async () => ({ text: 'done' }) }]).run(addressOf(who, id));
  expect((await get(id)).progress).not.toHaveProperty('waiting_for');
});
