/** Processing tasks over HTTP whose documents are not available: requests refused at once, and the error when all documents fail. */
import { expect, it } from 'vitest';
import { call } from './call.ts';

const SOON = { timeout: 25_000, interval: 100 };
const post = (input: unknown) =>
  call('agents', '/api/v1/tasks', { as: 'agents', json: { task_type: 'processing_agent', input } });
const page = (name: string) => ({ url: `https://${name}/a.pdf` });

const FAULTS: [fields: string[], input: unknown][] = [
  [['input'], 'documents'],
  [['input.documents'], {}],
  [['input.documents'], { documents: Array.from({ length: 51 }, () => page('files.errand-tests.org')) }],
  [
    ['input.documents', 'input.documents.0.url', 'input.documents.1.type'],
    { documents: [{ url: 'ftp://a.org/x' }, { ...page('a.org'), type: [] }] },
  ],
  [
    ['input.extraction_rules', 'input.extraction_rules.1', 'input.output_format'],
    { documents: [page('a.org')], extraction_rules: ['dates', ''], output_format: '' },
  ],
  ...['127.0.0.1', '169.254.169.254', 'metadata.google.internal'].map((host): [string[], unknown] => [
    ['input.documents', 'input.documents.0.url'],
    { documents: [page(host)] },
  ]),
];

it.each(FAULTS)('names %j', async (fields, input) => {
  const { status, body } = await post(input);
  const { code, details } = body.error as { code: string; details: { invalid_fields: string[] } };
  expect([status, code]).toEqual([400, 'TASK_VALIDATION_FAILED']);
  expect(details.invalid_fields.toSorted()).toEqual(fields);
});

it('fails with a reason for each document when none of them can be read', async () => {
  const input = {
    documents: ['no-such-host.errand-files-and-tasks.org', 'none.errand-files-and-tasks.org'].map(page),
    extraction_rules: ['dates'],
  };
  const { status, body } = await post(input);
  expect(status).toBe(202);
  const path = `/api/v1/tasks/${body.task_id}`;
  const ask = (more = '') => call('agents', path + more, { as: 'agents' });
  await expect.poll(async () => (await ask()).body.status, SOON).toBe('failed');
  const { body: failedStatus } = await ask();
  expect(failedStatus).toMatchObject({
    progress: { stages_completed: [], current_stage: 'reading' },
    output_preview: { documents: 2, processed: 0, failed: 2, values: 0 },
    error: { code: 'PROCESSING_FAILED', message: expect.stringMatching(/^None of the 2 documents could be used: /) },
  });
  const results = await ask('/results');
  expect(results.status).toBe(200);
  expect(results.body).toMatchObject({
    partial: true,
    results: {
      documents: [{ reason: 'unreachable' }, { reason: 'unreachable' }],
      merged: [],
    },
    processing_details: {
      sources_processed: 0,
      service_engine_queries: 0,
      confidence_scores: { data_quality: 0, analysis_completeness: 0, source_reliability: 0 },
    },
  });
});
