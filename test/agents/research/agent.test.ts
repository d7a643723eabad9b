/** The research agent without a language model: what it makes of its sources, good and bad. */

import { afterEach, expect, it } from 'vitest';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { INDEX, NEWS, PORTS, QUERY } from './ports-news.ts';
import { itemsOf, openResearch, type Served } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const DEAD: Served = { faults: [{ address: 'https://gone.errand-tests.org/feed', reason: 'answered with 503' }] };

function open(sources: Parameters<typeof openResearch>[0] = {}) {
  at = openResearch({ ...PORTS, ...sources });
  return at;
}

it('goes through its stages, and writes what it found with the documents it comes from', async () => {
  const { report, results, usage } = await open().run({ query: QUERY });
  expect(report.stages).toEqual(['planning', 'gathering', 'ranking', 'reading', 'writing']);
  expect(results.deliverables.map(({ deliverable }) => deliverable)).toEqual([
    'executive_summary',
    'key_findings',
    'data_table',
    'charts',
    'limits',
    'bibliography',
  ]);
  const [summary, findings] = results.deliverables;
  const quoted = {
    text: expect.stringContaining('port fees by 6.5 per cent'),
    citations: [expect.any(Number)],
    findings: [expect.any(Number)],
  };
  expect(summary?.paragraphs).toContainEqual({
    ...quoted,
    sentences: [{ ...quoted, checked_by: 'code' }],
    is_quote: true,
    dated: '2026-03-02',
  });
  // Records of a series are no statements about the question.
  const textsOf = (section: typeof summary) => section?.paragraphs.map(({ text }) => text).join() ?? '';
  expect(textsOf(findings)).toContain('index stood at 111 points');
  expect(textsOf(summary)).not.toContain('index stood at');
  const sentences = results.deliverables.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(usage).toEqual({ ...NO_TOKENS, model: 'offline/extractive', inputTokens: 0, outputTokens: 0 });
  expect(report).toMatchObject({
    sources: results.documents.length,
    queries: 4,
    preview: { sources: 2, sources_dead: 0, items: 7, read: results.documents.length, deliverables: 5 },
  });
});

it('cites only documents it read, in their own words, and numbers them as its list does', async () => {
  const { results } = await open().run({ query: QUERY, analysis_depth: 'expert' });
  const items = new Map(
    [...itemsOf('news_feeds', NEWS), ...itemsOf('market_data', INDEX)].map((one) => [one.address, one]),
  );
  // Of each of the four documents.
  expect(results.findings.length).toBeGreaterThan(3);
  for (const { citations, text } of results.findings) {
    for (const { document, quote } of citations) {
      const { address, status, cited } = results.documents[document - 1] ?? {};
      expect(items.get(address ?? '')?.text).toContain(quote);
      expect([status, cited]).toEqual(['read', true]);
    }
    expect(citations[0]?.quote).toBe(text);
  }
  const numbers = results.documents.map(({ document }) => document);
  expect(numbers).toEqual(numbers.map((_, nth) => nth + 1));
});

it('reads a story once, and names where else it stands', async () => {
  const { results } = await open().run({ query: QUERY });
  const told = results.documents.find(({ title }) => /Baltic (ports raise|rise)/.test(title));
  expect(told?.duplicates).toEqual([
    { source: 'news_feeds', title: expect.stringContaining('fees'), address: expect.stringContaining('errand-tests') },
  ]);
  expect(results.left_out).toMatchObject({ duplicates: 1, irrelevant: 1 });
  expect(results.documents.map(({ title }) => title)).not.toContain('A new bakery opens in the harbour district');
});

it('writes each section once, however it is spelled, as it was spelled first', async () => {
  const deliverables = [
    'key_findings',
    'Key Findings',
    'charts',
    'graphs',
    'insights',
    'Rail freight',
    'rail_freight',
    'table',
  ];
  const { results } = await open().run({ query: QUERY, deliverables });
  expect(results.deliverables.map(({ deliverable }) => deliverable)).toEqual([
    'key_findings',
    'charts',
    'Rail freight',
    'table',
  ]);
});

it('writes a section for every word that is asked for, whatever it is', async () => {
  const deliverables = ['Summary', 'freight on rail', 'competitor_analysis', 'astrology', 'sources'];
  const { results } = await open().run({ query: QUERY, deliverables });
  expect(results.deliverables.map(({ deliverable, title }) => [deliverable, title])).toEqual([
    ['Summary', 'Summary'],
    ['freight on rail', 'Freight on rail'],
    ['competitor_analysis', 'Competitor analysis'],
    ['astrology', 'Astrology'],
    ['sources', 'Sources'],
  ]);
  const [, rail, competitors, astrology, sources] = results.deliverables;
  // Which sentence belongs to which section, only a model can tell.
  for (const section of [rail, competitors, astrology])
    expect(section).toMatchObject({ paragraphs: [], note: PASSAGES_ONLY });
  expect(sources?.documents).toEqual(results.documents.map(({ document }) => document));
});

it('names the sources it could not read, goes on with the others, and is less sure', async () => {
  const sound = await open().run({ query: QUERY });
  at.close();
  const { report, results } = await open({ gone: DEAD }).run({ query: QUERY });
  expect(results.sources.find(({ source }) => source === 'gone')).toEqual({
    source: 'gone',
    status: 'dead',
    items: 0,
    queries: 1,
    sample_data: false,
    faults: DEAD.faults,
  });
  expect(results.notes).toContain('Could not be read: gone (answered with 503).');
  expect(report.preview).toMatchObject({ sources: 3, sources_dead: 1 });
  expect(sound.report.confidence?.sourceReliability).toBe(1);
  expect(report.confidence?.sourceReliability).toBe(0.67);
});

it('marks sample data, and takes it for less', async () => {
  const { results, report } = await open().run({ query: QUERY, sources: ['market_data'] });
  expect(results.documents.every(({ sample_data: isSample }) => isSample)).toBe(true);
  expect(results.notes[0]).toBe('This report uses fictional sample data (Market data).');
  expect(report.confidence?.dataQuality).toBe(0.5);
});

it('does not name sample data that nothing was chosen of, beside a real source', async () => {
  const samples = {
    items: itemsOf('samples', [{ title: 'Pancakes', text: 'Saffron makes them yellow.' }]),
    isSample: true,
  };
  const real = {
    items: itemsOf('real', [{ title: 'Port fees', text: 'Port fees at Halden Bay rose by 6.5 per cent.' }]),
  };
  const { results } = await open({ samples, real }).run({
    query: 'How did port fees at Halden Bay change?',
    sources: ['samples', 'real'],
  });
  expect(results.documents.map(({ source }) => source)).toEqual(['real']);
  expect(results.notes.join(' ')).not.toContain('sample data');
});

it('ends the reason of a source that could not be read with one full stop', async () => {
  const faults = [{ address: 'https://gone.errand-tests.org/feed', reason: 'refuses JSON: see its settings.yml.' }];
  const { results } = await open({ gone: { faults } }).run({ query: QUERY });
  expect(results.notes).toContain('Could not be read: gone (refuses JSON: see its settings.yml).');
});

it('does not name sample data where the only document is of an earlier research', async () => {
  const samples = {
    items: itemsOf('samples', [{ title: 'Pancakes', text: 'Saffron makes them yellow.' }]),
    isSample: true,
  };
  const { run, ports } = open({ samples });
  const text = 'Port fees at Halden Bay rose by 6.5 per cent.';
  const url = 'https://earlier.errand-tests.org/1';
  ports.earlierResearch = async () => ({
    documents: [],
    findings: [],
    texts: [{ source: 1, url, fetchedAt: '2026-02-01T00:00:00.000Z', sha256: '', from: 0, to: text.length, text }],
  });
  const { results } = await run({
    query: 'How did port fees at Halden Bay change?',
    sources: ['samples'],
    previous_task_id: 'task_0198b0a27a507e2b80005ee0a0c1d2e3',
  });
  expect(results.documents.map(({ address }) => address)).toEqual([url]);
  expect(results.notes.join(' ')).not.toContain('sample data');
});

it('fails clearly when no source can be read, with what is known of each', async () => {
  const asks = { query: QUERY, sources: ['gone', 'lost'] };
  const agent = open({
    gone: DEAD,
    lost: { faults: [{ address: 'https://lost.errand-tests.org', reason: 'is too large' }] },
  });
  await expect(agent.run(asks)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    mayPass: false,
    message:
      'None of the 2 sources could be read: gone (answered with 503); lost (is too large). Name other sources, or ask your operator to look at these.',
  });
  const { results } = await agent.run(asks, { most: 3 });
  expect(results.sources.map(({ status }) => status)).toEqual(['dead', 'dead']);
});

it('says so when nothing is about the question', async () => {
  const { results, report } = await open().run({ query: 'Which vaccines help against measles?' });
  expect(results.documents).toEqual([]);
  expect(results.notes).toContain('No item of the sources is about the question.');
  expect(results.deliverables.every(({ note }) => note !== undefined)).toBe(true);
  expect(report).toMatchObject({ sources: 0, confidence: { dataQuality: 0, analysisCompleteness: 0 } });
});

it.each([
  ['overview', 'overview', 2, 30],
  ['In-Depth', 'comprehensive', 8, 120],
  ['as far as the moon', 'standard', 4, 60],
] as const)('understands the depth %s', async (depth, understood, queries, maxItems) => {
  const query = `${QUERY} And who pays? And what do carriers say? And when will they fall?`;
  const { results } = await open().run({
    query,
    depth,
    research_type: 'market_analysis',
    geographic_scope: ['Poland', 'global'],
  });
  expect(results).toMatchObject({ depth: understood, geographic_scope: ['Poland', 'global'] });
  expect(results.plan?.queries.length).toBeLessThanOrEqual(queries);
  expect(results.plan?.queries.length).toBeGreaterThan(1);
  expect(at.asked[0]).toMatchObject({
    source: 'news_feeds',
    maxItems,
    places: ['Poland'],
    queries: results.plan?.queries,
  });
});

it('asks all default sources when none is named', () => {
  const stages = open().stagesOf({ query: QUERY } as ResearchInput);
  expect(stages.map(({ name }) => name)).toEqual([
    'planning',
    'gathering',
    'gathering',
    'gathering',
    'ranking',
    'reading',
    // Two further rounds, each of a search and a reading.
    ...['gathering', 'reading', 'gathering', 'reading'],
    'writing',
  ]);
});

it('leaves after each stage what it has come to', async () => {
  const agent = open();
  const planned = await agent.run({ query: QUERY }, { most: 1 });
  expect(planned.results).toMatchObject({
    plan: { made_by: 'rules' },
    sources: [{ status: 'pending' }, { status: 'pending' }],
  });
  const half = await agent.run({ query: QUERY }, { most: 2 });
  expect(half.results.sources.map(({ status }) => status)).toEqual(['read', 'pending']);
  expect(half.report.stages).toEqual(['planning']);
  const read = await agent.run({ query: QUERY }, { most: 5 });
  expect(read.results.findings.length).toBeGreaterThan(2);
  expect(read.results.deliverables).toEqual([]);
  expect(read.report.confidence).toMatchObject({ analysisCompleteness: 0.5 });
});

it('breaks off at once when the task is another’s', async () => {
  const lost = new AbortController();
  const agent = open({
    slow: async (_organization, _source, { signal }) => {
      lost.abort('lost');
      return signal.throwIfAborted() as never;
    },
  });
  await expect(agent.run({ query: QUERY, sources: ['slow'] }, { signal: lost.signal })).rejects.toBe('lost');
});

it('shows as much of long results as an answer takes, and keeps all of them in a file', async () => {
  const letters = (nth: number) => [...String(nth)].map((digit) => String.fromCharCode(97 + Number(digit))).join('q');
  const line = (nth: number) =>
    `Port fees in the Baltic changed because of ${Array.from({ length: 28 }, (_, word) => `${letters(nth * 28 + word)}word`).join(' ')}.`;
  const long = Array.from({ length: 40 }, (_, nth) => ({
    title: `Port fees and ${letters(nth)}`,
    text: Array.from({ length: 12 }, (_, at) => line(nth * 100 + at)).join(' '),
  }));
  const deliverables = ['key_findings', ...Array.from({ length: 30 }, (_, nth) => `port fees ${nth}`)];
  const asks = {
    query: QUERY,
    deliverables,
    sources: ['long'],
    depth: 'comprehensive',
    analysis_depth: 'expert',
    output_format: 'html' as const,
  };
  const { report, results } = await open({ long: { items: itemsOf('long', long) } }).run(asks);
  expect(results.truncated).toBe(true);
  expect(JSON.stringify(results).length).toBeLessThanOrEqual(100_000);
  expect(report.files).toMatchObject([{ name: 'report.html' }, { name: 'results.json' }]);
  const all = JSON.parse(await at.textOf(report, 1));
  expect(all.findings.length).toBeGreaterThan(results.findings.length);
  const half = await at.run(asks, { most: 5 });
  expect(half.report.files?.map(({ name }) => name)).toEqual(half.results.truncated ? ['partial-results.json'] : []);
});

it('adds HTML and the results to every PDF, with a warning that names a script that it lacks', async () => {
  const { report } = await open().run({ query: `${QUERY} 東京`, output_format: 'pdf' });
  const names = ['report.pdf', 'report.html', 'results.json'];
  expect(report.files?.map(({ name }) => name)).toEqual(names);
  expect(report.warnings?.at(-1)).toContain('cannot show text in these scripts: Han');
  const plain = await open().run({ query: QUERY, output_format: 'pdf' });
  expect(plain.report.files?.map(({ name }) => name)).toEqual(names);
  expect(plain.report.warnings ?? []).not.toContainEqual(expect.stringContaining('scripts'));
});

it('hands a report to the renderer whose citations all stand in its list', async () => {
  const { report } = await open({ gone: DEAD }).run({
    query: QUERY,
    output_format: 'pdf',
    geographic_scope: ['Baltic'],
  });
  expect(report.files?.[0]).toMatchObject({ name: 'report.pdf', contentType: 'x/pdf' });
  const [document] = at.rendered;
  expect(document).toMatchObject({ title: QUERY, subtitle: 'Baltic', madeAt: expect.stringMatching(/Z$/) });
  expect(document?.notes).toContain('Could not be read: gone (answered with 503).');
  const numbers = document?.sources.map(({ number }) => number);
  const cited = [...JSON.stringify(document).matchAll(/"citations":\[([\d,]+)\]/g)].flatMap(([, list = '']) =>
    list.split(',').map(Number),
  );
  expect(cited.length).toBeGreaterThan(5);
  expect(cited.filter((number) => !numbers?.includes(number))).toEqual([]);
  expect(document?.sources.filter(({ isSample }) => isSample)).toHaveLength(2);
});
