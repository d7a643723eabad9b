/** However a processing task ends, what its finished stages brought is there, through the API itself. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { processingAgent } from '../../../agents/processing/processing-agent.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import type { ModelOf } from '../../../engines/models/models.ts';
import type { Outbound } from '../../../shared/ports.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { endings, gate } from '../endings.ts';
import { onlyModel } from '../run-stages.ts';
import { promptOf } from '../scripted-look.ts';
import { scriptedModel } from '../scripted-model.ts';

const HOST = 'https://files.errand-tests.org';
const documents = openDocuments(readerFilesFromCheckout());

const { submitted, worker, shown, results, ...ended } = endings();

async function* body(text: string) {
  yield Buffer.from(text);
}

/** Serves `<day>.txt` at once, and `wait.txt` when the test says so. */
function source() {
  const { pass, ...at } = gate();
  const asked: string[] = [];
  const outbound: Outbound = async (url) => {
    asked.push(url.slice(HOST.length));
    const day = /(\d+)\.txt$/.exec(url)?.[1];
    if (day === undefined) await pass();
    return { url, status: 200, headers: {}, body: body(`Signed on ${day ?? 9} March 2026.`), cancel: () => undefined };
  };
  return { ...at, asked, outbound, work: workingWith(outbound) };
}

const workingWith = (outbound: Outbound, modelOf: ModelOf = async () => undefined) =>
  worker((api) => ({
    processing_agent: processingAgent({ ...api, documents, outbound, modelOf, acceptsImages: () => false }),
  }));

const asking = (names: string[], rules: string[]) =>
  submitted({
    task_type: 'processing_agent',
    input: { documents: names.map((name) => ({ url: `${HOST}/${name}` })), extraction_rules: rules },
  });
const statusesIn = (after: { results: { documents: { status: string }[] } }) =>
  after.results.documents.map(({ status }) => status);

it('a task cancelled by force shows the documents that were done', async () => {
  const id = await asking(['1.txt', '2.txt', 'wait.txt'], ['dates']);
  const { before, after } = await ended.cancelledAtGate(id, source());
  expect(before).toMatchObject({
    status: 'processing',
    progress: { current_stage: 'reading', percentage: 50, stages_completed: [] },
    output_preview: { documents: 3, processed: 2, failed: 0, values: 2 },
  });
  expect(statusesIn(after)).toEqual(['processed', 'processed', 'pending']);
  expect(after.results.merged.map(({ value }: { value: string }) => value)).toEqual(['2026-03-01', '2026-03-02']);
  expect(after.processing_details).toMatchObject({
    sources_processed: 2,
    confidence_scores: { data_quality: 1, analysis_completeness: 0.67, source_reliability: 0.67 },
  });
});

it('a task that ran out of time does so too', async () => {
  const id = await asking(['1.txt', 'wait.txt'], ['dates']);
  expect(statusesIn(await ended.outOfTimeAtGate(id, source()))).toEqual(['processed', 'pending']);
});

it('a task that ran out of time in its first batch shows the documents that were done', async () => {
  const { work, open } = source();
  // Read side by side with the one that hangs.
  const id = await asking(
    ['1.txt', 'wait.txt', ...Array.from({ length: 10 }, (_, nth) => `${nth + 2}.txt`)],
    ['dates'],
  );
  const running = work(id);
  await ended.keptInTheMeantime(async () => expect((await shown(id)).output_preview.processed).toBe(1));
  await ended.outOfTime(id);
  open();
  await running;
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'TASK_TIMEOUT' } });
  expect(statusesIn(after)).toEqual(['processed', ...Array(11).fill('pending')]);
});

it('a worker that must go in the middle of a batch hands on what is done of it', async () => {
  const { asked, work, open, reached } = source();
  const names = ['1.txt', 'wait.txt', ...Array.from({ length: 10 }, (_, nth) => `${nth + 2}.txt`)];
  const id = await asking(names, ['dates']);
  const stopController = new AbortController();
  const first = work(id, stopController.signal);
  await reached;
  await ended.keptInTheMeantime(async () => expect((await shown(id)).output_preview.processed).toBe(1));
  stopController.abort();
  await first;
  open();
  await work(id);
  expect(statusesIn(await results(id))).toEqual(Array(12).fill('processed'));
  expect(asked.filter((name) => name === '/1.txt')).toHaveLength(1);
});

it('a task whose model fails keeps what the named rules found', async () => {
  const gone = new TaskFailure('MODEL_UNAVAILABLE', 'The model is not set up here; name another one.');
  const id = await asking(['1.txt', '2.txt'], ['dates', 'Who signed?']);
  await workingWith(source().outbound, () => Promise.reject(gone))(id);
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'MODEL_UNAVAILABLE' } });
  expect(statusesIn(after)).toEqual(['processed', 'processed']);
  expect(after.processing_details.confidence_scores.analysis_completeness).toBe(0.5);
  expect((await shown(id)).progress.stages_completed).toEqual(['reading']);
});

it('a task whose budget ends within a group of documents shows what was answered about the others', async () => {
  const model: LanguageModelV4 = {
    ...scriptedModel().model,
    async doGenerate(options) {
      const prompt = promptOf(options);
      if (prompt.includes('2 March')) throw new TaskFailure('BUDGET_EXCEEDED', 'The budget is spent.');
      for (let turn = 0; turn < 30; turn++) await nextTurn();
      const excerpt = /Signed on \d March 2026/.exec(prompt)?.[0] ?? '';
      const findings = [{ instruction: 1, value: excerpt, excerpt }];
      return scriptedModel({ text: JSON.stringify({ findings }) }).model.doGenerate(options);
    },
  };
  const id = await asking(['1.txt', '2.txt', '3.txt'], ['When was it signed?']);
  await workingWith(source().outbound, onlyModel(model))(id);
  const after = await results(id);
  expect(after).toMatchObject({ status: 'failed', partial: true, error: { code: 'BUDGET_EXCEEDED' } });
  expect(after.results.merged.map(({ value }: { value: string }) => value)).toEqual([
    'Signed on 1 March 2026',
    'Signed on 3 March 2026',
  ]);
});

it('a task none of whose documents can be read has not completed its reading', async () => {
  const unreachable = async () => 'failed' as const;
  const id = await asking(['1.txt', '2.txt'], ['dates']);
  await workingWith(unreachable)(id);
  const { progress, error } = await shown(id);
  expect(progress.stages_completed).toEqual([]);
  expect(error.message).toMatch(/^None of the 2 documents could be used/);
  expect(statusesIn(await results(id))).toEqual(['failed', 'failed']);
});

it('a worker that must go hands the task on, and no document is fetched twice', async () => {
  const { asked, ...at } = source();
  const id = await asking(['1.txt', '2.txt', 'wait.txt', '4.txt'], ['dates']);
  const after = await ended.handedOnAtGate(id, at);
  expect(asked).toEqual(['/1.txt', '/2.txt', '/wait.txt', '/wait.txt', '/4.txt']);
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
});

it('a task without a usable document fails, and names each of them with its reason', async () => {
  const id = await asking(['1.txt', '2.txt'], []);
  await workingWith(async () => 'refused')(id);
  const after = await results(id);
  expect(after).toMatchObject({
    status: 'failed',
    partial: true,
    error: { code: 'PROCESSING_FAILED', message: expect.stringMatching(/^None of the 2 documents could be used: /) },
    processing_details: { sources_processed: 0 },
  });
  expect(after.results.documents).toMatchObject([{ reason: 'refused' }, { reason: 'refused' }]);
});
