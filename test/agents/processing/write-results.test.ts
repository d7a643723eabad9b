/** The files of results: read back by the product's own readers, and safe in a spreadsheet. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultsOf } from '../../../agents/processing/results.ts';
import { planOf } from '../../../agents/processing/state.ts';
import { csvOf, recordFiles, writeFile } from '../../../agents/processing/write-results.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { DOCUMENT_LIMITS, startBudget } from '../../../engines/documents/document.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { openZip } from '../../../engines/documents/zip.ts';
import { writeXlsx } from '../../../engines/outputs/workbook.ts';
import type { ProcessingResults, RuleValue } from '../../../shared/agents/results/processing.ts';
import type { FieldResult, FieldStatus } from '../../../shared/agents/results/records.ts';

const value = (text: string, more: object = {}): RuleValue => ({
  rule: 'amounts',
  value: text,
  text,
  place: 'page 1',
  excerpt: `here ${text} stands`,
  ...more,
});

function resultsWith(values: RuleValue[]): ProcessingResults {
  const input = { documents: [{ url: 'https://a.errand-tests.org/x.pdf' }], extraction_rules: ['amounts'] };
  const plan = planOf(input, 'offline/extractive');
  return resultsOf(plan, {
    documents: [
      {
        document: 1,
        url: 'https://a.errand-tests.org/x.pdf',
        name: 'x, "y".pdf',
        type: null,
        status: 'processed',
        kind: 'pdf',
        size_bytes: 1,
        places: 1,
        characters: 1,
        quality: 1,
        values,
        values_left_out: 0,
        asked: [],
      },
    ],
  });
}

const documents = openDocuments(readerFilesFromCheckout());
afterAll(() => documents.close());

describe('CSV', () => {
  it.each(['=1+1', '+49 761', '-2+3', '@SUM(A1)', '\tx', '|calc', '-', "=cmd|' /C calc'!A0"])(
    'holds no formula for %j',
    (text) => {
      const line = csvOf(resultsWith([value(text)])).split('\r\n')[1] ?? '';
      expect(line).toContain(`'${text.replaceAll('"', '""')}`);
      expect(line).not.toMatch(/(^|,)"?[=+@|\t-]/);
    },
  );

  it.each(['-14620.00', '7.5%', '12'])('leaves the number %s as it is', (text) => {
    expect(csvOf(resultsWith([value(text)])).split('\r\n')[1]).toContain(`,amounts,${text},`);
  });

  it('is read as rows and cells, whatever marks stand in them', async () => {
    const bytes = Buffer.from(csvOf(resultsWith([value('a "quoted", text\nof two lines'), value('second')])));
    const { kind, parts } = await documents.read({ bytes, name: 'results.csv' }, { organization: 'tests' });
    expect(kind).toBe('csv');
    expect(parts[0]?.text.split('\n')).toHaveLength(4);
    expect(parts[0]?.text).toContain('| x, "y".pdf | amounts | a "quoted", text of two lines |');
  });
});

describe('XLSX', () => {
  let texts: string[] = [];
  beforeAll(async () => {
    const table = value('Item | Price', { rule: 'tables', header: ['Item', 'Price'], rows: [['Lamp', '12,50']] });
    const { bytes } = writeFile(resultsWith([value('=1+1'), value('<b>&\u0001"'), table]), 'xlsx');
    const { kind, parts } = await documents.read({ bytes, name: 'results.xlsx' }, { organization: 'tests' });
    expect(kind).toBe('xlsx');
    texts = parts.map(({ label, text }) => `${label}\n${text}`);
  });

  it('has a sheet each for values, merged values, documents and every table', () => {
    expect(texts.map((text) => text.split('\n')[0])).toEqual([
      'sheet Values',
      'sheet Merged',
      'sheet Documents',
      'sheet Table 1 x, "y".pdf',
    ]);
    expect(texts[3]).toContain('| Lamp | 12,50 |');
  });

  it('has numbers and dates as such, amounts apart from their currency, and no empty sheets of rules', () => {
    const results = resultsWith([value('EUR 4.50', { amount: '4.50', currency: 'EUR' }), value('2026-11-02')]);
    const sheetsOf = (given: ProcessingResults) => {
      const zip = openZip(Buffer.from(writeFile(given, 'xlsx').bytes), startBudget(DOCUMENT_LIMITS));
      const names = zip
        .entry('xl/workbook.xml')
        ?.toString()
        .match(/sheet name="[^"]*"/g);
      return { names, first: zip.entry('xl/worksheets/sheet1.xml')?.toString() ?? '' };
    };
    const { first } = sheetsOf(results);
    for (const number of ['1', '4.50', '46328']) expect(first).toContain(`<v>${number}</v>`);
    expect(sheetsOf({ ...results, rules: [] }).names).toEqual(['sheet name="Documents"']);
  });

  it('keeps every text as it is, and none as a formula', () => {
    expect(texts[0]).toContain('| =1+1 | =1+1 | page 1 |');
    expect(texts[0]).toContain('<b>& "');
    const zip = openZip(Buffer.from(writeXlsx([{ name: 'A', rows: [['=1+1']] }])), startBudget(DOCUMENT_LIMITS));
    const sheet = zip.entry('xl/worksheets/sheet1.xml')?.toString() ?? '';
    expect(sheet).toContain('t="inlineStr"');
    expect(sheet).not.toContain('<f>');
  });

  it('links checked HTTPS addresses alone', () => {
    const link = (value: string) => ({ type: 'link' as const, value });
    const urls = [
      'https://a.errand-tests.org/?a=1&b="',
      'javascript:alert(1)',
      '/files/1',
      `https://x.org/${'y'.repeat(3_000)}`,
    ];
    const bytes = Buffer.from(writeXlsx([{ name: 'A', rows: [['url'], ...urls.map((url) => [link(url)])] }]));
    const zip = openZip(bytes, startBudget(DOCUMENT_LIMITS));
    const relations = zip.entry('xl/worksheets/_rels/sheet1.xml.rels')?.toString() ?? '';
    expect(relations.match(/Target="[^"]*"/g)).toEqual(['Target="https://a.errand-tests.org/?a=1&amp;b=&quot;"']);
    const sheet = zip.entry('xl/worksheets/sheet1.xml')?.toString() ?? '';
    expect(sheet.match(/<hyperlink [^>]*>/g)).toEqual(['<hyperlink ref="A2" r:id="rId1"/>']);
  });

  it('leads from a cell to a row of another sheet, under the name that it got', () => {
    const rows = [['name'], [{ type: 'reference' as const, value: "it's", sheet: "o'ne", row: 7 }]];
    const bytes = Buffer.from(
      writeXlsx([
        { name: "o'ne", rows: [['x']] },
        { name: 'two', rows },
      ]),
    );
    const zip = openZip(bytes, startBudget(DOCUMENT_LIMITS));
    const sheet = zip.entry('xl/worksheets/sheet2.xml')?.toString() ?? '';
    expect(sheet).toContain(`<hyperlink ref="A2" location="'o ne'!A7"/>`);
    expect(zip.entry('xl/worksheets/_rels/sheet2.xml.rels')).toBeUndefined();
  });

  it('takes sheets of one name, and of names that a spreadsheet refuses', async () => {
    const rows = [['x', 'y']];
    const names = ['a/b:c', 'A b c', 'x'.repeat(60), 'x'.repeat(60), '', "'"];
    const bytes = writeXlsx(names.map((name) => ({ name, rows })));
    const { parts } = await documents.read({ bytes, name: 'a.xlsx' }, { organization: 'tests' });
    const labels = parts.map(({ label }) => label.slice('sheet '.length));
    expect(new Set(labels.map((label) => label.toLowerCase())).size).toBe(names.length);
    expect(labels.every((label) => label.length <= 31 && !/[\\/?*[\]:']/.test(label))).toBe(true);
  });
});

it('Markdown shows documents, merged values and each value where it stands', () => {
  const text = writeFile(resultsWith([value('a | b')]), 'markdown').bytes.toString();
  expect(text).toContain('# Results');
  expect(text).toContain('| amounts | a \\| b | page 1 | here a \\| b stands |');
});

it('shows beside a document that failed what was wrong with it', () => {
  const results = resultsWith([]);
  const failed = { document: 2, url: 'https://a.errand-tests.org/b.pdf', name: 'b.pdf', type: null };
  const wrong = { status: 'failed', reason: 'corrupt', message: 'The file is damaged.' } as const;
  const documents = [...results.documents, { ...failed, ...wrong }];
  expect(writeFile({ ...results, documents }, 'markdown').bytes.toString()).toMatch(
    /\| b\.pdf \|[^\n]*failed[^\n]*The file is damaged\./,
  );
});

it('JSON is all of it', () => {
  const results = resultsWith([value('x')]);
  expect(JSON.parse(writeFile(results, 'json').bytes.toString())).toEqual(results);
});

describe('the grades of records', () => {
  const basis = { document: 1, place: 'page 2', quote: 'IBAN DE12', looked_by: 'verify_model' as const };
  const field = (path: string, status: FieldStatus, value: FieldResult['value'], more: object = {}): FieldResult => ({
    path,
    status,
    value,
    basis: value === null ? [] : [basis],
    reason: 'r',
    candidates: [],
    ...more,
  });
  const schema = {
    properties: {
      total: { type: 'number' },
      iban: { type: 'string' },
      note: { type: 'string' },
      lines: { type: 'array', items: { type: 'object', properties: { item: { type: 'string' } } } },
    },
  };
  const whole = {
    document: 1,
    name: 'a.pdf',
    url: '',
    data: { total: 5, iban: null, note: null, lines: [{ item: 'Bolt' }, { item: null }] },
    complete: false,
    missing: ['iban', 'lines.1.item'],
  };
  const iban = field('iban', 'unverified', null, {
    candidates: [{ value: 'DE12', basis, reason: 'No second look.' }],
  });
  const fields = [
    field('total', 'judged', 5),
    iban,
    field('note', 'missing', null),
    field('lines.0.item', 'proven', 'Bolt'),
    field('lines.1.item', 'missing', null),
  ];
  const filesOf = (own: readonly FieldResult[]) =>
    new Map(recordFiles({ schema, records: [{ ...whole, fields: [...own] }] }).map(({ name, bytes }) => [name, bytes]));
  const csvRows = (own: readonly FieldResult[]) => String(filesOf(own).get('records.csv')).trim().split('\r\n');

  it('are the weakest of the fields in a row of the CSV file, and not that of a field that may be null', () => {
    expect(csvRows(fields)).toEqual([
      'document,name,total,iban,note,lines.item,grade,to_check',
      '1,a.pdf,5,,,Bolt,unverified,iban (unverified)',
      '1,a.pdf,5,,,,unverified,"iban (unverified), lines.1.item (missing)"',
    ]);
    expect(csvRows([field('total', 'computed', 5), ...fields.slice(2)])[1]).toBe('1,a.pdf,5,,,Bolt,computed,');
  });

  it('name about 500 characters of fields to check', () => {
    const many = Array.from({ length: 60 }, (_, at) => field(`field_${10 + at}`, 'unverified', 1));
    const [, first = ''] = csvRows(many);
    expect(first).toMatch(/,unverified,"field_10 \(unverified\), .*, and \d+ more"$/);
    expect(first.length).toBeLessThan(560);
    expect((first.match(/\(unverified\)/g) ?? []).length + Number(/and (\d+) more/.exec(first)?.[1])).toBe(60);
  });

  it('stand in the sheets of the workbook, beside who looked again and what a null field may be', async () => {
    const bytes = filesOf(fields).get('records.xlsx') ?? Buffer.of();
    const { parts } = await documents.read({ bytes, name: 'records.xlsx' }, { organization: 'tests' });
    const sheet = (name: string) => parts.find(({ label }) => label.includes(name))?.text ?? '';
    expect(sheet('Records')).toContain('| unverified | iban (unverified) |');
    expect(sheet('lines')).toContain('| Bolt | proven |');
    const evidence = sheet('Evidence').split('\n');
    expect(evidence.find((line) => line.includes('| total |'))).toContain('| r | verify_model |');
    expect(evidence.find((line) => line.includes('| iban |'))).toContain('| DE12 | No second look. |');
  });
});
