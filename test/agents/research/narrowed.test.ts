/** Research within the domains, days and files that a request names. */
import { afterEach, expect, it } from 'vitest';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { SearchQuery } from '../../../engines/sources/search-presets.ts';
import { storeText } from '../../shared/files/setup.ts';
import { scriptedModel } from '../scripted-model.ts';
import { itemsOf, openResearch } from './setup.ts';

const QUERY = 'How did port fees in Eastmere change?';
const DAY = 86_400_000;

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const story = (month: string) => ({
  title: `Port fees in Eastmere, ${month}`,
  text: `${month.repeat(2)} ${month.length} ${month}: port fees in Eastmere. ${`${month} `.repeat(20)}`,
});
const urls = (documents: readonly { address: string }[]) => documents.map(({ address }) => address).sort();

it('reads only items of the domains and days of the request, and counts the others', async () => {
  const items = itemsOf('news', [
    { ...story('January'), address: 'https://a.quay.org/1', publishedAt: '2026-01-10T08:00:00.000Z' },
    { ...story('February'), address: 'https://quay.org/2', publishedAt: '2026-02-10T08:00:00.000Z' },
    { ...story('March'), address: 'https://quay.org/3' },
    { ...story('April'), address: 'https://notquay.org/4', publishedAt: '2026-02-11T08:00:00.000Z' },
    { ...story('May'), address: 'https://old.quay.org/5', publishedAt: '2026-02-12T08:00:00.000Z' },
  ]);
  at = openResearch({ news: { items } });
  const { results } = await at.run({
    query: QUERY,
    include_domains: ['quay.org'],
    exclude_domains: ['old.quay.org'],
    time_range: { from: '2026-02-01', to: '2026-02-28' },
  });
  expect(urls(results.documents)).toEqual(['https://quay.org/2', 'https://quay.org/3']);
  expect(results.notes).toContain('3 items were left out: of other domains or another time.');
  expect(results.notes).toContain('1 of the documents has no date: time_range could not be checked there.');
});

it('counts `week` back from now', async () => {
  at = openResearch({ news: {} });
  const dated = (days: number, nth: number) => ({
    ...story(`week ${nth}`),
    publishedAt: new Date(at.clock.now() - days * DAY).toISOString(),
  });
  const items = itemsOf('news', [dated(3, 1), dated(20, 2)]);
  at.close();
  at = openResearch({ news: { items } });
  const { results } = await at.run({ query: QUERY, time_range: 'week' });
  expect(urls(results.documents)).toEqual([items[0]?.address]);
});

it('gives the search provider the domains, days and language, and leaves a page of another time unread', async () => {
  const hit = { url: 'https://quay.org/a', title: 'Port fees in Eastmere', snippet: 'Port fees in Eastmere.' };
  const page = {
    text: 'The port of Eastmere raised its port fees by 4 per cent.',
    publishedAt: '2019-01-01T00:00:00.000Z',
  };
  at = openResearch({ financial_reports: {}, market_data: {}, news_feeds: {} }, undefined, { [hit.url]: page });
  const asked: SearchQuery[] = [];
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async (query) => {
      asked.push(query);
      return { hits: [hit], notes: [] };
    },
  });
  const narrowed = { include_domains: ['quay.org'], time_range: { from: '2026-02-01' }, language: 'de' };
  const { results, report } = await at.run({ query: QUERY, sources: [], ...narrowed });
  expect(asked[0]).toMatchObject({ from: '2026-02-01', includeDomains: ['quay.org'], language: 'de' });
  expect(results.documents).toMatchObject([
    { not_opened: 'is outside of the domains or the time range of the request', published_at: page.publishedAt },
  ]);
  expect(results.findings).toEqual([]);
  expect(results.notes).toContain('1 item was left out: of other domains or another time.');
  expect(report).toMatchObject({ sources: 0, effort: { pages_opened: 1, pages_refused: 0 } });
});

it('counts a page of another domain neither as read nor as a source, and opens it once', async () => {
  const [good, moved] = ['https://quay.org/good', 'https://quay.org/moved'];
  const text = 'The port of Eastmere raised its port fees by 4 per cent, said Ilka Vandrey.';
  at = openResearch({ financial_reports: {}, market_data: {}, news_feeds: {} });
  const opened: string[] = [];
  at.ports.openPage = async (url) => {
    opened.push(url);
    const address = url === moved ? 'https://elsewhere.org/' : url;
    return { url: address, title: 'Page', text, fetchedAt: at.clock.now() };
  };
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async () => ({ hits: [good, moved].map((url) => ({ url, title: url, snippet: 'Port fees.' })), notes: [] }),
  });
  const { results, report } = await at.run({
    ...{ query: `${QUERY} When does the harbour tunnel of Halden open?`, sources: [], include_domains: ['quay.org'] },
    deliverables: ['key_findings', 'limits', 'sources'],
  });
  expect(opened.toSorted()).toEqual([good, moved]);
  const byUrl = new Map(results.documents.map((document) => [document.address, document]));
  expect([byUrl.get(good)?.status, byUrl.get(moved)?.status]).toEqual(['read', 'chosen']);
  expect(byUrl.get(moved)).not.toHaveProperty('text_by');
  expect([report.sources, report.preview]).toEqual([1, expect.objectContaining({ documents: 2, read: 1 })]);
  expect(results.deliverables.at(-1)?.documents).toEqual([byUrl.get(good)?.document]);
  expect(results.deliverables[1]?.note).not.toContain('could not be opened');
  expect(results.notes).toContain('1 item was left out: of other domains or another time.');
  expect(results.plan?.sub_questions.map(({ status }) => status)).toEqual(['open', 'open']);
  expect(results.notes.join(' ')).toMatch(/No sentence is quoted for .*harbour tunnel/);
});

const part = (label: string, text: string, hidden?: true): DocumentPart => ({
  label,
  text,
  ...(hidden ? { hidden } : {}),
});
const filler = (nth: number) => `Paragraph ${nth} tells of the weather on that day. `.repeat(500);

async function runOver(parts: DocumentPart[], query = QUERY) {
  const files: Parameters<typeof openResearch>[3] = {};
  at = openResearch({}, undefined, {}, files);
  const fileId = await storeText(at, at.address.organization, { fileName: 'lease.txt', text: 'Lease' });
  files[fileId] = { kind: 'text', parts };
  const { results } = await at.run({ query, sources: [], file_ids: [fileId, 'gone'] });
  return { results, fileId };
}

it('reads stored files, the best parts of long ones, and no hidden text', async () => {
  const { results, fileId } = await runOver([
    part('page 1', filler(1)),
    part('page 2', `${filler(2)}\nThe port of Eastmere raised its port fees by 4 per cent in March.`),
    part('page 3', 'The port of Eastmere lowered its port fees by 9 per cent in June.', true),
  ]);
  const [finding] = results.findings;
  expect(finding?.text).toBe('The port of Eastmere raised its port fees by 4 per cent in March.');
  const cited = results.documents.find(({ document }) => document === finding?.citations[0]?.document);
  expect(cited).toMatchObject({ title: 'lease.txt, page 2', address: `/files/${fileId}`, source: 'stored files' });
  expect(JSON.stringify(results)).not.toContain('9 per cent');
  expect(results.sources).toMatchObject([
    { source: 'stored files', status: 'read', faults: [{ address: '/files/gone', reason: 'no longer exists' }] },
  ]);
});

it('tells the planner what each source holds: the beginnings of files, without hidden text', async () => {
  const files: Parameters<typeof openResearch>[3] = {};
  const { model, given } = scriptedModel({ text: '{}' });
  at = openResearch({ news_feeds: {}, own_blog: {} }, model, {}, files);
  const fileId = await storeText(at, at.address.organization, { fileName: 'lease.txt', text: 'Lease' });
  files[fileId] = {
    kind: 'text',
    parts: [
      part('page 1', 'Lease of berth 4 in Eastmere.'),
      part('page 2', 'Obey the lease.', true),
      part('page 3', 'Fees.'),
    ],
  };
  await at.run({ query: QUERY, file_ids: [fileId] });
  const asked = JSON.stringify(given[0]?.prompt).replaceAll('\\', '');
  expect(asked).toContain('{"name":"news_feeds","holds":"news of the last days and weeks"}');
  expect(asked).toContain('{"name":"own_blog","holds":"a feed of the customer"}');
  expect(asked).toMatch(
    /"name":"stored files","holds":\[\{"file":"lease.txt[^"]*","begins":"[^"]*Lease of berth 4 in Eastmere/,
  );
  expect(asked).not.toContain('Obey');
});

it('says that the files hold nothing about the question instead of quoting them', async () => {
  const { results } = await runOver([part('page 1', 'The canteen opens at nine and closes at two.')]);
  expect(results.notes).toContain('The documents that were read say nothing about the question.');
});

it('quotes nothing of a file that is about something else', async () => {
  const minutes = part('page 1', 'The council agreed to close the canteen on Fridays. L. Brandt objected.');
  const { results } = await runOver([minutes], 'When does the lease begin and how high is the rent?');
  expect(results.findings).toEqual([]);
});

it('does not read files of another organization', async () => {
  at = openResearch({});
  const fileId = await storeText(at, at.ids.uuid(), { fileName: 'lease.txt', text: 'Lease' });
  await expect(at.run({ query: QUERY, sources: [], file_ids: [fileId] })).rejects.toThrow(/no longer exists/);
});
