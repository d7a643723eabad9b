/** Records of a research without a model: each field with the document that proves it, over pages of the frozen web. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ResearchResults } from '../../../shared/agents/results/research.ts';
import { HOSTS } from '../../evidence/frozen-web/names.ts';
import type { FrozenPage } from '../../evidence/frozen-web/pages.ts';
import { type FrozenWeb, frozenWeb } from '../../evidence/frozen-web/serve.ts';
import { openResearch } from './setup.ts';

const page = (at: number, title: string, body: string, more: Partial<FrozenPage> = {}): FrozenPage => {
  const url = `https://${HOSTS[at]}/record/${at}`;
  return { title, language: 'en', lead: `${title}: what is known.`, body, url, finalUrl: url, ...more };
};

const list = (...pairs: string[]): string => `</p><ul>${pairs.map((pair) => `<li>${pair}</li>`).join('')}</ul><p>`;

const table = (...rows: string[][]): string =>
  `</p><table>${rows.map((row, at) => `<tr>${row.map((cell) => (at === 0 ? `<th>${cell}</th>` : `<td>${cell}</td>`)).join('')}</tr>`).join('')}</table><p>`;

const PAGES = [
  page(0, 'Ostheim Ferry Company', list('Company: Ostheim Ferry Ltd', 'Ships: 14', 'Founded: 1921'), {
    hostile: 'Ships: 99',
  }),
  page(
    1,
    'Timetable of the Ostheim Ferry Company',
    list('Company: OSTHEIM FERRY', 'Ships: 14', 'Founded: 1922', 'write to crew@ostheim.org'),
  ),
  page(
    2,
    'Westheim Ferry Company',
    list('Company: Westheim Ferry Company', 'Captain: Mara Lind', 'Ships: 2', 'Connects to Ostheim on the coast'),
  ),
  page(
    3,
    'Ferry companies of the coast',
    table(
      ['Company', 'Ships', 'Passengers'],
      ['Nordhof Ferry Company', '7', '120000'],
      ['Ostheim Ferry Ltd', '14', '640000'],
    ),
  ),
  page(4, 'Westheim Bakery', list('Company: Westheim Bakery', 'Employees: 40')),
  page(
    5,
    'Fares per year',
    table(['Company', 'Year', 'Fares'], ['Ostheim Ferry', '2024', '12'], ['Ostheim Ferry', '2025', '13']),
  ),
];

let web: FrozenWeb;
beforeAll(async () => {
  web = await frozenWeb(PAGES);
});
afterAll(() => web.close());

let research: ReturnType<typeof openResearch>;
afterEach(() => research.close());

function run(query: string, schema: object, more: object = {}) {
  research = openResearch({});
  research.ports.openPage = web.openPage;
  research.ports.gather = async (_, source) => ({ source, items: [], faults: [], queries: 0, isSample: false });
  research.ports.searchConnector = async () => web.connector;
  return research.run({ query, sources: [], output_schema: schema as Record<string, unknown>, ...more });
}

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const COMPANY = {
  type: 'object',
  properties: { company: TEXT, ships: WHOLE, founded: WHOLE, passengers: WHOLE },
};
const ASKED = 'How many ships has the Ostheim Ferry Company?';

const fieldOf = ({ record }: ResearchResults, path: string) => record?.fields.find((field) => field.path === path);
const addressOf = ({ documents }: ResearchResults, document: number | undefined) =>
  documents.find((one) => one.document === document)?.address;

it('fills a record from pages, each value with the pages that prove it, and hidden text proves nothing', async () => {
  const { results } = await run(ASKED, COMPANY);
  const { record, output_schema: schema } = results;
  expect(record?.data).toEqual({ company: 'Ostheim Ferry Ltd', ships: 14, founded: null, passengers: null });
  expect(schema).toMatchObject({ properties: { ships: { type: ['integer', 'null'] } } });
  expect(record).toMatchObject({ complete: false, missing: ['founded', 'passengers'] });
  const ships = fieldOf(results, 'ships');
  expect(ships?.status).toBe('proven');
  expect(ships?.basis.map(({ quote }) => quote)).toEqual(['Ships: 14', 'Ships: 14']);
  expect(ships?.basis.map(({ document }) => addressOf(results, document))).toEqual([PAGES[0]?.url, PAGES[1]?.url]);
  for (const { document } of ships?.basis ?? [])
    expect(results.documents.find((one) => one.document === document)).toMatchObject({
      cited: true,
      text_by: 'page',
      snapshot: expect.stringMatching(new RegExp(`/results/sources/${document}$`)),
    });
  expect(JSON.stringify(record)).not.toContain('99');
});

it('does not say beside a complete record that the documents say nothing about the question', async () => {
  const schema = { type: 'object', properties: { company: TEXT, employees: WHOLE } };
  const { results } = await run('How large is the workforce of the Westheim Bakery?', schema, {
    deliverables: ['executive_summary'],
  });
  expect(results.record).toMatchObject({ complete: true, data: { employees: 40 } });
  expect([...results.notes, ...results.deliverables.map(({ note }) => note)].join(' ')).not.toMatch(
    /say nothing|Nothing was found/,
  );
});

it('shows a conflict of two pages with both, and takes neither', async () => {
  const founded = fieldOf((await run(ASKED, COMPANY)).results, 'founded');
  expect(founded).toMatchObject({ status: 'conflict', value: null });
  expect(founded?.candidates.map(({ value }) => value)).toEqual([1921, 1922]);
  expect(founded?.basis.map(({ quote }) => quote)).toEqual(['Founded: 1921', 'Founded: 1922']);
});

it('takes no value from a page about another company', async () => {
  const { results } = await run(ASKED, { type: 'object', properties: { company: TEXT, captain: TEXT } });
  expect(results.record?.data).toEqual({ company: 'Ostheim Ferry Ltd', captain: null });
  expect(fieldOf(results, 'captain')).toMatchObject({
    status: 'missing',
    candidates: [{ value: 'Mara Lind', reason: 'The document is about something else than the question.' }],
  });
});

it('takes values from each page that is read, in whatever words the question asks', async () => {
  const { results } = await run('Wie viele Leute arbeiten bei der Westheim Backstube?', {
    type: 'object',
    properties: { employees: WHOLE, repairs: WHOLE },
  });
  expect(results.record).toMatchObject({ data: { employees: 40, repairs: null }, missing: ['repairs'] });
  expect(addressOf(results, fieldOf(results, 'employees')?.basis[0]?.document)).toBe(PAGES[4]?.url);
});

const LIST = { type: 'array', items: COMPANY };
const LISTED = 'Which ferry companies are there on the coast?';

it('gives a row of each entity, and merges what several pages say of the same one', async () => {
  const { results } = await run(LISTED, LIST);
  expect(results.record?.data).toEqual([
    { company: 'Nordhof Ferry Company', ships: 7, founded: null, passengers: 120_000 },
    { company: 'Ostheim Ferry Ltd', ships: 14, founded: null, passengers: 640_000 },
    { company: 'Westheim Ferry Company', ships: 2, founded: null, passengers: null },
  ]);
  const quotes = fieldOf(results, '1.ships')?.basis.map(({ quote }) => quote);
  expect(quotes).toEqual(['| Ostheim Ferry Ltd | 14 | 640000 |', 'Ships: 14', 'Ships: 14']);
  expect(fieldOf(results, '1.founded')?.status).toBe('conflict');
  expect(results.output_schema).toMatchObject({ type: 'array' });
});

it('keeps the rows apart of a name that one page has twice', async () => {
  const years = { company: TEXT, year: WHOLE, fares: WHOLE };
  const { results } = await run('Fares of Ostheim Ferry per year', {
    type: 'array',
    items: { type: 'object', properties: years },
  });
  expect(results.record?.data).toEqual([
    { company: 'Ostheim Ferry', year: 2024, fares: 12 },
    { company: 'Ostheim Ferry', year: 2025, fares: 13 },
  ]);
});

it('cuts a list to its most entries, and says so', async () => {
  const { results } = await run(LISTED, { ...LIST, maxItems: 2 });
  expect(results.record?.data).toHaveLength(2);
  expect(results.record?.complete).toBe(false);
  expect(fieldOf(results, '')?.reason).toBe('The documents have more records than are taken.');
});

it('writes the record as a workbook, as CSV and into the report, with the URL of each value', async () => {
  const { report } = await run(LISTED, LIST, { output_format: 'html' });
  expect(report.files?.map(({ name }) => name)).toEqual(['report.html', 'records.xlsx', 'records.csv', 'results.json']);
  expect(await research.textOf(report, 2)).toContain('Nordhof Ferry Company,7,');
  const [document] = research.rendered;
  const section = document?.sections.at(-1);
  expect(section?.heading).toBe('Record');
  expect(JSON.stringify(section)).toContain('"text":"640000","citations"');
});

it('nulls what is not accepted, and fails with the partial record where that is asked for', async () => {
  const asked = { type: 'object', properties: { company: TEXT, mail: { type: 'string', format: 'email' } } };
  const { results } = await run(ASKED, asked);
  expect(fieldOf(results, 'mail')).toMatchObject({ status: 'judged', value: 'crew@ostheim.org' });
  research.close();
  const strict = await run(ASKED, asked, { accept: ['proven'] });
  expect(strict.results.record).toMatchObject({ data: { mail: null }, missing: ['mail'] });
  research.close();
  await expect(run(ASKED, asked, { accept: ['proven'], on_missing: 'fail' })).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'No value was found for mail. The results have the partial record.',
  });
});

it('searches for the fields that are asked', async () => {
  const { results } = await run(ASKED, COMPANY);
  expect(results.plan?.queries.at(-1)).toMatch(/company ships founded passengers$/);
});
