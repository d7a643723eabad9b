/** What a research is without a language model: passages of its documents, word for word, and no conclusion. */
import { afterEach, expect, it } from 'vitest';
import { PASSAGES_ONLY } from '../../../engines/models/keyless.ts';
import type { SearchHit } from '../../../engines/sources/search-presets.ts';
import { storeText } from '../../shared/files/setup.ts';
import { itemsOf, type NewItem, openResearch } from './setup.ts';

const FEES = 'The port of Eastmere raised its port fees by 4 per cent in March.';
const LOWER = 'The port of Eastmere lowered its port fees by 9 per cent in March.';
const TUNNEL = 'The harbour tunnel of Halden opens on 3 May.';
const QUERY = 'How did port fees in Eastmere change? When does the harbour tunnel of Halden open?';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

function research(items: readonly NewItem[], asks: Partial<Parameters<typeof at.run>[0]> = {}) {
  at = openResearch({ news: { items: itemsOf('news', items) } });
  return at.run({ query: QUERY, ...asks });
}

it('quotes of each document the sentences that are nearest to each part of the question, word for word and cited', async () => {
  const { results } = await research([
    { title: 'Port fees in Eastmere', text: `It rained all week. ${FEES} The canteen is closed on Fridays.` },
    { title: 'Harbour tunnel of Halden', text: `Halden is a town. ${TUNNEL}` },
  ]);
  expect(results.plan).toMatchObject({
    made_by: 'rules',
    sub_questions: [
      { sub_question: 1, text: 'How did port fees in Eastmere change?' },
      { sub_question: 2, text: 'When does the harbour tunnel of Halden open?' },
    ],
  });
  const quotes = results.findings.map(({ text, sub_question: part, is_quote: isQuote, checked_by: by, citations }) => {
    const { document, quote } = citations[0] ?? { document: 0, quote: '' };
    return { text, part, isQuote, by, quote, title: results.documents[document - 1]?.title };
  });
  const quoted = { isQuote: true, by: 'code' };
  expect(quotes.toSorted((a, b) => a.part - b.part)).toEqual([
    { ...quoted, part: 1, text: FEES, quote: FEES, title: 'Port fees in Eastmere' },
    { ...quoted, part: 2, text: TUNNEL, quote: TUNNEL, title: 'Harbour tunnel of Halden' },
  ]);
});

it('says in its notes and warnings that there was no language model, and is not complete', async () => {
  const { results, report } = await research([{ title: 'Port fees in Eastmere', text: FEES }]);
  expect(results.complete).toBe(false);
  expect(results.notes).toContain(PASSAGES_ONLY);
  expect(report.warnings).toContain(PASSAGES_ONLY);
});

it('puts no record of figures into the summary, and says why the summary is empty', async () => {
  const { results } = await research(
    [
      {
        title: 'Port fee index of Eastmere',
        text: 'The port fee index of Eastmere stood at 111 points.',
        figures: [{ label: 'Port fee index', value: 111 }],
      },
    ],
    { deliverables: ['executive_summary', 'key_findings'] },
  );
  const [summary, findings] = results.deliverables;
  expect(summary).toMatchObject({ paragraphs: [], note: 'What was found about this stands in another section.' });
  expect(findings?.paragraphs).toHaveLength(1);
});

it('compares nothing: it claims neither a contradiction nor that there is none', async () => {
  const { results } = await research(
    [
      { title: 'Port fees in Eastmere', text: FEES },
      { title: 'Port fees of Eastmere', text: LOWER },
    ],
    { deliverables: ['key_findings', 'limits'] },
  );
  expect(results.findings.map(({ text }) => text).sort()).toEqual([LOWER, FEES]);
  const limits = results.deliverables.find(({ deliverable }) => deliverable === 'limits');
  expect(limits?.paragraphs).toEqual([]);
  expect(JSON.stringify(results.deliverables)).not.toMatch(/contradict/);
});

it('leaves out the default sections that only a model fills, and says of those that were named why they are empty', async () => {
  const items = [{ title: 'Port fees in Eastmere', text: FEES }];
  const { results } = await research(items, { research_type: 'risk_assessment' });
  expect(results.deliverables.map(({ deliverable }) => deliverable)).not.toContain('risks');
  expect(JSON.stringify(results.deliverables)).not.toContain('Nothing was found for');
  at.close();
  const { results: named } = await research(items, { deliverables: ['key_findings', 'risks'] });
  expect(named.deliverables[1]).toMatchObject({ deliverable: 'risks', paragraphs: [], note: PASSAGES_ONLY });
});

it('says that nothing was found where no document has words of the question', async () => {
  const { results, report } = await research([{ title: 'Bread', text: 'A bakery in Bristol sells bread and cake.' }]);
  expect([results.outcome, results.findings]).toEqual(['nothing_found', []]);
  expect(results.notes).toContain('No item of the sources is about the question.');
  expect(report.warnings?.join()).toContain('Nothing was found that answers the query');
});

it('quotes no sentence that has hardly a word of the question beside better ones, and reads no item without any', async () => {
  const { results } = await research(
    [
      { title: 'Port fees in Eastmere', text: `${FEES} They had been known to change now and then for years.` },
      { title: 'Small change', text: 'Shops ask their customers to bring small change and to count it twice.' },
      { title: 'Bread', text: 'A bakery in Bristol sells bread and cake.' },
    ],
    { query: 'How did port fees in Eastmere change?' },
  );
  expect(results.findings.map(({ text }) => text)).toEqual([FEES]);
  expect(results.documents.map(({ title }) => title)).toEqual(['Port fees in Eastmere', 'Small change']);
  expect(results.left_out.irrelevant).toBe(1);
});

it('quotes a stored file with the part that the sentence stands in', async () => {
  const files: Parameters<typeof openResearch>[3] = {};
  at = openResearch({}, undefined, {}, files);
  const fileId = await storeText(at, at.address.organization, { fileName: 'fees.txt', text: 'Fees' });
  files[fileId] = {
    kind: 'text',
    parts: [
      { label: 'page 1', text: 'Contents of this file.' },
      { label: 'page 2', text: FEES },
    ],
  };
  const { results } = await at.run({ query: QUERY, sources: [], file_ids: [fileId] });
  const [finding] = results.findings;
  expect(finding).toMatchObject({ text: FEES, is_quote: true });
  const cited = results.documents.find(({ document }) => document === finding?.citations[0]?.document);
  expect(cited).toMatchObject({ source: 'stored files', address: `/files/${fileId}` });
  expect(JSON.stringify(cited)).toContain('fees.txt');
});

it('sends the question to the search provider once, without words of a stored file, and begins no second round', async () => {
  const files: Parameters<typeof openResearch>[3] = {};
  const hit: SearchHit = { url: 'https://port.errand-tests.org/', title: 'Port fees in Eastmere', snippet: FEES };
  const none = { financial_reports: {}, market_data: {}, news_feeds: {} };
  at = openResearch(none, undefined, { [hit.url]: { text: `${FEES} Ilka Vandrey signed it.` } }, files);
  const asked: string[] = [];
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async ({ text }) => {
      asked.push(text);
      return { hits: [hit], notes: [] };
    },
  });
  const text = 'Kersten Vastgoed pays port fees in Eastmere of 40 euros a day.';
  const fileId = await storeText(at, at.address.organization, { fileName: 'lease.md', text });
  files[fileId] = { kind: 'text', parts: [{ label: 'text', text }] };
  const { results, report } = await at.run({ query: QUERY, sources: [], file_ids: [fileId] });
  expect(results.findings.map((finding) => finding.text)).toEqual(expect.arrayContaining([FEES, text]));
  expect(asked).toEqual([QUERY]);
  expect(report.effort).toMatchObject({ rounds: 1, ended_by: 'nothing_new', search_queries: 1 });
});

it('measures the sentences of each batch of documents by the best ones that were read before', async () => {
  const best = 'The Brenronau ferry carries 423 passengers a day.';
  const others = ['Tarlivia', 'Dortilund', 'Fenvoport', 'Galmadale', 'Hovbewick', 'Jasjumere', 'Silskabrook'];
  const texts = new Map([
    ['Brenronau', best],
    ...others.map((name, nth) => [name, `The ${name} ferry has a bar of ${nth + 3} tables.`] as const),
  ]);
  const urlOf = (name: string) => `https://${name.toLowerCase()}.errand-tests.org/`;
  const pages = Object.fromEntries([...texts].map(([name, text]) => [urlOf(name), { text }]));
  at = openResearch({ financial_reports: {}, market_data: {}, news_feeds: {} }, undefined, pages);
  const hits = [...texts.keys()].map(
    (name): SearchHit => ({ url: urlOf(name), title: `${name} ferry`, snippet: name }),
  );
  at.ports.searchConnector = async () => ({ name: 'searxng', search: async () => ({ hits, notes: [] }) });
  const { results } = await at.run({ query: 'How many passengers does the Brenronau ferry carry a day?', sources: [] });
  expect(results.documents.filter(({ status }) => status === 'read')).toHaveLength(texts.size);
  expect(results.findings.map(({ text }) => text)).toEqual([best]);
});

it('keeps the quotes of an earlier research whose documents are read again, whatever their words', async () => {
  const quote = 'The harbour master signed the tariff of 2026 last week.';
  const text = `${FEES} ${quote}`;
  at = openResearch({ news: { items: [] } });
  at.ports.earlierResearch = async () => ({
    documents: [],
    findings: [
      {
        ...{ finding: 1, text: quote, is_quote: true, checked_by: 'code', sub_question: 1, topics: [] },
        citations: [{ document: 1, quote }],
      },
    ],
    texts: [
      {
        ...{ source: 1, url: 'https://earlier.errand-tests.org/1', fetchedAt: '2026-02-01T00:00:00.000Z' },
        ...{ sha256: '', from: 0, to: text.length, text },
      },
    ],
  });
  const { results } = await at.run({
    query: 'How did port fees in Eastmere change?',
    previous_task_id: 'task_0198b0a27a507e2b80005ee0a0c1d2e3',
  });
  expect(results.findings.map((finding) => finding.text).sort()).toEqual([quote, FEES].sort());
});
