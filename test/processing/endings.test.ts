/** However a processing task ends, what its finished stages brought is there, through the API itself. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processingAgent } from '../../engines/agents/processing/processing-agent.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { fromSource } from '../../engines/documents/from-source.ts';
import { offlineModel } from '../../engines/model/offline.ts';
import type { Outbound } from '../../shared/ports.ts';
import { TaskFailure } from '../../shared/tasks/failure.ts';
import { moveTask } from '../../shared/tasks/move-task.ts';
import { runTask } from '../../shared/tasks/run-task.ts';
import { addressOf, openApi } from '../agent-api/opened.ts';

const HOST = 'https://files.errand-tests.org';
const HOUR_MS = 3_600_000;

let api: ReturnType<typeof openApi>;
let who: { organization: string };
const documents = openDocuments(fromSource());
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

async function* body(text: string) {
  yield Buffer.from(text);
}

/** Serves `<day>.txt` at once, and `wait.txt` when the test says so. */
function source() {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const outbound: Outbound = async (url) => {
    const day = /(\d+)\.txt$/.exec(url)?.[1];
    if (day === undefined) {
      reached.resolve();
      await open.promise;
    }
    return { url, headers: {}, body: body(`Signed on ${day ?? 9} March 2026.`), cancel: () => undefined };
  };
  return { outbound, reached: reached.promise, open: () => open.resolve() };
}

function worker(outbound: Outbound, modelOf = async () => offlineModel()) {
  const ports = { ...api, documents, outbound, modelOf };
  const agents = { processing_agent: processingAgent(ports) };
  return (address: ReturnType<typeof addressOf>, mustGo = new AbortController().signal) =>
    runTask({ ...api, every: () => () => undefined, agents }, address, mustGo);
}

const submitted = (names: string[], rules: string[]) =>
  api.submitted(who, {
    task_type: 'processing_agent',
    input: { documents: names.map((name) => ({ url: `${HOST}/${name}` })), extraction_rules: rules },
  });
const results = async (id: string) => (await api.call(who, 'GET', `/tasks/${id}/results`)).body;
const statusesIn = (shown: { results: { documents: { status: string }[] } }) =>
  shown.results.documents.map(({ status }) => status);

it('a task cancelled by force shows the documents that were done', async () => {
  const { outbound, reached, open } = source();
  const id = await submitted(['1.txt', '2.txt', 'wait.txt'], ['dates']);
  const running = worker(outbound)(addressOf(who, id));
  await reached;
  const { body: shown } = await api.call(who, 'GET', `/tasks/${id}`);
  expect(shown).toMatchObject({
    status: 'processing',
    progress: { current_stage: 'reading', percentage: 50, stages_completed: [] },
    output_preview: { documents: 3, processed: 2, failed: 0, values: 2 },
  });
  const cancelled = await api.call(who, 'POST', `/tasks/${id}/cancel`, { json: { force: true } });
  expect(cancelled.body).toMatchObject({ status: 'cancelled', results_available: true });
  open();
  await running;
  const after = await results(id);
  expect(after).toMatchObject({ status: 'cancelled', partial: true, error: { code: 'TASK_CANCELLED' } });
  expect(statusesIn(after)).toEqual(['processed', 'processed', 'pending']);
  expect(after.results.merged.map(({ value }: { value: string }) => value)).toEqual(['2026-03-01', '2026-03-02']);
  expect(after.processing_details).toMatchObject({
    sources_processed: 2,
    confidence_scores: { data_quality: 0.67, analysis_completeness: 0.67, source_reliability: 0.67 },
  });
});

it('a task that ran out of time does so too', async () => {
  const { outbound, reached, open } = source();
  const id = await submitted(['1.txt', 'wait.txt'], ['dates']);
  const address = addressOf(who, id);
  const running = worker(outbound)(address);
  await reached;
  api.clock.pass(2 * HOUR_MS);
  await moveTask(api, address, { type: 'tick' });
  open();
  await running;
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'TASK_TIMEOUT' } });
  expect(statusesIn(after)).toEqual(['processed', 'pending']);
});

it('a task whose model fails keeps what the named rules found', async () => {
  const gone = new TaskFailure('MODEL_UNAVAILABLE', 'The model is not set up here; name another one.');
  const run = worker(source().outbound, () => Promise.reject(gone));
  const id = await submitted(['1.txt', '2.txt'], ['dates', 'Who signed?']);
  await run(addressOf(who, id));
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'MODEL_UNAVAILABLE' } });
  expect(statusesIn(after)).toEqual(['processed', 'processed']);
  expect(after.processing_details.confidence_scores.analysis_completeness).toBe(0.5);
  const { body: shown } = await api.call(who, 'GET', `/tasks/${id}`);
  expect(shown.progress.stages_completed).toEqual(['reading']);
});

it('a worker that must go hands the task on, and no document is fetched twice', async () => {
  const { outbound, reached, open } = source();
  const asked: string[] = [];
  const counting: Outbound = (url, ask) => {
    asked.push(url.slice(HOST.length));
    return outbound(url, ask);
  };
  const id = await submitted(['1.txt', '2.txt', 'wait.txt', '4.txt'], ['dates']);
  const address = addressOf(who, id);
  const mustGo = new AbortController();
  const first = worker(counting)(address, mustGo.signal);
  await reached;
  mustGo.abort();
  await first;
  open();
  await worker(counting)(address);
  expect(asked).toEqual(['/1.txt', '/2.txt', '/wait.txt', '/wait.txt', '/4.txt']);
  const after = await results(id);
  expect(after.status).toBe('completed');
  expect(statusesIn(after)).toEqual(Array(4).fill('processed'));
  expect(after.results.files).toEqual([
    {
      name: 'results.json',
      content_type: 'application/json',
      size_bytes: expect.any(Number),
      url: expect.stringMatching(/^http/),
      expires_at: expect.any(String),
    },
  ]);
  expect(JSON.stringify(after)).not.toContain('bytesAt');
});

it('a task without one usable document fails, and each of them is told with its reason', async () => {
  const id = await submitted(['1.txt', '2.txt'], []);
  await worker(async () => 'refused')(addressOf(who, id));
  const after = await results(id);
  expect(after).toMatchObject({
    status: 'failed',
    partial: true,
    error: { code: 'PROCESSING_FAILED', message: expect.stringMatching(/^None of the 2 documents could be used: /) },
    processing_details: { sources_processed: 0 },
  });
  expect(after.results.documents).toMatchObject([{ reason: 'refused' }, { reason: 'refused' }]);
});
