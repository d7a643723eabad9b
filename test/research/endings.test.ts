/** However a research ends, what its finished stages brought is there, through the API itself. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { researchAgent } from '../../engines/agents/research/research-agent.ts';
import { offlineModel } from '../../engines/model/offline.ts';
import type { Every } from '../../shared/ports.ts';
import type { Gather } from '../../shared/sources/gathered.ts';
import { TaskFailure } from '../../shared/tasks/failure.ts';
import { moveTask } from '../../shared/tasks/move-task.ts';
import { runTask } from '../../shared/tasks/run-task.ts';
import { addressOf, openApi } from '../agent-api/opened.ts';
import type { Any } from '../any.ts';
import { itemsOf } from './opened.ts';
import { INDEX, NEWS, QUERY } from './ports-news.ts';

const HOUR_MS = 3_600_000;

let api: ReturnType<typeof openApi>;
let who: { organization: string };
beforeEach(() => {
  ticks = [];
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

/** News at once, the market's data when the test says so. */
function sources() {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const asked: string[] = [];
  const gather: Gather = async (_organization, source) => {
    asked.push(source);
    if (source === 'market_data') {
      reached.resolve();
      await open.promise;
    }
    const items = itemsOf(source, source === 'market_data' ? INDEX : NEWS);
    return { source, items, faults: [], queries: 2, isSample: false };
  };
  return { gather, asked, reached: reached.promise, open: () => open.resolve() };
}

/** What the worker does from time to time, when the test says so. */
let ticks: (() => void)[] = [];
const every: Every = (_ms, run) => {
  ticks.push(run);
  return () => {
    ticks = ticks.filter((tick) => tick !== run);
  };
};

/** What is worth less is done again rather than kept. */
function passSeconds(seconds: number): void {
  api.clock.pass(seconds * 1_000);
  for (const tick of ticks) tick();
}

function worker(gather: Gather, modelOf = async () => offlineModel()) {
  const render = () => Promise.reject(new Error('Nobody wished for that.'));
  const agents = { research_agent: researchAgent({ ...api, gather, render, modelOf }) };
  return (address: ReturnType<typeof addressOf>, mustGo = new AbortController().signal) =>
    runTask({ ...api, every, agents }, address, mustGo);
}

const submitted = (names = ['news_feeds', 'market_data']) =>
  api.submitted(who, { task_type: 'research_agent', input: { query: QUERY, sources: names } });
const results = async (id: string): Promise<Any> => (await api.call(who, 'GET', `/tasks/${id}/results`)).body;
const stageOf = async (id: string): Promise<Any> => (await api.call(who, 'GET', `/tasks/${id}`)).body.progress;
const statuses = (shown: Any) => shown.results.sources.map(({ status }: Any) => status);

it('a task cancelled by force shows the sources that were read', async () => {
  const { gather, reached, open } = sources();
  const id = await submitted();
  const running = worker(gather)(addressOf(who, id));
  await reached;
  passSeconds(5);
  await vi.waitFor(async () => expect((await stageOf(id)).stages_completed).toEqual(['planning']));
  const { body: shown } = await api.call(who, 'GET', `/tasks/${id}`);
  expect(shown).toMatchObject({
    status: 'processing',
    progress: { current_stage: 'gathering', stages_completed: ['planning'] },
    output_preview: { sources: 2, items: 4, documents: 0 },
  });
  const cancelled = await api.call(who, 'POST', `/tasks/${id}/cancel`, { json: { force: true } });
  expect(cancelled.body).toMatchObject({ status: 'cancelled', results_available: true });
  open();
  await running;
  const after = await results(id);
  expect(after).toMatchObject({ status: 'cancelled', partial: true, error: { code: 'TASK_CANCELLED' } });
  expect(statuses(after)).toEqual(['read', 'pending']);
  expect(after.results.plan.queries).toEqual(['port fees Baltic change']);
  expect(after.processing_details).toMatchObject({
    sources_processed: 0,
    service_engine_queries: 2,
    confidence_scores: { analysis_completeness: 0, source_reliability: 0.5 },
  });
});

it('a task that ran out of time does so too', async () => {
  const { gather, reached, open } = sources();
  const id = await submitted();
  const address = addressOf(who, id);
  const running = worker(gather)(address);
  await reached;
  passSeconds(5);
  await vi.waitFor(async () => expect((await stageOf(id)).stages_completed).toEqual(['planning']));
  api.clock.pass(2 * HOUR_MS);
  await moveTask(api, address, { type: 'tick' });
  open();
  await running;
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'TASK_TIMEOUT' } });
  expect(statuses(after)).toEqual(['read', 'pending']);
});

it('a task whose model fails in the reading keeps what was chosen', async () => {
  const gone = new TaskFailure('MODEL_UNAVAILABLE', 'The model is not set up here; name another one.');
  let asked = 0;
  const { gather, open } = sources();
  open();
  const id = await submitted();
  await worker(gather, async () => {
    if (asked++ > 0) throw gone;
    return offlineModel();
  })(addressOf(who, id));
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'MODEL_UNAVAILABLE' } });
  expect(after.results.documents.length).toBeGreaterThan(2);
  expect(after.results.documents.every(({ status }: Any) => status === 'chosen')).toBe(true);
  const { body: shown } = await api.call(who, 'GET', `/tasks/${id}`);
  expect(shown.progress.stages_completed).toEqual(['planning', 'gathering', 'ranking']);
});

it('a worker that must go hands the task on, and no source is asked twice that was read', async () => {
  const { gather, asked, reached, open } = sources();
  const id = await submitted();
  const address = addressOf(who, id);
  const mustGo = new AbortController();
  const first = worker(gather)(address, mustGo.signal);
  await reached;
  mustGo.abort();
  await first;
  open();
  await worker(gather)(address);
  expect(asked).toEqual(['news_feeds', 'market_data', 'market_data']);
  const after = await results(id);
  expect(after.status).toBe('completed');
  expect(after.results.files).toMatchObject([{ name: 'report.json', url: expect.stringMatching(/^http/) }]);
  expect(JSON.stringify(after)).not.toContain('bytesAt');
});

it('a task none of whose sources can be read fails, and each of them is told with its reason', async () => {
  const dead: Gather = async (_organization, source) => ({
    source,
    items: [],
    faults: [{ address: `https://${source}.errand-tests.org/`, reason: 'could not be fetched' }],
    queries: 1,
    isSample: false,
  });
  const id = await submitted();
  await worker(dead)(addressOf(who, id));
  const after = await results(id);
  expect(after).toMatchObject({
    status: 'failed',
    partial: true,
    error: { code: 'PROCESSING_FAILED', message: expect.stringMatching(/^None of the 2 sources could be read: /) },
    processing_details: { sources_processed: 0, service_engine_queries: 2 },
  });
  expect(statuses(after)).toEqual(['dead', 'dead']);
});
