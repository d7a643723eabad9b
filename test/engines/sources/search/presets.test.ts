import { expect, it } from 'vitest';
import { live, providerOf } from './provider.ts';

const query = {
  text: 'port fees',
  count: 5,
  from: '2026-05-10',
  to: '2026-05-31',
  language: 'de',
  includeDomains: ['ports.org', 'sea.org'],
  excludeDomains: ['old.ports.org'],
};

const page = (url: string, more: object = {}) => ({ url, title: 'Port fees', ...more });

it('asks SearXNG for JSON and the shortest range that reaches back, and filters the rest itself', async () => {
  const results = [
    page('https://ports.org/a#top', { content: 'Fees rose.', publishedDate: '2026-05-12T08:00:00' }),
    page('https://ports.org/late', { content: 'Later.', publishedDate: '2026-06-01T08:00:00' }),
    page('https://old.ports.org/b', { content: 'Old.' }),
    page('https://elsewhere.org/c', { content: 'Elsewhere.' }),
    page('https://www.sea.org/d', { content: 'Undated.', publishedDate: null }),
    page('javascript:alert(1)', { content: 'Not a page.' }),
    'odd',
  ];
  const { connector, seen } = await providerOf('searxng', [{ body: { results } }]);
  const { hits, notes } = await connector.search(query, live());
  expect(seen[0]).toMatchObject({
    method: 'GET',
    path: '/search',
    parameters: {
      q: 'port fees (site:ports.org OR site:sea.org) -site:old.ports.org',
      format: 'json',
      pageno: '1',
      language: 'de',
      time_range: 'month',
    },
  });
  expect(hits).toEqual([
    { url: 'https://ports.org/a', title: 'Port fees', snippet: 'Fees rose.', publishedAt: '2026-05-12T08:00:00.000Z' },
    { url: 'https://www.sea.org/d', title: 'Port fees', snippet: 'Undated.' },
  ]);
  expect(notes).toEqual(['searxng knows only the last day, month or year: other dates are left out afterwards.']);
});

it('asks Brave with its own header, page by page, within 400 characters and 50 words', async () => {
  const results = (at: number) =>
    Array.from({ length: 20 }, (_, n) =>
      page(`https://ports.org/${at}-${n}`, { description: 'A <strong>fee</strong>' }),
    );
  const answers = [0, 1].map((at) => ({ body: { web: { results: results(at) } } }));
  const { connector, seen } = await providerOf('brave', answers);
  const long = Array.from({ length: 70 }, (_, n) => `word${n}`).join(' ');
  const { hits } = await connector.search({ ...query, text: long, count: 30 }, live());
  expect(hits).toHaveLength(30);
  expect(hits[0]?.snippet).toBe('A fee');
  expect(seen.map(({ parameters }) => parameters.offset)).toEqual(['0', '1']);
  expect(seen[0]).toMatchObject({
    path: '/res/v1/web/search',
    headers: { 'x-subscription-token': 'secret-key' },
    parameters: { count: '20', freshness: '2026-05-10to2026-05-31', search_lang: 'de' },
  });
  const { q = '' } = seen[0]?.parameters ?? {};
  expect(q.split(' ').length).toBeLessThanOrEqual(50);
  expect(q.length).toBeLessThanOrEqual(400);
  expect(q).toMatch(/^word0 .* \(site:ports.org OR site:sea.org\) -site:old.ports.org$/);
  expect(JSON.stringify(seen.map(({ path, parameters }) => [path, parameters]))).not.toContain('secret-key');
});

it('asks Tavily with dates and domains, takes the text along, and names what it cannot do', async () => {
  const results = [page('https://ports.org/a', { content: 'Fees rose.', raw_content: 'Fees rose by 2 per cent.' })];
  const { connector, seen } = await providerOf('tavily', [{ body: { results } }]);
  const { hits, notes } = await connector.search(query, live());
  expect(seen[0]).toMatchObject({
    method: 'POST',
    path: '/search',
    headers: { authorization: 'Bearer secret-key' },
    body: {
      query: 'port fees',
      max_results: 5,
      include_raw_content: true,
      start_date: '2026-05-10',
      end_date: '2026-05-31',
      include_domains: ['ports.org', 'sea.org'],
      exclude_domains: ['old.ports.org'],
    },
  });
  expect(hits).toEqual([
    { url: 'https://ports.org/a', title: 'Port fees', snippet: 'Fees rose.', text: 'Fees rose by 2 per cent.' },
  ]);
  expect(notes).toEqual(['tavily cannot search in this language only: de.']);
});

it('asks Exa for text with the hits', async () => {
  const results = [page('https://ports.org/a', { text: 'Fees rose.', publishedDate: '2026-05-12T08:00:00.000Z' })];
  const { connector, seen } = await providerOf('exa', [{ body: { results } }]);
  const { hits } = await connector.search(query, live());
  expect(seen[0]).toMatchObject({
    method: 'POST',
    path: '/search',
    headers: { 'x-api-key': 'secret-key' },
    body: {
      query: 'port fees',
      numResults: 5,
      startPublishedDate: '2026-05-10T00:00:00.000Z',
      endPublishedDate: '2026-05-31T23:59:59.999Z',
      includeDomains: ['ports.org', 'sea.org'],
      contents: { text: { maxCharacters: 20_000 } },
    },
  });
  expect(hits[0]).toMatchObject({ snippet: 'Fees rose.', text: 'Fees rose.' });
});

it('asks Serper by its range of dates and operators for domains, page by page', async () => {
  const organic = (at: number) =>
    Array.from({ length: 10 }, (_, n) => ({
      title: 'Port fees',
      link: `https://ports.org/${at}-${n}`,
      snippet: 'Fees.',
    }));
  const dated = { title: 'Fees', link: 'https://sea.org/x', snippet: 'Rose.', date: '3 days ago', position: 1 };
  const answers = [{ body: { organic: [dated, ...organic(0)] } }, { body: { organic: organic(1) } }];
  const { connector, seen } = await providerOf('serper', answers);
  const { hits, notes } = await connector.search({ ...query, count: 15 }, live());
  expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual(
    [1, 2].map((page) => [
      'POST',
      '/search',
      {
        q: 'port fees (site:ports.org OR site:sea.org) -site:old.ports.org',
        num: 10,
        page,
        tbs: 'cdr:1,cd_min:05/10/2026,cd_max:05/31/2026',
      },
    ]),
  );
  expect(seen[0]?.headers['x-api-key']).toBe('secret-key');
  expect(hits).toHaveLength(15);
  expect(hits[0]).toEqual({
    url: 'https://sea.org/x',
    title: 'Fees',
    snippet: 'Rose.',
  });
  expect(notes).toEqual(['serper cannot search in this language only: de.']);
});

it.each([
  ['ja', 'jp', []],
  ['pt', 'pt-pt', []],
  ['zh', 'zh-hans', []],
  ['sw', undefined, ['brave cannot search in this language only: sw.']],
])('asks Brave for %s by a name that it knows, or not at all', async (language, name, expected) => {
  const { connector, seen } = await providerOf('brave', [{ body: {} }]);
  const { notes } = await connector.search({ text: 'port fees', count: 5, language }, live());
  expect(seen[0]?.parameters.search_lang).toBe(name);
  expect(notes).toEqual(expected);
});
