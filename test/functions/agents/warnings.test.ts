/** Warnings about options without effect: in the answer to a submission, in the status and in the results. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { type Api, openApi, type Who } from './setup.ts';

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found({}) };
});
afterEach(() => api.close());

const submit = (json: object, headers = {}) => api.call(who, 'POST', '/tasks', { json, headers });
const processing = (input: object) => ({
  task_type: 'processing_agent',
  input: { documents: [{ url: 'https://a.errand-tests.org/' }], ...input },
});
const research = (input: object, more: object = {}) => ({
  task_type: 'research_agent',
  input: { query: 'How did port fees change?', ...input },
  ...more,
});
const notification = (content: object, more: object = {}) => ({
  task_type: 'notification_agent',
  input: { content: { recipients: ['a@b.org'], ...content }, ...more },
});
const warningsOf = async (json: object): Promise<string[]> => {
  const { status, body } = await submit(json);
  expect(status).toBe(202);
  return body.warnings;
};
const inHeader = ({ headers }: { headers: Any }) => JSON.parse(headers['x-errand-warnings'] ?? '[]');

it.each<[string, object, string[]]>([
  ['nothing about a submit whose fields are all known', research({ depth: 'overview' }), []],
  [
    'a misspelled field, with the one that was probably meant',
    research({ output_formt: 'pdf' }),
    ['input.output_formt is not a known field and was ignored. Did you mean input.output_format?'],
  ],
  [
    'a field in another spelling',
    research({ outputFormat: 'pdf' }),
    ['input.outputFormat is not a known field and was ignored. Did you mean input.output_format?'],
  ],
  [
    'a field that is like no other',
    research({ colour: 'blue' }),
    ['input.colour is not a known field and was ignored.'],
  ],
  [
    'a field that stands in the wrong object',
    research({}, { depth: 'overview' }),
    ['depth is not a known field and was ignored. Did you mean input.depth?'],
  ],
  [
    'fields of nested objects and of the entries of lists, by their dotted names',
    {
      task_type: 'processing_agent',
      input: {
        documents: [{ url: 'https://a.errand-tests.org/' }, { url: 'https://a.errand-tests.org/', typ: 'pdf' }],
      },
    },
    ['input.documents.1.typ is not a known field and was ignored. Did you mean input.documents.1.type?'],
  ],
  [
    'a field of a nested object',
    notification({ chart: true, mesage: 'x' }),
    [
      'input.content.chart is not a known field and was ignored.',
      'input.content.mesage is not a known field and was ignored. Did you mean input.content.message?',
    ],
  ],
  [
    'nothing about an alert with a condition',
    notification({ condition: { figure: 'Euribor', above: 3 } }, { notification_type: 'price_alert' }),
    [],
  ],
  [
    'instructions that no language model reads',
    notification({ instructions: 'Only ports.' }),
    [
      'input.content.instructions had no effect: without a language model nothing is chosen or merged. Name one in input.model.',
    ],
  ],
  ['nothing about a known research type', research({ research_type: 'Market analysis' }), []],
  ['nothing about metadata, whose keys are free', research({}, { metadata: { anything: 'x' } }), []],
])('names %s', async (_, json, warnings) => {
  expect(await warningsOf(json)).toEqual(warnings);
});

it.each<[string, object, RegExp]>([
  [
    'a research type that is not known',
    research({ research_type: 'market_analisys' }),
    /^input\.research_type is not a known word: its words are added to the search queries\. .* Did you mean market_analysis\?$/,
  ],
  [
    'a depth that is not known',
    research({ depth: 'abyssal' }),
    /^input\.depth is not a known word: standard is used\. Known are overview, standard, comprehensive\.$/,
  ],
  [
    'an analysis depth that is not known',
    research({ analysis_depth: 'exprt' }),
    /^input\.analysis_depth .*: detailed is used\. .* Did you mean expert\?$/,
  ],
  [
    'a processing type that is not known',
    processing({ processing_type: 'invoices' }),
    /^input\.processing_type .* works as extraction\. Known are extraction, summarization, classification, comparison\.$/,
  ],
  [
    'a length of what is not summarized',
    processing({ processing_type: 'Classification', processing_options: { length: 'long' } }),
    /^input\.processing_options\.length has no effect on classification\.$/,
  ],
  [
    'labels of what is not classified',
    processing({ processing_options: { labels: ['a', { name: 'b', description: 'c' }] } }),
    /^input\.processing_options\.labels has no effect on extraction\.$/,
  ],
  [
    'a comparison of one document',
    processing({ processing_type: 'comparison' }),
    /^input\.documents has one document: a comparison needs at least two\.$/,
  ],
  [
    'an alert without a condition, with what to write',
    notification({}, { notification_type: 'price_alert' }),
    /^input\.notification_type is an alert without a condition: it is sent as a digest, .* State in input\.content\.condition/,
  ],
  [
    'a format of reports that is not known',
    research({ output_format: 'structured_report' }),
    /^input\.output_format is not a known word: json is used\. Known are json, markdown, html, pdf\.$/,
  ],
  [
    'a misspelt format of results',
    processing({ output_format: 'jsnl' }),
    /^input\.output_format is not a known word: json is used\. .* Did you mean jsonl\?$/,
  ],
  [
    'a format of mails that is not known',
    notification({ format: 'html_email' }),
    /^input\.content\.format is not a known word: html is used\. Known are html, markdown, text\.$/,
  ],
])('warns of %s', async (_, json, warning) => {
  expect(await warningsOf(json)).toEqual([expect.stringMatching(warning)]);
});

it('shows the same warnings in the status, in the results and to a repeat with the same key', async () => {
  const json = research({ output_formt: 'pdf', depth: 'abyssal' });
  const first = await submit(json, { 'idempotency-key': 'k' });
  const again = await submit(json, { 'idempotency-key': 'k' });
  expect(first.body.warnings).toHaveLength(2);
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  expect([inHeader(first), inHeader(again)]).toEqual([
    first.body.warnings.slice(0, 1),
    first.body.warnings.slice(0, 1),
  ]);
  const status = await api.call(who, 'GET', `/tasks/${first.body.task_id}`);
  expect(status.body.warnings).toEqual(first.body.warnings);
  await api.call(who, 'POST', `/tasks/${first.body.task_id}/cancel`);
  const results = await api.call(who, 'GET', `/tasks/${first.body.task_id}/results`);
  expect([results.status, results.body.warnings]).toEqual([200, first.body.warnings]);
  expect(results.body.processing_details.confidence_scores).toEqual({
    data_quality: 0,
    analysis_completeness: 0,
    source_reliability: 0,
  });
});

it('keeps its warnings short and safe, however many fields are sent and whatever they are called', async () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`field-${nth}`, 0]));
  const crowded = await submit(research(many));
  expect(crowded.body.warnings).toHaveLength(11);
  expect(crowded.body.warnings.at(-1)).toBe('49990 more warnings are not listed.');
  const names = [
    'x'.repeat(400_000),
    'a\r\nset-cookie: b=c',
    '\u202egnihton',
    '\ud800',
    'größe',
    '\u{1f600}',
    '',
    '__proto__',
  ];
  const hostile = await submit(research(JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`)));
  expect(hostile.body.warnings).toHaveLength(names.length);
  for (const warning of hostile.body.warnings) {
    expect(warning.length).toBeLessThan(200);
    expect(warning).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  }
  for (const { headers } of [crowded, hostile]) {
    expect(headers['x-errand-warnings']).toMatch(/^[\x20-\x7e]{1,4000}$/);
  }
  expect(inHeader(hostile)).toEqual(hostile.body.warnings);
});

it('names unknown query parameters in a header', async () => {
  const { status, headers } = await api.call(who, 'GET', '/tasks?foo=1&Limit=2&limit=5');
  expect([status, inHeader({ headers })]).toEqual([
    200,
    [
      'foo is not a known parameter and was ignored.',
      'Limit is not a known parameter and was ignored. Did you mean limit?',
    ],
  ]);
  expect((await api.call(who, 'GET', '/tasks?limit=5')).headers['x-errand-warnings']).toBeUndefined();
});

it('accepts the values of enums in upper and lower case', async () => {
  const schedule = { frequency: 'Weekly', day_of_week: 'Monday' };
  expect(await warningsOf(notification({ format: 'HTML', data_sources: ['Market_Data'] }, { schedule }))).toEqual([]);
  expect(await warningsOf({ ...research({ output_format: 'JSON' }), task_type: 'RESEARCH_AGENT' })).toEqual([]);
});
