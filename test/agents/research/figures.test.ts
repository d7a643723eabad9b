/** What research makes of figures: series, bars, and each measurement once. */
import { afterEach, expect, it } from 'vitest';
import { PORTS, QUERY } from './ports-news.ts';
import { itemsOf, type NewItem, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

function open(sources: Parameters<typeof openResearch>[0] = {}) {
  at = openResearch({ ...PORTS, ...sources });
  return at;
}

it('compares figures in a table and a chart, the whole series of what it read', async () => {
  const { results } = await open().run({ query: QUERY, deliverables: ['charts', 'data_table'] });
  expect(results.charts).toEqual([
    {
      chart: 1,
      kind: 'line',
      title: 'Port fee index',
      unit: 'points',
      x: { labels: ['2026-01-01', '2026-02-01', '2026-03-01'] },
      series: [{ name: 'Port fee index', values: [104.2, 107.9, 111] }],
      source: 'Market data, 3 figures, sample data',
      documents: [expect.any(Number), expect.any(Number)],
    },
  ]);
  expect(results.deliverables[0]).toMatchObject({ charts: [1] });
  expect(results.deliverables[1]?.table?.rows[0]).toEqual({
    cells: ['Port fee index', 'Baltic port fee index', '111', 'points', '2026-03-01', 'market_data'],
    document: expect.any(Number),
    // The last cell names the source, and cites it.
    citations: [[], [], [], [], [], [expect.any(Number)]],
    value: 111,
  });
});

it('draws no figure twice because its story was repeated', async () => {
  const story = (day: number, title: string, text: string, value: number): NewItem => ({
    title,
    text,
    publishedAt: `2026-03-${day}T09:00:00.000Z`,
    figures: [{ label: 'Baltic port fee', value, unit: 'EUR' }],
  });
  const told = [
    story(
      20,
      'Baltic port fees rise again',
      'Port fees on the Baltic rose by 3 per cent to EUR 231, Eastmere says.',
      231,
    ),
    story(19, 'Port fees up again', 'Port fees on the Baltic rose by 3 per cent to EUR 231, says Eastmere today.', 231),
    story(10, 'First rise', 'Fees of Baltic ports were raised for the first time since summer, to EUR 224.', 224),
  ];
  const { results } = await open({ fees: { items: itemsOf('fees', told) } }).run({ query: QUERY, sources: ['fees'] });
  expect(results.left_out.duplicates).toBe(1);
  expect(results.charts[0]).toMatchObject({
    x: { labels: ['2026-03-10', '2026-03-20'] },
    series: [{ values: [224, 231] }],
  });
});

it('draws bars where many things have a figure of one time, and nothing of one number alone', async () => {
  const prices: NewItem[] = ['Gdansk', 'Riga', 'Tallinn'].map((port, nth) => ({
    title: `${port} port fees`,
    text: `Port fees in ${port}, on the Baltic.`,
    figures: [
      { label: 'Fee per tonne', value: 3 + nth, unit: 'EUR' },
      ...(nth === 0 ? [{ label: 'Berths', value: 9 }] : []),
    ],
  }));
  const { results } = await open({ prices: { items: itemsOf('prices', prices) } }).run({
    query: QUERY,
    sources: ['prices'],
  });
  expect(results.charts).toMatchObject([
    { kind: 'bar', title: 'Fee per tonne', unit: 'EUR', series: [{ values: expect.any(Array) }] },
  ]);
  expect(results.charts[0]?.x.labels.toSorted()).toEqual(['Gdansk port fees', 'Riga port fees', 'Tallinn port fees']);
});

it('keeps every figure of a document that was read, whatever words its label has', async () => {
  const record = (month: number): NewItem => ({
    title: `Port fees of Eastmere ${month}`,
    text: `Port fees of Eastmere in month ${month} of 2026.`,
    publishedAt: `2026-0${month}-01T00:00:00.000Z`,
    figures: [
      { label: 'Port fees', value: 100 + month, unit: 'EUR' },
      { label: 'Hafengeld', value: 200 + month, unit: 'DKK' },
    ],
  });
  const { results } = await open({ fees: { items: itemsOf('fees', [record(1), record(2)]) } }).run({
    query: 'How did port fees of Eastmere change?',
    sources: ['fees'],
  });
  expect(results.charts.map(({ title }) => title).sort()).toEqual(['Hafengeld', 'Port fees']);
});
