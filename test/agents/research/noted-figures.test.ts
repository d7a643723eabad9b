/** The figures of notes and the rows of a report: what stands in the documents is charted and put into the table. */
import { afterEach, expect, it } from 'vitest';
import { type Answers, note, notesOf, roleModel, sectionsOf, sentence } from './role-model.ts';
import { itemsOf, openResearch } from './setup.ts';

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

const RENTS = 'In 2025 the average rent in Vienna rose by 4.5 per cent to 2.5 million EUR per block.';
const PROFIT = 'The result of the Ostheim Ferry Company was -3 million EUR in the second quarter of 2025.';

const figure = (label: string, value: string | number, more: object = {}) => ({
  ...{ label, value, unit: 'EUR', scale: 1, period: '', when: '', ...more },
});

function research(texts: readonly string[], answers: Answers, asks: object = {}) {
  const items = texts.map((text, nth) => ({ title: `Rents and results ${nth + 1}`, text }));
  at = openResearch({ news: { items: itemsOf('news', items) } }, roleModel(answers).model);
  return at.run({
    query: 'How did rents and results change?',
    depth: 'overview',
    deliverables: ['key_findings'],
    ...asks,
  });
}

/** The figures are noted of the first text. */
const noted = async (figures: object[], texts = [RENTS, PROFIT]) => {
  const notes = texts.map((text, nth) => note(text, text, { importance: 5 - nth, figures: nth === 0 ? figures : [] }));
  return (await research(texts, { read: notesOf(...notes) })).results;
};

it('keeps figures as the document writes them, with value, scale, unit and period', async () => {
  const results = await noted([
    figure('rise of the average rent in Vienna', 4.5, { unit: '%', period: '2025', when: '2025' }),
    figure('average rent', '2.5', { scale: 1_000_000, unit: 'EUR per block' }),
    figure('average rent', '2.5 million', { scale: 12, when: 'last year' }),
  ]);
  const document = results.documents.find(({ title }) => title.endsWith('1'))?.document;
  expect(results.findings[0]?.figures).toEqual([
    {
      ...{ label: 'rise of the average rent in Vienna', value: 4.5, text: '4.5', unit: '%', scale: 1 },
      ...{ period: '2025', when: '2025', document },
    },
    {
      ...{ label: 'average rent', value: 2_500_000, text: '2.5', unit: 'EUR per block', scale: 1_000_000 },
      ...{ period: null, document },
    },
    // A factor that is no scale, and a period of another form, are not kept.
    {
      ...{ label: 'average rent', value: 2_500_000, text: '2.5 million', unit: 'EUR', scale: 1 },
      period: null,
      document,
    },
  ]);
  expect(results.findings[1]?.figures).toBeUndefined();
  expect(results.figures_thrown_out).toBeUndefined();
});

it('has no value of a figure that can be read in two ways', async () => {
  const { findings } = await noted([figure('index', '1,608', { unit: '' })], ['The index stood at 1,608 in March.']);
  expect(findings[0]?.figures).toMatchObject([{ value: null, text: '1,608', unit: null }]);
});

it.each<[string, object]>([
  ['another number', figure('average rent', 4.6)],
  ['two numbers', figure('average rent', '4.5 to 2.5')],
  ['no number', figure('average rent', 'high')],
  ['a figure of another document', figure('result', -3, { scale: 1_000_000 })],
])('drops a figure with %s, counts it and keeps the statement', async (_what, dropped) => {
  const results = await noted([dropped]);
  expect(results.findings).toHaveLength(2);
  expect(results.findings.flatMap(({ figures = [] }) => figures)).toEqual([]);
  expect([results.figures_thrown_out, results.statements_thrown_out]).toEqual([1, 0]);
});

const rent = (year: number, euros: number) => `In ${year} the average rent in Vienna was ${euros} EUR a month.`;
const rentNotes = (...years: [year: number, euros: number][]) =>
  years.map(([year, euros]) => {
    const figures = [figure('average rent in Vienna', euros, { period: `${year}`, when: `${year}` })];
    return note(rent(year, euros), rent(year, euros), { figures });
  });

async function charted(years: [year: number, euros: number][], answers: Answers = {}) {
  const texts = years.map(([year, euros]) => rent(year, euros));
  const read = notesOf(...rentNotes(...years));
  return (await research(texts, { read, ...answers }, { deliverables: ['charts'] })).results.charts;
}

it('charts what notes say of several years', async () => {
  const [chart, ...others] = await charted([
    [2023, 910],
    [2024, 950],
    [2025, 990],
  ]);
  expect(chart).toMatchObject({ kind: 'line', unit: 'EUR', x: { labels: ['2023', '2024', '2025'] } });
  expect(chart?.series).toEqual([{ name: 'average rent in Vienna', values: [910, 950, 990] }]);
  expect(others).toEqual([]);
});

it('charts nothing that notes state differently, or that is not confirmed', async () => {
  const unsure = { [rent(2021, 840)]: { verdict: 'not_stated' as const } };
  const [chart] = await charted(
    [
      [2021, 840],
      [2022, 870],
      [2023, 910],
      [2024, 950],
      [2025, 990],
      [2025, 890],
    ],
    { verdicts: unsure },
  );
  expect(chart?.x.labels).toEqual(['2022', '2023', '2024']);
});

const VIENNA = 'The average rent in Vienna was 990 EUR in 2025.';
const GRAZ = 'The average rent in Graz was 790 EUR in 2024.';
const row = (of: string, value: string, date: string, findings: number[], more: object = {}) => ({
  ...{ figure: 'average rent', of, value, unit: 'EUR', date, findings, computed: [] as string[], ...more },
});
const TABLE = { deliverables: ['data_table'], output_format: 'html' };
const tableOf = (rows: object[], answers: Answers = {}, asks: object = {}) => {
  const read = notesOf(note(VIENNA, VIENNA), note(GRAZ, GRAZ, { importance: 4 }));
  return research([VIENNA, GRAZ], { read, write: { sections: [], rows }, ...answers }, { ...TABLE, ...asks });
};

it('puts rows of the writer into the table, each with the documents that it rests on', async () => {
  const difference = row('Vienna over Graz', '200', '', [1, 2], { computed: ['990 - 790'] });
  const { results } = await tableOf([row('Vienna', '990', '2025', [1]), row('Graz', '790', '2024', [2]), difference]);
  const [vienna = 0, graz = 0] = ['1', '2'].map(
    (nth) => results.documents.find(({ title }) => title.endsWith(nth))?.document,
  );
  expect(results.deliverables[0]?.table?.rows.map(({ cells, citations }) => [cells, citations?.at(-1)])).toEqual([
    [['average rent', 'Vienna', '990', 'EUR', '2025', 'news'], [vienna]],
    [['average rent', 'Graz', '790', 'EUR', '2024', 'news'], [graz]],
    [['average rent', 'Vienna over Graz', '200', 'EUR', '', 'news'], [vienna, graz].toSorted()],
  ]);
  const [table] = at.rendered[0]?.sections[0]?.blocks ?? [];
  expect(table).toHaveProperty('rows.0.5', { text: 'News', citations: [vienna] });
});

it.each([
  ['an invented value', row('Vienna', '1020', '2025', [1]), 'figure'],
  ['another year', row('Vienna', '990', '2021', [1]), 'figure'],
  ['wrong arithmetic', row('Vienna over Graz', '210', '', [1, 2], { computed: ['990 - 790'] }), 'figure'],
  ['a formula of invented figures', row('Vienna', '30', '', [1], { computed: ['1020 - 990'] }), 'formula'],
  ['no finding', row('Vienna', '990', '2025', []), 'figure'],
])('never publishes a row with %s, which the second look would agree to', async (_what, wrong, reason) => {
  const { results } = await tableOf([wrong, row('Graz', '790', '2024', [2])]);
  expect(results.deliverables[0]?.table?.rows.map(({ cells }) => cells[1])).toEqual(['Graz']);
  expect(results.thrown_out_for).toEqual({ [reason]: 1 });
});

it('publishes a row as the writer corrects it', async () => {
  const { computed: _, findings: __, ...corrected } = row('Vienna', '990', '2025', [1]);
  const { results } = await tableOf([row('Vienna', '1020', '2025', [1])], {
    rewrite: { statements: [{ number: 1, text: '', row: corrected, computed: [] }] },
  });
  expect(results.deliverables[0]?.table?.rows.map(({ cells }) => cells[2])).toEqual(['990']);
  expect(results.statements_thrown_out).toBe(0);
});

it.each(['mark', 'remove'])('does with a row that nothing confirms what the caller wants: %s', async (unconfirmed) => {
  const verdicts = {
    'Vienna: average rent: 990 EUR (2025)': { verdict: 'not_stated' as const, why: 'It is a guess.' },
  };
  const rows = [row('Vienna', '990', '2025', [1]), row('Graz', '790', '2024', [2])];
  const { results } = await tableOf(rows, { verdicts }, { unconfirmed });
  const marks = results.deliverables[0]?.table?.rows.map((each) => [each.cells[1], each.unconfirmed]);
  const marked = unconfirmed === 'mark' ? [['Vienna', 'It is a guess.']] : [];
  expect(marks).toEqual([...marked, ['Graz', undefined]]);
});

it('shows the second look the figures of a note with scale, unit and period', async () => {
  const figures = [figure('average rent', '2.5', { scale: 1_000_000, unit: 'EUR', period: '2025' })];
  const { model, given } = roleModel({
    read: { findings: [note(RENTS, RENTS, { figures })] },
    write: sectionsOf([1, sentence(RENTS, [1])]),
  });
  at = openResearch({ news: { items: itemsOf('news', [{ title: 'Rents', text: RENTS }]) } }, model);
  await at.run({ query: 'How did rents change?', depth: 'overview', deliverables: ['key_findings'] });
  const looked = given.find(({ role }) => role === 'look')?.messages.at(-1);
  expect(looked).toContain('"figures":["average rent: 2.5 × 1000000 EUR 2025"]');
});
