/** Tasks with a schema: records in the results, gaps that fail a task, and patterns that do not end. */

import * as v from 'valibot';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ProcessingInput, processingInput } from '../../../shared/agents/processing-input.ts';
import { slideWithWhiteText } from '../../engines/documents/file-builders.ts';
import { openProcessing, sampleBytes } from './setup.ts';

let at: ReturnType<typeof openProcessing>;
beforeEach(() => {
  at = openProcessing();
});
afterEach(() => at.close());

const record = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const SCHEMA = record({
  total: { type: 'number' },
  date: { type: 'string', format: 'date' },
  cash: { type: 'number' },
});

const RECEIPT =
  'NORTHGATE HARDWARE LTD\n12 Mill Lane, Leeds LS1 4AB\nReceipt\nDate: 05/03/2026\nTOTAL 13.80\nCASH 20.00\nCHANGE 6.20';
const invoice = () => at.serve('invoice.pdf', sampleBytes('invoice.reportlab.pdf'));

it('has one record a document, in the schema that allows null, and no other values unless asked', async () => {
  const { results, report } = await at.run({
    documents: [at.serve('r.txt', RECEIPT), invoice()],
    output_schema: SCHEMA,
  });
  expect(results.rules).toEqual([]);
  expect(results.output_schema).toMatchObject({ properties: { total: { type: ['number', 'null'] } } });
  expect(results.records?.map(({ document, data, complete }) => ({ document, data: { ...data }, complete }))).toEqual([
    { document: 1, data: { total: 13.8, date: '2026-03-05', cash: 20 }, complete: true },
    // This invoice was not paid in cash.
    { document: 2, data: { total: 7288.8, date: '2026-02-09', cash: null }, complete: false },
  ]);
  expect(results.records?.[1]?.missing).toEqual(['cash']);
  expect(report.confidence?.analysisCompleteness).toBe(0.83);
});

it('applies named rules beside the schema when they are asked for', async () => {
  const documents = [at.serve('r.txt', RECEIPT)];
  const { results } = await at.run({ documents, output_schema: SCHEMA, extraction_rules: ['dates'] });
  expect(results.rules).toEqual([{ rule: 'dates', kind: 'named', found: 1 }]);
  expect(results.records).toHaveLength(1);
});

it('fails with the partial record when nothing may be missing', async () => {
  const documents = [at.serve('r.txt', RECEIPT)];
  const asks: ProcessingInput = {
    documents,
    output_schema: record({ total: { type: 'number' }, iban: { type: 'string' } }),
    on_missing: 'fail',
  };
  await expect(at.run(asks)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'Document 1 has no value for iban. The results have the partial records.',
  });
  const { results } = await at.run(asks, { most: 1 });
  expect(results.records?.[0]).toMatchObject({ data: { total: 13.8, iban: null }, missing: ['iban'] });
});

it('takes nothing from hidden text', async () => {
  const page = '<p>Total: 10.00</p><p style="display:none">Deposit: 99.00</p>';
  const { results } = await at.run({
    documents: [at.serve('p.html', page)],
    output_schema: record({ deposit: { type: 'number' } }),
  });
  expect(results.records?.[0]?.data).toEqual({ deposit: null });
});

it('takes nothing from white text of a slide', async () => {
  const { results } = await at.run({
    documents: [at.serve('fees.pptx', slideWithWhiteText())],
    output_schema: record({ 'fee of the harbour': { type: 'number' }, link: { type: 'string', format: 'uri' } }),
  });
  expect(results.records?.[0]?.data).toEqual({ 'fee of the harbour': 3, link: null });
});

it('gives up on a pattern that does not end, without harm to the other fields', async () => {
  const output_schema = record({
    code: { type: 'string', pattern: `^${'a*'.repeat(60)}b$` },
    total: { type: 'number' },
  });
  const { results } = await at.run({
    documents: [at.serve('r.txt', `Code: ${'a'.repeat(200)}\nTotal: 5.00`)],
    output_schema,
  });
  expect(results.records?.[0]?.data).toEqual({ code: null, total: 5 });
  expect(results.records?.[0]?.fields[0]?.reason).toBe('The patterns of the schema took too long to be tested.');
}, 60_000);

const issuesOf = (input: unknown) =>
  v
    .safeParse(
      processingInput(() => undefined),
      input,
    )
    .issues?.map(({ path, message }) => [path?.map(({ key }) => key).join('.'), message]);
const documents = [{ url: 'https://files.acme.org/a.pdf' }];

it('names the keyword of a schema that is not supported by its path', () => {
  const output_schema = record({
    lines: { type: 'array', items: record({ code: { type: 'string', format: 'uuid' } }) },
  });
  expect(issuesOf({ documents, output_schema })).toEqual([
    ['output_schema.properties.lines.items.properties.code.format', 'must be one of date, date-time, email, uri'],
  ]);
  expect(issuesOf({ documents, output_schema: 'total' })).toEqual([
    ['output_schema', expect.stringContaining('JSON Schema')],
  ]);
  expect(
    issuesOf({ documents, output_schema: SCHEMA, on_missing: 'fail', accept: ['proven', 'computed'] }),
  ).toBeUndefined();
  expect(issuesOf({ documents, accept: ['missing'] })).toEqual([
    ['accept.0', expect.stringContaining('proven, computed, judged, unverified')],
  ]);
});

const LINES =
  '| Item | Qty | Amount |\n| --- | --- | --- |\n| Bolt | 2 | 3.50 |\n| =1+1 | 1 | 4.00 |\n\nOrdered on: 5 March 2026\nTotal: 7.50\n';
const ORDER = record({
  total: { type: 'number' },
  ordered_on: { type: 'string', format: 'date' },
  lines: {
    type: 'array',
    items: record({ item: { type: 'string' }, qty: { type: 'integer' }, amount: { type: 'number' } }),
  },
});

it.each([
  [
    'csv',
    [
      '\uFEFFdocument,name,total,ordered_on,lines.item,lines.qty,lines.amount,grade,to_check',
      '1,o.md,7.5,2026-03-05,Bolt,2,3.5,proven,',
      "1,o.md,7.5,2026-03-05,'=1+1,1,4,proven,",
      '',
    ].join('\r\n'),
  ],
  ['markdown', expect.stringContaining('| 1 | o.md | 7.5 | 2026-03-05 | Bolt | 2 | 3.5 | proven |')],
  ['markdown', expect.stringMatching(/\| total \| proven \| 7\.5 \|.*Total: 7\.50/)],
  ['jsonl', expect.stringMatching(/^\{"document":1,"data":\{"total":7\.5,"ordered_on":"2026-03-05","lines":\[.*\n$/)],
] as const)('writes the records as %s', async (output_format, text) => {
  const { report } = await at.run({ documents: [at.serve('o.md', LINES)], output_schema: ORDER, output_format });
  expect((await at.fileOf(report)).toString('utf8')).toEqual(text);
});

it('writes a workbook with typed cells, a sheet for the rows of each array, and one of the evidence', async () => {
  const { report } = await at.run({
    documents: [at.serve('o.md', LINES)],
    output_schema: ORDER,
    output_format: 'xlsx',
  });
  const bytes = await at.fileOf(report);
  const { sheets = [] } = await at.documents.read({ name: 'r.xlsx', bytes }, { organization: 'o', sheets: true });
  const typesIn = (sheet: string) =>
    sheets
      .find(({ name }) => name === sheet)
      ?.tables[0]?.rows.map((row) => row.map(({ type, value }) => [type, value]));
  expect(typesIn('Records')).toEqual([
    [
      ['number', 1],
      ['text', 'o.md'],
      ['boolean', true],
      ['number', 7.5],
      ['date', '2026-03-05'],
      ['text', 'proven'],
      ['empty', null],
    ],
  ]);
  expect(typesIn('lines')?.map((row) => row.slice(2, 6))).toEqual([
    [
      ['text', 'Bolt'],
      ['number', 2],
      ['number', 3.5],
      ['text', 'proven'],
    ],
    [
      ['text', '=1+1'],
      ['number', 1],
      ['number', 4],
      ['text', 'proven'],
    ],
  ]);
  expect(sheets.find(({ name }) => name === 'Evidence')?.tables[0]?.rowCount).toBe(8);
  expect(typesIn('Evidence')?.flat()).toContainEqual(['date', '2026-03-05']);
});

it('reads stored files of the organization without any address, and no file of another one', async () => {
  const own = await at.store('receipt.txt', RECEIPT);
  const foreign = await at.store('secret.txt', RECEIPT, at.ids.uuid());
  const { results } = await at.run({ documents: [own, foreign, { file_id: 'x' }], output_schema: SCHEMA });
  expect(results.records).toMatchObject([{ document: 1, data: { total: 13.8 } }]);
  expect(results.documents).toMatchObject([
    { url: `/files/${own.file_id}`, name: 'receipt.txt', status: 'processed' },
    { status: 'failed', reason: 'gone', message: 'was deleted, or has expired' },
    { status: 'failed', reason: 'gone' },
  ]);
  expect(at.asked).toEqual([]);
});

it('takes either an address or a file for each document', () => {
  const url = 'https://files.acme.org/a.pdf';
  expect(issuesOf({ documents: [{ file_id: 'x' }, { url }] })).toBeUndefined();
  expect(issuesOf({ documents: [{}] })).toEqual([['documents.0.url', 'is required, or file_id instead']]);
  expect(issuesOf({ documents: [{ url, file_id: 'x' }] })).toEqual([
    ['documents.0.file_id', 'must not be given beside url'],
  ]);
});

const bill = (number: string, rows: readonly string[]) =>
  ['INVOICE', `Invoice number: ${number}`, '', '| Article | Amount |', '| --- | --- |', ...rows].join('\n');
const INVOICES = record({
  invoices: {
    type: 'array',
    items: record({
      number: { type: 'string', title: 'Invoice number' },
      lines: { type: 'array', items: record({ article: { type: 'string' }, amount: { type: 'number' } }) },
    }),
  },
});

it('takes each document for an entry with its lines, where the schema is nothing but a list of them', async () => {
  const documents = [
    at.serve('a.md', bill('A-17', ['| Rope | 2.00 |', '| Hook | 4.00 |'])),
    at.serve('b.md', bill('B-18', ['| Sail | 9.00 |'])),
  ];
  const { results, report } = await at.run({ documents, output_schema: INVOICES, output_format: 'csv' });
  expect(results.records?.map(({ data }) => JSON.parse(JSON.stringify(data)))).toEqual([
    {
      invoices: [
        {
          number: 'A-17',
          lines: [
            { article: 'Rope', amount: 2 },
            { article: 'Hook', amount: 4 },
          ],
        },
      ],
    },
    { invoices: [{ number: 'B-18', lines: [{ article: 'Sail', amount: 9 }] }] },
  ]);
  expect(results.records?.[0]?.fields.map(({ path }) => path)).toContain('invoices.0.lines.1.amount');
  expect((await at.fileOf(report)).toString().split('\r\n').slice(0, 4)).toEqual([
    '\ufeffdocument,name,number,lines.article,lines.amount,grade,to_check',
    '1,a.md,A-17,Rope,2,proven,',
    '1,a.md,A-17,Hook,4,proven,',
    '2,b.md,B-18,Sail,9,proven,',
  ]);
});

it('takes the rows of a table for entries, and says why they have no lines of their own', async () => {
  const table = '| Invoice number | Date |\n| --- | --- |\n| A-17 | 2026-03-01 |\n| B-18 | 2026-03-02 |';
  const { results } = await at.run({ documents: [at.serve('t.md', table)], output_schema: INVOICES });
  expect(JSON.parse(JSON.stringify(results.records?.[0]?.data))).toEqual({
    invoices: [
      { number: 'A-17', lines: [] },
      { number: 'B-18', lines: [] },
    ],
  });
  expect(results.records?.[0]?.missing).toEqual(['invoices.0.lines', 'invoices.1.lines']);
});
