import { expect, it } from 'vitest';
import { live, providerOf } from './provider.ts';

const query = { text: 'port fees', count: 5 };
const found = { body: { web: { results: [{ url: 'https://ports.org/a', title: 'A', description: 'B' }] } } };

it.each([
  ['searxng', 403, /^searxng refuses JSON: add "json" to search.formats/],
  ['brave', 401, /does not accept the key/],
  ['brave', 422, /answered with status 422/],
  ['tavily', 401, /does not accept the key/],
  ['tavily', 432, /the plan of the key is used up/],
  ['tavily', 433, /the spending limit of the key is reached/],
  ['exa', 402, /the credit of the key is used up/],
  ['exa', 500, /answered with status 500/],
  ['serper', 400, /answered with status 400/],
  ['serper', 403, /refuses the request/],
] as const)('says what %s means by %i, and does not ask again', async (preset, status, text) => {
  const { connector, seen } = await providerOf(preset, [{ status, body: { error: 'secret-key' } }]);
  const { hits, notes } = await connector.search(query, live());
  expect(hits).toEqual([]);
  expect(notes).toEqual([expect.stringMatching(text)]);
  expect(notes.join()).not.toContain('secret-key');
  expect(seen).toHaveLength(1);
});

it.each([
  ['not JSON', '<html>', /not JSON/],
  ['a list of another form', { results: 'none' }, /another form/],
  ['a larger answer than is read', 'x'.repeat(4_100_000), /too large/],
])('says that a provider sent %s', async (_name, body, text) => {
  const { connector } = await providerOf('searxng', [{ body }]);
  expect(await connector.search(query, live())).toEqual({ hits: [], notes: [expect.stringMatching(text)] });
});

it('takes an answer without any group of hits as no hits', async () => {
  const { connector } = await providerOf('brave', [{ body: { type: 'search' } }]);
  expect(await connector.search(query, live())).toEqual({ hits: [], notes: [] });
});

it('sends the key to no address that a redirect leads to', async () => {
  const other = await providerOf('brave', [found]);
  const { connector } = await providerOf('brave', [
    { status: 302, headers: { location: `${other.url}res/v1/web/search` } },
  ]);
  const { hits, notes } = await connector.search(query, live());
  expect([hits, notes]).toEqual([[], [expect.stringMatching(/redirects, which is not followed/)]]);
  expect(other.seen).toEqual([]);
});

it('waits for the window of Brave that is empty, and not for the other one', async () => {
  const headers = { 'x-ratelimit-remaining': '0, 900', 'x-ratelimit-reset': '1, 1419704' };
  const { connector, waits } = await providerOf('brave', [{ ...found, headers }]);
  await Promise.all([connector.search(query, live()), connector.search(query, live())]);
  expect(waits).toContain(1_000);
  expect(Math.max(...waits)).toBe(1_000);
});

it('does not wait for the next month', async () => {
  const headers = { 'x-ratelimit-remaining': '1, 0', 'x-ratelimit-reset': '1, 1419704' };
  const { connector, seen, waits } = await providerOf('brave', [{ ...found, headers }]);
  await connector.search({ ...query, count: 1 }, live());
  const { notes } = await connector.search(query, live());
  expect(notes).toEqual([expect.stringMatching(/^brave allows no request before 2026-06-17/)]);
  expect([seen.length, waits]).toEqual([1, []]);
});

it('asks once more after the pause that a 429 names', async () => {
  const { connector, seen, waits } = await providerOf('tavily', [
    { status: 429, headers: { 'retry-after': '3' } },
    { body: { results: [{ url: 'https://ports.org/a' }] } },
  ]);
  const { hits } = await connector.search(query, live());
  expect(hits).toEqual([{ url: 'https://ports.org/a', title: 'ports.org', snippet: '' }]);
  expect([seen.length, waits]).toEqual([2, [3_000]]);
  const never = await providerOf('exa', [{ status: 429 }]);
  expect((await never.connector.search(query, live())).notes).toEqual(['exa is asked more often than it allows.']);
  expect(never.seen).toHaveLength(2);
});

it("ends with the reason of the caller's signal", async () => {
  const { connector, seen } = await providerOf('exa', [{}]);
  await expect(connector.search(query, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
  expect(seen).toEqual([]);
});
