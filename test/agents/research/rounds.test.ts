/** The rounds of a research: how they go on, when they end, and that nothing in them is paid for twice. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, expect, it } from 'vitest';
import type { SearchHit } from '../../../engines/sources/search-presets.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';
import { MINUTE_MS } from '../../../shared/core/time.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { mechanicalModel } from '../../evidence/frozen-web/mechanical-model.ts';
import { runStages } from '../run-stages.ts';
import { itemsOf, openResearch } from './setup.ts';

const QUERY = 'In which year was the architect of the Eastmere lighthouse born?';
const FIRST = 'The architect of the Eastmere lighthouse was Ilka Vandrey.';
const SECOND = 'Ilka Vandrey was born in 1871.';

type Web = Record<string, { title: string; text: string }>;

const WEB: Web = {
  'https://a.errand-tests.org/': { title: 'Eastmere lighthouse', text: FIRST },
  'https://b.errand-tests.org/': { title: 'Ilka Vandrey', text: SECOND },
};

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

/** Finds pages by the words of their titles. */
function open(model?: LanguageModelV4, { pages = WEB, onSearch = (): void => undefined } = {}) {
  const none = { financial_reports: {}, market_data: {}, news_feeds: {} };
  const texts = Object.fromEntries(Object.entries(pages).map(([url, { text }]) => [url, { text }]));
  at = openResearch(none, model, texts);
  const asked: string[] = [];
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async ({ text }) => {
      asked.push(text);
      onSearch();
      const hits = Object.entries(pages).flatMap(([url, { title }]): SearchHit[] =>
        title.split(' ').some((word) => text.includes(word)) ? [{ url, title, snippet: title }] : [],
      );
      return { hits, notes: [] };
    },
  });
  return { asked, run: (more: Partial<ResearchInput> = {}) => at.run({ query: QUERY, sources: [], ...more }) };
}

it('asks for what one round found in the next, until the question is answered', async () => {
  const { asked, run } = open(mechanicalModel().model);
  const { results, report } = await run();
  expect(asked.at(-1)).toBe('Ilka Vandrey');
  expect(new Set(asked).size).toBe(asked.length);
  expect(results.plan).toMatchObject({ queries: asked, sub_questions: [{ text: QUERY, status: 'covered' }] });
  expect(results.findings.map(({ text }) => text)).toContain(SECOND);
  expect(report.effort).toMatchObject({
    ...{ rounds: 2, ended_by: 'covered', search_queries: asked.length, pages_opened: 2, pages_refused: 0 },
    budget: { rounds: 3, documents: 36, tokens: 500_000, minutes: 15 },
  });
});

it('goes on behind a kill from the last finished step, and sends no query of it again', async () => {
  const { asked } = open(mechanicalModel().model);
  const asks: ResearchInput = { query: QUERY, sources: [] };
  const work = { address: at.address, input: asks, signal: new AbortController().signal, report: () => undefined };
  const stages = at.stagesOf(asks);
  const afterSearch = stages.findLastIndex(({ name }, nth) => name === 'gathering' && nth < stages.length - 3) + 1;
  const reached = await runStages(stages.slice(0, afterSearch), work);
  const sent = [...asked];
  expect(sent.at(-1)).toBe('Ilka Vandrey');
  for (let restart = 0; restart < 2; restart++) {
    let carried: unknown = structuredClone(reached);
    for (const stage of stages.slice(afterSearch)) {
      carried = JSON.parse(JSON.stringify(await stage.run({ ...work, meter: createMeter() }, carried)));
    }
    expect(JSON.stringify(carried)).toContain(SECOND);
  }
  expect(asked).toEqual(sent);
  // The last of the sources, and both further rounds: what they found is written down at once.
  const searching = stages.filter(({ name, mayRepeat }) => name === 'gathering' && mayRepeat !== true);
  expect(searching).toHaveLength(3);
});

/** The names of the stages that are stored as soon as they end, because a repetition would cost money. */
async function storedAtOnce(asks: ResearchInput): Promise<string[]> {
  const { signal } = new AbortController();
  const work = { address: at.address, input: asks, signal, report: () => undefined, meter: createMeter() };
  const names: string[] = [];
  let carried: unknown;
  for (const stage of at.stagesOf(asks).slice(0, -1)) {
    const answer = (await stage.run(work, carried)) as { mayRepeat?: boolean };
    if (answer !== carried && stage.mayRepeat !== true && answer.mayRepeat !== true) names.push(stage.name);
    carried = answer;
  }
  return names;
}

it('stores a stage at once only if a model answered in it or a search provider was asked', async () => {
  open(mechanicalModel().model);
  const [planned, searched, read] = ['planning', 'gathering', 'reading'];
  // All documents are read, so none is chosen by the model, and the end of the rounds asks nobody.
  expect(await storedAtOnce({ query: QUERY, sources: [] })).toEqual([
    ...[planned, searched, read, searched, read, searched],
    ...['writing', 'writing'],
  ]);
  at.close();
  open();
  expect(await storedAtOnce({ query: QUERY, sources: ['news_feeds'] })).toEqual([]);
});

it.each([
  ['without a model', undefined, FIRST],
  ['with a planner', mechanicalModel().model, SECOND],
])('leaves the answer of each stage as it was, as it may be stored later, %s', async (_, model, finding) => {
  open(model);
  const asks: ResearchInput = { query: QUERY, sources: [] };
  const { signal } = new AbortController();
  const work = { address: at.address, input: asks, signal, report: () => undefined, meter: createMeter() };
  let carried: unknown;
  for (const stage of at.stagesOf(asks)) {
    const before = JSON.stringify(carried);
    const answer = await stage.run(work, carried);
    expect(JSON.stringify(carried)).toBe(before);
    carried = answer;
  }
  expect(JSON.stringify(carried)).toContain(finding);
});

/** The news of the day lead to a second round; the search provider answers the first one so. */
function openWithNews(first: { hits: SearchHit[]; notes: string[] }, notes: string[] = []) {
  const items = itemsOf('news_feeds', [{ title: 'Eastmere lighthouse', text: FIRST }]);
  const [url, { title, text }] = Object.entries(WEB)[1] as [string, Web[string]];
  const none = { financial_reports: {}, market_data: {} };
  at = openResearch({ ...none, news_feeds: { items } }, mechanicalModel().model, { [url]: { text } });
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async ({ text: query }) =>
      query === 'Ilka Vandrey' ? { hits: [{ url, title, snippet: title }], notes } : first,
  });
  return at.run({ query: QUERY, sources: [] });
}

it.each([
  ['was refused', ['searxng answered with status 503.']],
  ['found nothing', []],
])('counts the web search as read once a further round finds something, after it %s', async (_, notes) => {
  const { results, report } = await openWithNews({ hits: [], notes });
  expect(results.sources.at(-1)).toMatchObject({ source: 'web search', status: 'read', items: 1 });
  expect(results.sources.at(-1)?.faults.map(({ reason }) => reason)).toEqual(notes);
  expect(results.notes.join(' ')).not.toContain('Could not be read');
  expect(report.preview).toMatchObject({ sources_dead: 0 });
  expect(report.confidence?.sourceReliability).toBe(notes.length > 0 ? 0.88 : 1);
});

it('lists what the search provider cannot do once, however often it is asked', async () => {
  const notes = ['searxng cannot search in this language only: de.'];
  const [url, { title }] = Object.entries(WEB)[0] as [string, Web[string]];
  const { results } = await openWithNews({ hits: [{ url, title, snippet: title }], notes }, notes);
  expect(results.sources.at(-1)).toMatchObject({ status: 'read', items: 2, faults: [{ reason: notes[0] }] });
});

it('counts queries that were answered from the cache of a day, and no request for them', async () => {
  const { run } = open();
  const { report: fresh } = await run();
  const connector = await at.ports.searchConnector?.('one');
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async (query, signal) => ({
      hits: [],
      notes: [],
      ...(await connector?.search(query, signal)),
      isCached: true,
    }),
  });
  const { report: again } = await run();
  expect(fresh.effort).toMatchObject({ search_queries: 1, queries_from_cache: 0 });
  expect(again.effort).toMatchObject({ search_queries: 1, queries_from_cache: 1 });
  expect((fresh.queries ?? 0) - (again.queries ?? 0)).toBe(1);
});

it('begins no further round once the tokens of its depth are spent', async () => {
  const { asked, run } = open(mechanicalModel({ tokensOfCall: 300_000 }).model);
  const { report } = await run();
  expect(asked).not.toContain('Ilka Vandrey');
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'tokens' });
  expect(report.byRole).toContainEqual({
    ...{ role: 'read', model: 'mechanical', calls: 1 },
    ...{ input_tokens: 300_000, output_tokens: 300_000, cached_input_tokens: 0 },
  });
});

it('begins no further round once the minutes of its depth are over', async () => {
  const { asked, run } = open(mechanicalModel().model, { onSearch: () => at.clock.pass(16 * MINUTE_MS) });
  const { report } = await run();
  expect(asked).not.toContain('Ilka Vandrey');
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'minutes' });
});

it('names the part of a question that has no quote without a model, calls no part covered, and is complete by the other alone', async () => {
  const query = 'Who was the architect of the Eastmere lighthouse? When did the harbour tunnel of Halden open?';
  const pages: Web = { 'https://a.errand-tests.org/': { title: 'Eastmere lighthouse', text: FIRST } };
  const { run } = open(undefined, { pages });
  const { results, report } = await run({ query, deliverables: ['key_findings'] });
  expect(results.plan?.sub_questions.map(({ status }) => status)).toEqual(['open', 'open']);
  expect(results.findings.map(({ sub_question }) => sub_question)).toEqual([1]);
  const told = expect.stringMatching(/^No sentence is quoted for .*harbour tunnel of Halden open/);
  expect([results.notes, report.warnings]).toEqual([expect.arrayContaining([told]), expect.arrayContaining([told])]);
  expect(report.confidence?.analysisCompleteness).toBeLessThanOrEqual(0.5);
});

it('has one round without a model if the request names its sources', () => {
  open();
  const names = at.stagesOf({ query: QUERY, sources: ['news_feeds'] }).map(({ name }) => name);
  expect(names.filter((name) => name === 'gathering')).toHaveLength(1);
});
