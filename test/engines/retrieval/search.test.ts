/** Which passages and sentences a search finds, and in which order. */
import { expect, it } from 'vitest';
import { bestSentences, leadingPassages, rankTexts, searchPassages } from '../../../engines/retrieval/search.ts';
import { processorMs } from '../../support/machine-speed.ts';

const page = (text: string, place = 'page 1', source = 'lease.pdf') => ({ source, place, text });
const LEASE = [
  page('# Rent\n\nThe rent is 990 euros a month, payable in advance.', 'page 1'),
  page('# Termination\n\nEither party may terminate with three months of notice.', 'page 2'),
  page('# Garden\n\nThe garden is mowed by the tenant in summer.', 'page 3'),
];

it('finds the passage by words in any form, with its place', () => {
  const [first] = searchPassages({ query: 'Which notice ends the lease when terminating?', passages: LEASE, limit: 5 });
  expect(first).toMatchObject({ passage: 1, source: 'lease.pdf', place: 'page 2' });
  expect(first?.text).toBe('Either party may terminate with three months of notice.');
});

it('names the lines of a passage within a plain text, and keeps the place of a text that was divided otherwise', () => {
  const text = '# Boiler\n\nThe boiler was serviced\non 4 May 2025.\n\n# Roof\n\nThe roof was repaired in 2019.';
  const placesIn = (place: string) =>
    ['boiler serviced', 'roof repaired'].map(
      (query) => searchPassages({ query, passages: [page(text, place)], limit: 1 })[0]?.place,
    );
  expect(placesIn('lines 11-18')).toEqual(['lines 13-14', 'line 18']);
  expect(placesIn('lines 11-18, part 2')).toEqual(['lines 11-18, part 2', 'lines 11-18, part 2']);
  expect(placesIn('lines 11-30')).toEqual(['lines 11-30', 'lines 11-30']);
  const [first] = leadingPassages({ passages: [page(text, 'lines 11-18')], limit: 1 });
  expect(first?.place).toBe('lines 13-14');
});

it('finds a passage by the heading above it, also across the end of a page', () => {
  const passages = [page('# Insurance', 'page 1'), page('Covers fire and water up to 5 million.', 'page 2')];
  expect(searchPassages({ query: 'insurance', passages, limit: 5 })[0]?.place).toBe('page 2');
});

it('prefers the rarer of two words', () => {
  const passages = [
    page('The tenant pays the rent.', 'page 1'),
    page('The tenant keeps the key.', 'page 2'),
    page('The tenant may keep a parrot.', 'page 3'),
  ];
  expect(searchPassages({ query: 'tenant parrot', passages, limit: 1 })[0]?.place).toBe('page 3');
});

it('finds longer words that begin with a word of the query', () => {
  const passages = [page('Die Kündigungsfrist beträgt drei Monate.'), page('Die Miete steigt.', 'page 2')];
  expect(searchPassages({ query: 'Kündigung', passages, limit: 5 }).map(({ place }) => place)).toEqual(['page 1']);
});

it('finds rows of a table with their header, apart from the text around', () => {
  const text =
    'Prices of the season.\n\n| Item | Price |\n| --- | --- |\n| Cod | 12 |\n| Crab | 30 |\n\nClosed in May.';
  const [first] = searchPassages({ query: 'crab', passages: [page(text)], limit: 5 });
  expect(first).toMatchObject({ header: '| Item | Price |', text: '| Cod | 12 |\n| Crab | 30 |' });
});

it('finds all rows of a table by the lines right above it, and names these and the headings', () => {
  const rows = Array.from({ length: 40 }, (_, at) => `| Position ${at} | ${at * 7} |`).join('\n');
  const text = `# Annual report\n\nStatement of operations (in millions)\n\nYear ended in May\n\n| Line | 2023 |\n| --- | --- |\n${rows}`;
  const other = page('The statement of the auditor is long.', 'page 2');
  const found = searchPassages({ query: 'statement of operations', passages: [other, page(text)], limit: 5 });
  const [first] = found;
  expect(found.filter(({ header }) => header).length).toBeGreaterThan(1);
  expect(first).toMatchObject({
    caption: 'Annual report\n\nStatement of operations (in millions)\n\nYear ended in May',
    header: '| Line | 2023 |',
    headings: ['Year ended in May', 'Annual report'],
  });
});

it('takes only the end of a paragraph above a table, and nothing of another table', () => {
  const text = `${'The harbour is large. '.repeat(20)}These are the fees:\n\n| A | 1 |\n| B | 2 |\n\n| C | 3 |`;
  const [fees, second] = ['| A', '| C'].map((row) =>
    searchPassages({ query: 'fees a b c 3', passages: [page(text)], limit: 9 }).find((found) =>
      found.text.startsWith(row),
    ),
  );
  expect(fees?.caption).toMatch(/These are the fees:$/);
  expect(fees?.caption?.length).toBeLessThanOrEqual(300);
  expect(second).not.toHaveProperty('caption');
});

it('finds nothing for words that no passage has, and for words that say nothing', () => {
  expect(searchPassages({ query: 'helicopter', passages: LEASE, limit: 5 })).toEqual([]);
  expect(searchPassages({ query: 'What is it about?', passages: LEASE, limit: 5 })).toEqual([]);
});

it('shows how each document begins before it goes on with the next passage of one', () => {
  const passages = [page('One.\n\n# B\n\nTwo.', 'page 1', 'a.md'), page('Three.', 'page 1', 'b.md')];
  expect(leadingPassages({ passages, limit: 2 }).map(({ text }) => text)).toEqual(['One.', 'Three.']);
  expect(leadingPassages({ passages: [], limit: 5 })).toEqual([]);
});

it('gives the best sentences of each document for each query, no heading, label or row among them', () => {
  const documents = [
    {
      title: 'A',
      text: '# Fees\n\nThe port raised its fees by 6 percent. The ferry runs hourly in winter.\n\nFees: 6 %',
    },
    { title: 'B', text: 'Fees in the harbour fell again last year. Nobody knows the reason for that.' },
  ];
  const found = bestSentences({ queries: ['fees of the port', 'ferry'], documents, limit: 1 });
  expect(found.map(({ query, document, text }) => [query, document, text])).toEqual([
    [0, 0, 'The port raised its fees by 6 percent.'],
    [0, 1, 'Fees in the harbour fell again last year.'],
    [1, 0, 'The ferry runs hourly in winter.'],
  ]);
  expect(found[0]?.relevance).toBe(1);
  expect(found[1]?.relevance).toBeLessThan(1);
});

it('counts the title of a text, and ranks only texts with words of the query', () => {
  const texts = [
    { title: 'Weather', text: 'Rain.' },
    { title: 'Fees', text: 'They rose.' },
    { title: 'Port fees', text: 'The fees of the port rose.' },
  ];
  expect(rankTexts({ query: 'port fees', texts }).map(({ index }) => index)).toEqual([2, 1]);
});

it('searches 5 MB of hostile text in time that grows with its length', () => {
  const hostile = (times: number) => [page('a. '.repeat(40_000).concat('| x '.repeat(10_000), '# \n').repeat(times))];
  const costOf = (times: number) =>
    processorMs(() => searchPassages({ query: 'x a', passages: hostile(times), limit: 5 }));
  costOf(1);
  const [small, large] = [costOf(2), costOf(20)];
  expect(large / small).toBeLessThan(30);
});
