/** The figures of notes: what a model says of one must stand in a quote, with number, sign, unit and period. */
import { afterEach, expect, it } from 'vitest';
import { scriptedModel } from '../agents/scripted-model.ts';
import { itemsOf, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const RENTS = 'In 2025 the average rent in Vienna rose by 4.5 per cent to 2.5 million EUR per block.';
const PROFIT = 'The result of the Ostheim Ferry Company was -3 million EUR in the second quarter of 2025.';
const BOTH = [RENTS, PROFIT];

const answer = (value: object) => ({ text: JSON.stringify(value) });
type Noted = { label: string; value: string | number; unit?: string | null; period?: string | null };

/** The number of its document is not known before: each quote is cited of all, and kept for its own. */
const citing = (quote: string) => [1, 2, 3, 4].map((document) => ({ document, quote }));

/** Each sentence is a document and a statement of the model; the figures are those that it notes of the first. */
async function noted(figures: Noted[], texts = BOTH, deliverables = ['key_findings']) {
  const findings = texts.map((statement, nth) => ({
    ...{
      statement,
      importance: 5 - nth,
      sub_question: 1,
      topics: [],
      citations: citing(statement),
    },
    ...(nth === 0 ? { figures } : {}),
  }));
  const { model } = scriptedModel(answer({ queries: [] }), answer({ findings }));
  const items = itemsOf(
    'news',
    texts.map((text, nth) => ({ title: `Rents and results ${nth + 1}`, text })),
  );
  at = openResearch({ news: { items } }, model);
  const query = 'How did rents and results change?';
  return (await at.run({ query, deliverables, sources: ['news'], depth: 'overview' })).results;
}

it('keeps figures with value, unit and period, in the words of the document', async () => {
  const {
    findings,
    documents,
    figures_thrown_out: thrownOut,
  } = await noted([
    { label: 'rise of the average rent in Vienna', value: 4.5, unit: '%', period: '2025' },
    { label: 'average rent', value: '2.5 million', unit: 'EUR per block' },
  ]);
  const own = { document: documents.find(({ title }) => title.endsWith('1'))?.document };
  expect(findings[0]?.figures).toEqual([
    {
      ...own,
      label: 'rise of the average rent in Vienna',
      value: 4.5,
      text: '4.5 per cent',
      unit: '%',
      period: '2025',
    },
    { ...own, label: 'average rent', value: 2_500_000, text: '2.5 million EUR', unit: 'EUR per block', period: null },
  ]);
  expect(findings[1]?.figures).toBeUndefined();
  expect(thrownOut).toBeUndefined();
});

it('reads a sign, a scale and a quarter', async () => {
  const figure = { label: 'result of the Ostheim Ferry Company', value: '-3000000', unit: 'EUR', period: 'Q2 2025' };
  const { findings } = await noted([figure], [PROFIT, RENTS]);
  expect(findings.find(({ text }) => text === PROFIT)?.figures).toMatchObject([
    { value: -3_000_000, unit: 'EUR', period: 'Q2 2025' },
  ]);
});

it.each<[string, Noted, string[]?]>([
  ['another number', { label: 'average rent', value: 4.6, unit: '%' }],
  ['another scale', { label: 'average rent', value: '2.5 billion', unit: 'EUR' }],
  ['percentage points', { label: 'average rent', value: 4.5, unit: 'percentage points' }],
  ['another unit', { label: 'average rent', value: '2.5 million', unit: 'USD' }],
  ['a unit that no list knows', { label: 'average rent', value: '2.5 million', unit: 'EUR per flat' }],
  ['no unit where the quote has one', { label: 'average rent', value: 4.5 }],
  ['another year', { label: 'average rent', value: 4.5, unit: '%', period: '2024' }],
  ['a name that is nowhere', { label: 'average rent in Graz', value: 4.5, unit: '%' }],
  ['the other direction', { label: 'the average rent in Vienna fell by', value: 4.5, unit: '%' }],
  ['two numbers', { label: 'average rent', value: '4.5 to 2.5', unit: '%' }],
  ['no number', { label: 'average rent', value: 'high', unit: '%' }],
  ['a figure of another document', { label: 'result', value: -3, unit: 'million EUR' }],
  ['a lost sign', { label: 'result', value: 3, unit: 'million EUR' }, [PROFIT, RENTS]],
])('drops a figure with %s, counts it and keeps the statement', async (_what, figure, texts) => {
  const results = await noted([figure], texts);
  expect(results.findings).toHaveLength(2);
  expect(results.findings.flatMap(({ figures = [] }) => figures)).toEqual([]);
  expect(results.figures_thrown_out).toBe(1);
  expect(results.statements_thrown_out).toBe(0);
});

it('charts what notes say of several years, and nothing that they state differently', async () => {
  const rent = (year: number, euros: number) => `In ${year} the average rent in Vienna was ${euros} EUR a month.`;
  const run = async (texts: string[]) => {
    const figures = texts.map((text) => {
      const [, period = '', value = ''] = /^In (\d+) .* (\d+) EUR/.exec(text) ?? [];
      return { label: 'average rent in Vienna', value, unit: 'EUR', period };
    });
    const findings = texts.map((statement, nth) => ({
      ...{ statement, importance: 5, sub_question: 1, topics: [], citations: citing(statement) },
      figures: figures.slice(nth, nth + 1),
    }));
    const { model } = scriptedModel(answer({ queries: [] }), answer({ findings }));
    const items = texts.map((text, nth) => ({ title: `Rents in Vienna, part ${nth + 1}`, text }));
    at = openResearch({ news: { items: itemsOf('news', items) } }, model);
    const query = 'How did the average rent in Vienna change?';
    const { results } = await at.run({ query, deliverables: ['charts'], sources: ['news'], depth: 'overview' });
    return results.charts;
  };
  const [chart, ...others] = await run([rent(2023, 910), rent(2024, 950), rent(2025, 990)]);
  expect(chart).toMatchObject({ kind: 'line', unit: 'EUR', x: { labels: ['2023', '2024', '2025'] } });
  expect(chart?.series).toEqual([{ name: 'average rent in Vienna', values: [910, 950, 990] }]);
  expect(others).toEqual([]);
  at.close();
  const conflicting = await run([rent(2023, 910), rent(2024, 950), rent(2025, 990), rent(2025, 890)]);
  expect(conflicting[0]?.x.labels).toEqual(['2023', '2024']);
});

it('takes the figures of quotes from them without a model, each cell of their table with its document', async () => {
  const items = itemsOf('news', [
    { title: 'Rents in Vienna', text: 'In 2025 the average rent in Vienna was 990 EUR.' },
  ]);
  at = openResearch({ news: { items } });
  const { results } = await at.run({ query: 'How high was the average rent in Vienna?', deliverables: ['data_table'] });
  expect(results.findings[0]?.figures).toEqual([
    { value: 990, text: '990 EUR', unit: 'EUR', period: '2025', document: 1 },
  ]);
  const [row] = results.deliverables[0]?.table?.rows ?? [];
  expect(row?.cells.slice(1)).toEqual(['Rents in Vienna', '990 EUR', 'EUR', '2025', 'news']);
  expect(row?.citations).toEqual([[1], [1], [1], [1], [1], [1]]);
});

it('cites for each cell of a table the documents that have it', async () => {
  const [first, second] = [
    'The average rent in Vienna was 990 EUR in 2025.',
    'The average rent in Graz was 790 EUR in 2024.',
  ];
  const statement = 'The average rent was 990 EUR in Vienna in 2025, while it was 790 EUR in Graz in 2024.';
  const citations = [first, second].flatMap((quote) => citing(quote ?? ''));
  const { model } = scriptedModel(
    answer({ queries: [] }),
    answer({ findings: [{ statement, importance: 5, sub_question: 1, topics: [], citations }] }),
    answer({ verdicts: [{ claim: 1, verdict: 'supported' }] }),
    answer({
      rows: [{ figure: 'average rent', of: 'Graz', value: '790', unit: 'EUR', date: '2024', finding: 1 }],
    }),
    answer({ verdicts: [{ claim: 1, verdict: 'supported' }] }),
  );
  const items = [first, second].map((text, nth) => ({ title: `Rents, part ${nth + 1}`, text: text ?? '' }));
  at = openResearch({ news: { items: itemsOf('news', items) } }, model);
  const asks = { query: 'How high were average rents?', deliverables: ['data_table'], output_format: 'html' as const };
  const { results } = await at.run({ ...asks, sources: ['news'], depth: 'overview' });
  const { cells, citations: cited } = results.deliverables[0]?.table?.rows[0] ?? {};
  expect(cells).toEqual(['average rent', 'Graz', '790', 'EUR', '2024', 'news']);
  const [vienna, graz] = ['1', '2'].map(
    (nth) => results.documents.find(({ title }) => title.endsWith(nth))?.document ?? 0,
  );
  expect(cited).toEqual([[vienna, graz], [graz], [graz], [vienna, graz], [graz], [vienna]]);
  const [table] = at.rendered[0]?.sections[0]?.blocks ?? [];
  expect(table).toMatchObject({
    rows: [
      [
        { text: 'average rent' },
        { text: 'Graz' },
        { text: '790' },
        { text: 'EUR' },
        { text: '2024' },
        { text: 'News', citations: [vienna, graz].toSorted() },
      ],
    ],
  });
});
