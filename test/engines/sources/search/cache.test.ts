/** Pages that an organization has opened are not fetched again within a day. */
import { expect, it } from 'vitest';
import { DAY_MS } from '../../../../shared/core/time.ts';
import { live, providerOf } from './provider.ts';

const query = { text: 'port fees', count: 5 };
const results = [{ url: 'https://ports.org/a', title: 'A', content: 'Fees rose.' }];
const found = { body: { results } };
const hits = [{ url: 'https://ports.org/a', title: 'A', snippet: 'Fees rose.' }];

it('sends the same query once a day, and says which answer is from the cache', async () => {
  const { connector, seen, clock } = await providerOf('searxng', [found]);
  expect(await connector.search(query, live())).toEqual({ hits, notes: [] });
  // The page with the hit, and one without new hits.
  expect(seen).toHaveLength(2);
  clock.pass(DAY_MS - 1);
  expect(await connector.search(query, live())).toEqual({ hits, notes: [], isCached: true });
  expect(seen).toHaveLength(2);
  clock.pass(1);
  expect(await connector.search(query, live())).toEqual({ hits, notes: [] });
  expect(seen).toHaveLength(4);
});

it('does not ask again for the page behind the last one, either', async () => {
  const { connector, seen } = await providerOf('searxng', [found, { body: { results: [] } }]);
  await connector.search(query, live());
  expect(await connector.search(query, live())).toEqual({ hits, notes: [], isCached: true });
  expect(seen).toHaveLength(2);
});

it.each([
  ['another query', { text: 'port dues' }],
  ['other dates', { from: '2026-05-10' }],
  ['another language', { language: 'de' }],
  ['other domains', { excludeDomains: ['sea.org'] }],
])('asks again for %s', async (_, more) => {
  const { connector, seen } = await providerOf('searxng', [found]);
  await connector.search(query, live());
  const before = seen.length;
  expect(await connector.search({ ...query, ...more }, live())).not.toHaveProperty('isCached');
  expect(seen.length).toBeGreaterThan(before);
});

it('keeps nothing for another organization, and nothing of another key', async () => {
  const { connector, connectAs, seen } = await providerOf('brave', [
    { body: { web: { results: [{ url: 'https://ports.org/a', title: 'A', description: 'B' }] } } },
  ]);
  await connector.search(query, live());
  const before = seen.length;
  for (const other of [connectAs('two', 'secret-key'), connectAs('one', 'another-key')]) {
    expect(await other.search(query, live())).not.toHaveProperty('isCached');
  }
  expect(seen).toHaveLength(3 * before);
});

it.each([
  ['a refusal', { status: 500 }],
  ['an answer without hits', { body: { results: [] } }],
  ['an answer with long texts', { body: { results: Array.from({ length: 20 }, (_, at) => long(at)) } }],
])('keeps not %s', async (_, answer) => {
  const { connector, seen } = await providerOf('tavily', [answer]);
  await connector.search({ ...query, count: 20 }, live());
  const before = seen.length;
  expect(await connector.search({ ...query, count: 20 }, live())).not.toHaveProperty('isCached');
  expect(seen).toHaveLength(2 * before);
});

function long(at: number) {
  return { url: `https://ports.org/${at}`, title: 'A', content: 'B', raw_content: 'Fees rose. '.repeat(2_000) };
}
