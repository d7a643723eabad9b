/** Research tasks over HTTP until they end: each format, partial results, unreadable sources. */
import { expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { call } from './call.ts';

const SOON = { timeout: 25_000, interval: 100 };
const QUERY = 'How did port fees in the Baltic change?';
const ask = (path: string, json?: object) =>
  call('agents', `/api/v1/tasks${path}`, { as: 'research', ...(json ? { json } : {}) });

async function submitResearch(input: object): Promise<string> {
  const { status, body, text } = await ask('', { task_type: 'research_agent', input: { query: QUERY, ...input } });
  expect(status, text).toBe(202);
  return String(body.task_id);
}

async function waitForEnd(id: string): Promise<Any> {
  await expect.poll(async () => (await ask(`/${id}`)).body.status, SOON).toMatch(/completed|failed|cancelled/);
  return (await ask(`/${id}/results`)).body;
}

const FORMATS = [
  ['json', 'report.json', 'application/json', /^\{\n {2}"query"/],
  ['markdown', 'report.md', 'text/markdown', /^# How did port fees in the Baltic change\?\n/],
  ['html', 'report.html', 'text/html', /^<!doctype html>/i],
  ['pdf', 'report.pdf', 'application/pdf', /^%PDF-1\./],
] as const;

it.each(FORMATS)('returns a report in %s', async (format, name, type, begins) => {
  const deliverables = ['executive_summary', 'key_findings', 'charts', 'data_table', 'bibliography', 'freight on rail'];
  const outcome = await waitForEnd(await submitResearch({ output_format: format, deliverables }));
  expect(outcome).toMatchObject({
    status: 'completed',
    processing_details: { sources_processed: 4, confidence_scores: { data_quality: 1, source_reliability: 1 } },
  });
  expect(outcome.results.deliverables.map(({ deliverable }: Any) => deliverable)).toEqual(deliverables);
  const [file] = outcome.results.files;
  expect(file).toMatchObject({ name, content_type: expect.stringMatching(new RegExp(`^${type}`)) });
  const download = await fetch(file.url);
  const bytes = Buffer.from(await download.arrayBuffer());
  expect([download.status, bytes.length]).toEqual([200, file.size_bytes]);
  expect(bytes.toString('latin1')).toMatch(begins);
  if (format === 'json') {
    const { files: _, ...results } = outcome.results;
    expect(JSON.parse(bytes.toString())).toEqual(results);
  }
  if (format === 'markdown' || format === 'html') {
    expect(bytes.toString()).toContain('Freight on rail');
    expect(bytes.toString()).toContain('https://news.errand-tests.org/fees');
  }
});

it('names the source that it could not read, and lowers its confidence', async () => {
  const {
    status,
    results,
    processing_details: details,
  } = await waitForEnd(await submitResearch({ sources: ['gone', 'news_feeds'] }));
  expect(status).toBe('completed');
  expect(results.sources).toMatchObject([
    { source: 'gone', status: 'dead', faults: [{ reason: 'could not be fetched' }] },
    { source: 'news_feeds', status: 'read' },
  ]);
  expect(results.notes).toContain('Could not be read: gone (could not be fetched).');
  expect(details.confidence_scores.source_reliability).toBe(0.5);
});

it('fails with a reason for each source when none of them can be read', async () => {
  const id = await submitResearch({ sources: ['gone', 'lost'] });
  const { status, error, results, partial } = await waitForEnd(id);
  expect((await ask(`/${id}`)).body.progress).toMatchObject({
    stages_completed: ['planning'],
    current_stage: 'gathering',
  });
  expect([status, partial]).toEqual(['failed', true]);
  expect(error).toEqual({
    code: 'PROCESSING_FAILED',
    message:
      'None of the 2 sources could be read: gone (could not be fetched); lost (could not be fetched). Name other sources, or ask your operator to look at these.',
  });
  expect(results.sources.map((source: Any) => source.status)).toEqual(['dead', 'dead']);
});

const FAULTS: [fields: string[], input: object][] = [
  [['input.output_format'], { output_format: 7 }],
  [['input.query'], { query: ' ' }],
  [['input.sources.0', 'input.sources'], { sources: ['gossip'] }],
];

it.each(FAULTS)('refuses %j', async (fields, input) => {
  const { status, body }: { status: number; body: Any } = await ask('', {
    task_type: 'research_agent',
    input: { query: QUERY, ...input },
  });
  expect([status, body.error.details.invalid_fields]).toEqual([400, fields]);
});
