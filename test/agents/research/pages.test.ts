/** The pages behind the items of a feed: read in place of the teaser, and named where they cannot be opened. */
import { afterEach, expect, it } from 'vitest';
import { itemsOf, openResearch, type Pages } from './setup.ts';

const QUERY = 'How did port fees in Eastmere change?';
const TEASER = { title: 'Port fees in Eastmere', text: 'Fees at the port of Eastmere change in March.' };
const URL_OF_TEASER = 'https://news.errand-tests.org/1';
const PAGE = 'The port of Eastmere raises its port fees by 6.5 per cent in March, the harbour master said.';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

function run(pages: Pages, item: Partial<Parameters<typeof itemsOf>[1][number]> = {}, isSample = false) {
  at = openResearch({ news: { items: itemsOf('news', [{ ...TEASER, ...item }]), isSample } }, undefined, pages);
  return at.run({ query: QUERY, output_format: 'html' });
}

it('reads the page instead of the teaser, and cites its words', async () => {
  const { results } = await run({ [URL_OF_TEASER]: { text: PAGE, publishedAt: '2026-03-02T08:00:00.000Z' } });
  expect(results.documents).toMatchObject([{ text_by: 'page', published_at: '2026-03-02T08:00:00.000Z' }]);
  expect(results.documents[0]).not.toHaveProperty('not_opened');
  expect(results.findings.map(({ text }) => text)).toEqual([PAGE]);
});

it('names the URL that a page is redirected to, and none where it is the same', async () => {
  const moved = 'https://archive.errand-tests.org/port-fees';
  const { results } = await run({ [URL_OF_TEASER]: { text: PAGE, url: moved } });
  expect(results.documents).toMatchObject([{ address: URL_OF_TEASER, redirected_to: moved, text_by: 'page' }]);
  at.close();
  const { results: direct } = await run({ [URL_OF_TEASER]: { text: PAGE } });
  expect(direct.documents[0]).not.toHaveProperty('redirected_to');
});

it('keeps the text of the source where the page cannot be opened, and says why', async () => {
  const { results } = await run({});
  expect(results.documents).toMatchObject([{ text_by: 'source', not_opened: 'no longer exists' }]);
  expect(results.findings.map(({ text }) => text)).toEqual([TEASER.text]);
  expect(results.findings[0]?.citations).toEqual([{ document: 1, quote: TEASER.text, text_by: 'source' }]);
  const sourcesIn = () => at.rendered.flatMap(({ sources }) => sources.map(({ title }) => title));
  expect(sourcesIn()).toEqual(['Port fees in Eastmere (News, text as the source delivered it)']);
  at.close();
  const { results: opened } = await run({ [URL_OF_TEASER]: { text: PAGE } });
  expect(opened.findings.flatMap(({ citations }) => citations)[0]).not.toHaveProperty('text_by');
  expect(sourcesIn()).toEqual(['Port fees in Eastmere (News)']);
});

it.each([
  ['a sample', {}, true],
  ['a record with figures', { figures: [{ label: 'Port fees', value: 3 }] }, false],
  ['a whole text', { text: `${TEASER.text} ${'The port said so on Monday. '.repeat(60)}` }, false],
  ['an item without a URL', { address: 'source:news#1' }, false],
])('does not open a page for %s', async (_, item, isSample) => {
  const { results } = await run({ [URL_OF_TEASER]: { text: PAGE }, 'source:news#1': { text: PAGE } }, item, isSample);
  expect(results.documents).toMatchObject([{ text_by: 'source' }]);
  expect(results.documents[0]).not.toHaveProperty('not_opened');
});

it('reads the hits of the search provider, also those without a word of the question', async () => {
  at = openResearch({ financial_reports: {}, market_data: {}, news_feeds: {} }, undefined, {
    'https://quay.errand-tests.org/a': { text: PAGE },
  });
  const asked: string[] = [];
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async ({ text }) => {
      asked.push(text);
      const hit = { url: 'https://quay.errand-tests.org/a', title: 'Quayside news', snippet: 'Read more.' };
      return { hits: [hit], notes: ['searxng cannot restrict the language.'] };
    },
  });
  const { results } = await at.run({ query: QUERY, sources: [] });
  expect(asked).toEqual(results.plan?.queries);
  expect(results.documents).toMatchObject([{ source: 'web search', text_by: 'page' }]);
  expect(results.findings.map(({ text }) => text)).toEqual([PAGE]);
  expect(results.sources.at(-1)).toMatchObject({ source: 'web search', status: 'read', items: 1 });
});

it('sends nothing to the search provider if the request names its sources', async () => {
  at = openResearch({ news: { items: itemsOf('news', [TEASER]) } });
  at.ports.searchConnector = async () => Promise.reject(new Error('Nothing was to be searched.'));
  const { results } = await at.run({ query: QUERY });
  expect(results.sources.map(({ source }) => source)).toEqual(['news']);
});
