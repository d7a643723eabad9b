import { describe, expect, it } from 'vitest';
import { everyNth, linesFor } from '../../console/results/chart-labels.ts';
import { placeOn, scaleOf } from '../../console/results/chart-scale.ts';
import { recordTables } from '../../console/results/records.tsx';
import { researchIn } from '../../console/results/report.tsx';

describe('the results of a research', () => {
  const results = {
    query: 'What?',
    notes: ['Sample data.', 7],
    deliverables: [
      {
        deliverable: 'findings',
        title: 'Findings',
        paragraphs: [{ text: 'Fees rose.', citations: [2, 'x'], is_quote: true }, { text: '' }, null],
      },
      { deliverable: 'charts', charts: [1, 9] },
      {
        deliverable: 'data_table',
        title: 'Data',
        table: {
          columns: ['A', 'B'],
          rows: [{ cells: ['2310', 'market_data'], value: 2310, citations: [[2, 'x'], [2]] }, ['y', 2], 'z'],
        },
      },
      { deliverable: 'bibliography', title: 'Bibliography', documents: [1] },
    ],
    charts: [
      {
        chart: 1,
        kind: 'line',
        title: 'Index',
        unit: 'points',
        x: { labels: ['a', 'b'] },
        series: [{ name: 'I', values: [1, 'x'] }],
      },
    ],
    documents: [
      {
        document: 1,
        source: 'market_data',
        title: '<b>Fees</b>',
        address: 'https://acme.org/1',
        published_at: '2026-11-01T00:00:00.000Z',
        sample_data: true,
      },
      { document: 2, title: '', address: 'javascript:alert(1)' },
    ],
  };

  it('become sections with their citations, tables, charts and sources', () => {
    const { sections = [], sources, notes } = researchIn(results) ?? {};
    expect(notes).toEqual(['Sample data.']);
    expect(sections.map(({ title }) => title)).toEqual(['Findings', 'charts', 'Data', 'Bibliography']);
    expect(sections[0]?.paragraphs).toEqual([
      { sentences: [{ text: 'Fees rose.', mark: undefined }], citations: [2], isQuote: true },
    ]);
    expect(sections[1]?.charts).toMatchObject([
      { title: 'Index', kind: 'line', labels: ['a', 'b'], series: [{ values: [1, null] }] },
    ]);
    expect(sections[2]?.table).toEqual({
      columns: ['A', 'B'],
      rows: [
        [
          { text: '2,310', citations: [] },
          { text: 'Market data', citations: [2] },
        ],
        [
          { text: 'y', citations: [] },
          { text: '2', citations: [] },
        ],
      ],
    });
    expect(sources?.[0]).toMatchObject({ title: '<b>Fees</b>', address: 'https://acme.org/1', isSample: true });
  });

  it('have no headings if nothing was found, and keep what was read', () => {
    const report = researchIn({ ...results, outcome: 'nothing_found' });
    expect(report).toMatchObject({ isNothingFound: true, sections: [], notes: ['Sample data.'] });
    expect(report?.sources).toHaveLength(2);
    expect(researchIn(results)?.isNothingFound).toBe(false);
  });

  it('show the marks of sentences', () => {
    const why = 'The quotes say nothing of fees.';
    const sentences = [
      { text: 'Fees rose.', unconfirmed: why },
      { text: 'Sell the ships.', kind: 'advice' },
      { text: 'They fell.' },
    ];
    const paragraphs = [{ text: 'Fees rose. They fell.', sentences, citations: [1] }];
    const { sections = [] } = researchIn({ deliverables: [{ title: 'Findings', paragraphs }] }) ?? {};
    expect(sections[0]?.paragraphs[0]?.sentences).toEqual([
      { text: 'Fees rose.', mark: 'not confirmed', reason: why },
      { text: 'Sell the ships.', mark: 'the writer’s conclusion', reason: undefined },
      { text: 'They fell.', mark: undefined, reason: undefined },
    ]);
  });

  it('link to http and https URLs only', () => {
    expect(researchIn(results)?.sources[1]).toMatchObject({ address: undefined, title: 'javascript:alert(1)' });
  });

  it('name the stored text of a source, if its path is one of ours', () => {
    const snapshotOf = (snapshot: unknown) =>
      researchIn({ ...results, documents: [{ document: 3, snapshot }] })?.sources[0]?.snapshot;
    expect(snapshotOf('/api/v1/tasks/task_0a-1b/results/sources/3')).toEqual({ taskId: 'task_0a-1b', source: 3 });
    for (const other of [null, undefined, 3, '/api/v1/tasks/../results/sources/3', '/x'])
      expect(snapshotOf(other)).toBe(undefined);
  });

  it('are empty without sections', () => {
    expect(researchIn({})).toBeUndefined();
    expect(researchIn({ deliverables: 'x', documents: [null], charts: {} })).toBeUndefined();
  });
});

describe('records', () => {
  const field = (path: string, value: unknown, status = 'proven') => ({
    path,
    value,
    status,
    reason: 'r',
    basis: [],
    candidates: [],
  });
  const documents = [
    { document: 1, name: 'a.pdf' },
    { document: 2, name: '' },
  ];

  it('become a row for each document, and a table for each array', () => {
    const records = [
      { document: 1, fields: [field('total', 5), field('lines.0.name', 'Rope'), field('lines.1.name', 'Lamp')] },
      { document: 2, fields: [field('total', null, 'missing'), field('paid', true)] },
    ];
    const [record, lines] = recordTables({ documents, records });
    expect(record).toMatchObject({ title: 'Record', columns: ['total', 'paid'] });
    expect(record?.rows.map(({ head, cells }) => [head, ...cells.map((cell) => cell?.value)])).toEqual([
      ['a.pdf', '5', undefined],
      ['Document 2', '', 'yes'],
    ]);
    expect(lines?.rows.map(({ head, cells }) => [head, cells[0]?.value])).toEqual([
      ['a.pdf, 1', 'Rope'],
      ['a.pdf, 2', 'Lamp'],
    ]);
  });

  it('show a value that was not taken with its place and reason', () => {
    const basis = { document: 1, place: 'page 2', quote: 'IBAN DE12' };
    const iban = {
      ...field('iban', null, 'unverified'),
      candidates: [{ value: 'DE12', reason: 'no second look', basis }, { value: 'DE13' }, 'x'],
    };
    const [table] = recordTables({ documents, records: [{ document: 1, fields: [iban] }] });
    expect(table?.rows[0]?.cells[0]).toMatchObject({
      status: 'unverified',
      value: '',
      candidates: [
        { value: 'DE12', reason: 'no second look', basis: { document: 'a.pdf', place: 'page 2', quote: 'IBAN DE12' } },
        { value: 'DE13', reason: '', basis: undefined },
      ],
    });
  });

  it('leave out malformed values', () => {
    expect(recordTables({})).toEqual([]);
    expect(recordTables({ records: 'x', documents: [null] })).toEqual([]);
    expect(
      recordTables({ records: [{ document: 1, fields: [null, { path: 7 }, field('a', 1, 'constructor')] }] }),
    ).toEqual([]);
  });
});

describe('the scale of a chart', () => {
  it('has round marks around all values, and begins at zero for bars', () => {
    expect(scaleOf([3, 97], { fromZero: true })).toEqual({ min: 0, max: 100, marks: [0, 25, 50, 75, 100] });
    expect(scaleOf([2203, 2310], { fromZero: false }).marks).toEqual([2200, 2250, 2300, 2350]);
    expect(scaleOf([-5, 5], { fromZero: true }).marks).toContain(0);
  });

  it('exists for no value, one value and equal values', () => {
    for (const values of [[], [0], [7, 7], [Number.NaN]]) {
      const scale = scaleOf(values, { fromZero: false });
      expect(scale.max).toBeGreaterThan(scale.min);
      for (const value of values.filter(Number.isFinite)) {
        expect(placeOn(scale, value)).toBeGreaterThanOrEqual(0);
        expect(placeOn(scale, value)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('omits labels that do not fit', () => {
    expect([everyNth(5, 6), everyNth(13, 6), everyNth(0, 6)]).toEqual([1, 3, 1]);
  });
});

describe('the labels of a chart', () => {
  const linesOf = (label: string, letters: number) => linesFor(label, letters, (text) => [...text].length);

  it('are whole when they fit, on as many lines as they need', () => {
    expect(linesOf('Port fee Halden Bay', 19)).toEqual(['Port fee Halden Bay']);
    expect(linesOf('Port fee Halden Bay', 10)).toEqual(['Port fee', 'Halden Bay']);
    expect(linesOf('', 10)).toEqual([]);
  });

  it('end with an ellipsis when they are cut', () => {
    expect(linesOf('Containerumschlag', 10)).toEqual(['Container…']);
    expect(linesOf('one two three four five', 5)).toEqual(['one', 'two', 'thre…']);
    const long = linesOf('x '.repeat(100_000), 500);
    expect(long.join('').length).toBeLessThan(500);
    expect(long.at(-1)).toMatch(/…$/);
  });
});
