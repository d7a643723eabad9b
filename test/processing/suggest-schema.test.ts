/** Schemas that are suggested from a document: always accepted, and filled again from the same document. */
import { afterAll, describe, expect, it } from 'vitest';
import { paperOfParts } from '../../agents/processing/record/matching/find-record.ts';
import { recordPlan } from '../../agents/processing/record/record-plan.ts';
import { suggestSchema } from '../../agents/processing/record/suggest-schema.ts';
import { readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import type { Document, DocumentPart } from '../../engines/documents/document.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { parseOutputSchema } from '../../shared/agents/output-schema.ts';
import { buildRecord } from './build-record.ts';
import { sampleBytes } from './setup.ts';

const documents = openDocuments({ ...readerFilesFromCheckout(), threads: 1 });
afterAll(() => documents.close());

const signal = new AbortController().signal;
const read = (name: string): Promise<Document> =>
  documents.read({ name, bytes: sampleBytes(name) }, { organization: 'one', signal, sheets: true });
const textPart = (text: string): DocumentPart[] => [{ label: 'page 1', text }];

/** As a caller gets it. */
async function suggestionFor(sample: Pick<Document, 'parts' | 'sheets'>) {
  const found = await suggestSchema(sample);
  return found && (JSON.parse(JSON.stringify(found)) as { schema: { properties: object }; fields: object[] });
}

/** The record that a task with the schema gives for the same document. */
async function recordOf(schema: unknown, parts: readonly DocumentPart[]) {
  const parsed = parseOutputSchema(schema);
  if ('fault' in parsed) throw new Error(`${parsed.fault.path.join('.')} ${parsed.fault.message}`);
  const paper = paperOfParts(parts);
  const testPatterns = async () => [];
  return buildRecord({ plan: recordPlan(parsed.schema), paper, document: 1, testPatterns });
}

const DATE = { type: 'string', format: 'date' };

const INVOICE = `# Invoice
Invoice No.: 2026-118
Invoice date: 2 March 2026
Due date: 16 March 2026
Customer no.: 10442
Project: Harbour crane survey
Ship via: DHL Express

| Description | Quantity | Unit price | Amount |
| --- | --- | --- | --- |
| Survey of the crane | 2 | 450.00 | 900.00 |
| Report | 1 | 120.00 | 120.00 |

Subtotal: EUR 1,020.00
VAT 20%: EUR 204.00
Total: EUR 1,224.00`;

it('suggests columns whose heads have units, and none for a street above a town', async () => {
  const text = `Ahornweg 12
64372 Ober-Ramstadt

Kundennummer: 884-2201

| Position | Menge MWh | Preis €/MWh | Betrag € |
| --- | --- | --- | --- |
| Wärme | 12 | 80,00 | 960,00 |
| Warmwasser | 3 | 80,00 | 240,00 |`;
  const found = await suggestionFor({ parts: textPart(text) });
  expect(found?.schema).toMatchObject({
    properties: {
      kundennummer: { type: 'string' },
      line_items: {
        items: {
          properties: { position: {}, menge_mwh: { type: 'number' }, preis_mwh: { type: 'number' }, betrag: {} },
        },
      },
    },
  });
  expect(found?.fields.map((one) => (one as { path: string }).path)).not.toContain('ahornweg');
});

it('suggests the fields of an invoice with their types, and its lines as an array', async () => {
  const found = await suggestionFor({ parts: textPart(INVOICE) });
  expect(found?.schema).toEqual({
    type: 'object',
    properties: {
      invoice_number: { type: 'string' },
      issue_date: DATE,
      due_date: DATE,
      // An identifier is not to be added up.
      customer_no: { type: 'string', title: 'Customer no' },
      project: { type: 'string', title: 'Project' },
      ship_via: { type: 'string', title: 'Ship via' },
      subtotal: { type: 'number' },
      tax: { type: 'number' },
      total: { type: 'number' },
      currency: { type: 'string' },
      line_items: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            description: { type: 'string', title: 'Description' },
            quantity: { type: 'number', title: 'Quantity' },
            unit_price: { type: 'number', title: 'Unit price' },
            amount: { type: 'number', title: 'Amount' },
          },
        },
      },
    },
  });
  expect(found?.fields).toContainEqual({ path: 'total', example: 1224, place: 'page 1' });
  expect(found?.fields).toContainEqual({ path: 'line_items.*.unit_price', example: 450, place: 'page 1' });
  const { data, fields } = await recordOf(found?.schema, textPart(INVOICE));
  expect(fields.filter(({ status }) => status !== 'proven')).toEqual([]);
  expect(data).toMatchObject({ currency: 'EUR', total: 1224, customer_no: '10442', line_items: [{ amount: 900 }, {}] });
});

describe.each([
  ['invoice.reportlab.pdf', 'line_items'],
  ['lease-contract.libreoffice.pdf', 'rent'],
  ['budget-2026.libreoffice.xlsx', 'costs'],
  ['customers.utf8.csv', 'rows'],
  ['stock-list.libreoffice.csv', 'rows'],
  ['receipt.pillow.png', 'total'],
  ['annual-report.chromium.pdf', 'district_ashcombe'],
  ['service-manual.editor.md', 'rows'],
])('a suggestion from %s', (name, property) => {
  it('is accepted as a schema, and most of its fields are proven in the same document', async () => {
    const document = await read(name);
    const found = await suggestionFor(document);
    expect(Object.keys(found?.schema.properties ?? {})).toContain(property);
    const { fields } = await recordOf(found?.schema, document.parts);
    const proven = fields.filter(({ status }) => status === 'proven');
    expect(proven.length / fields.length).toBeGreaterThan(0.9);
  });
});

it('suggests totals that stand in the last rows of a table, and no label that the line above runs into', async () => {
  const text = `Hafenstraße 8, 20457 Hamburg USt-IdNr.: DE136695976

| Leistung | Menge | Preis | Betrag |
| --- | --- | --- | --- |
| Stückgut | 3 | 118,40 | 355,20 |
| Maut | 1 | 42,15 | 42,15 |
|  |  | Zwischensumme | 397,35 |
|  |  | MwSt. 19 % | 75,50 |
|  |  | Gesamtbetrag EUR | 472,85 |
`;
  const { schema, fields } = (await suggestionFor({ parts: textPart(text) })) ?? {};
  expect(Object.keys(schema?.properties ?? {}).join(' ')).not.toContain('hamburg');
  expect(fields).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: 'subtotal', example: 397.35 }),
      expect.objectContaining({ path: 'tax', example: 75.5 }),
      expect.objectContaining({ path: 'total', example: 472.85 }),
    ]),
  );
  expect(schema?.properties).toMatchObject({ line_items: { items: { properties: { preis: { type: 'number' } } } } });
});

it('takes the types of columns from the cells of a workbook', async () => {
  const found = await suggestionFor(await read('budget-2026.libreoffice.xlsx'));
  expect(found?.schema.properties).toMatchObject({
    costs: {
      items: {
        properties: {
          approved_on: DATE,
          budget: { type: 'number' },
          share: { type: 'number' },
          owner: { type: 'string' },
        },
      },
    },
  });
});

it('suggests nothing from a text without labels, and nothing from what a person does not see', async () => {
  const prose = 'The committee met in the town hall and decided to repair the bridge before the winter.';
  expect(await suggestionFor({ parts: textPart(prose) })).toBeUndefined();
  expect(await suggestionFor({ parts: [{ label: 'page 1', text: INVOICE, hidden: true }] })).toBeUndefined();
});

it('is accepted whatever labels, heads and sizes a document has', async () => {
  const labels = Array.from(
    { length: 2_000 },
    (_, at) => `Reading ${String.fromCharCode(97 + (at % 26))}${at}x: ${at}.5`,
  );
  const heads = Array.from(
    { length: 300 },
    (_, at) => `Col${'abcdefghij'[at % 10]}${'klmnopqrst'[Math.floor(at / 10) % 10]}${'uvw'[Math.floor(at / 100)]}`,
  );
  const hostile = [
    '__proto__: 5 EUR',
    'constructor: 7 EUR',
    'a.b.c: 8 EUR',
    '# Order __proto__',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => ' --- |').join('')}`,
    `| ${heads.map((_, at) => `${at}.25`).join(' | ')} |`,
    '',
    ...labels,
  ].join('\n');
  const found = await suggestionFor({ parts: textPart(hostile) });
  expect(found?.fields.length).toBeGreaterThan(10);
  expect(found?.fields.length).toBeLessThanOrEqual(200);
  const { fields } = await recordOf(found?.schema, textPart(hostile));
  expect(fields.some(({ status }) => status === 'proven')).toBe(true);
});

it('is accepted when names in other scripts take more bytes than letters', async () => {
  const word = (at: number) => '\u4e00'.repeat(40) + String.fromCharCode(0x4e01 + at);
  const tables = Array.from({ length: 5 }, (_, table) => {
    const heads = Array.from({ length: 25 }, (_, at) => word(table * 25 + at));
    const cells = heads.map((_, at) => `${at + 1}.25`);
    return `| ${heads.join(' | ')} |\n|${' --- |'.repeat(25)}\n| ${cells.join(' | ')} |\n\nAnd then:\n`;
  });
  const found = await suggestionFor({ parts: textPart(tables.join('\n')) });
  expect(found?.fields.length).toBeGreaterThan(50);
  expect(parseOutputSchema(found?.schema)).toHaveProperty('schema');
});

it('looks at the beginning of a long document only', async () => {
  const long = `${'A sentence of no use at all stands here.\n'.repeat(3_000)}\nProject: Harbour crane survey\n`;
  expect(await suggestionFor({ parts: textPart(long) })).toBeUndefined();
  expect(await suggestionFor({ parts: textPart(`Project: Harbour crane survey\n${long}`) })).toBeDefined();
});

it('suggests what stands without a label: the seller and the currency of a bill, and how to reach a person', async () => {
  const bill = await suggestionFor({
    parts: textPart(`Harbour Print Works Ltd
14 Quay Street, Bristol BS1 4QA

Invoice no.: HP-2026-0117
Invoice date: 3 November 2026
Subtotal: £300.00
VAT 20%: £60.00
Total due: £360.00`),
  });
  expect(bill?.fields).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: 'seller', example: 'Harbour Print Works Ltd' }),
      expect.objectContaining({ path: 'currency', example: 'GBP' }),
    ]),
  );
  const person = await suggestionFor({
    parts: textPart('Anna Lindqvist\nanna@example.org | +46 70 123 45 67 | Stockholm'),
  });
  expect(person?.schema).toEqual({
    type: 'object',
    properties: { email: { type: 'string', format: 'email' }, phone: { type: 'string' } },
  });
});

it('takes dates of text cells as dates, and numbers that name something as text', async () => {
  const rows = 'Order no.;Date;Amount\n4711;03.11.2026;12,50\n4712;04.11.2026;8,00\n';
  const { parts, sheets } = await documents.read(
    { name: 'orders.csv', bytes: Buffer.from(rows) },
    { organization: 'one', signal, sheets: true },
  );
  const found = await suggestionFor({ parts, ...(sheets ? { sheets } : {}) });
  expect(found?.schema.properties).toMatchObject({
    rows: { items: { properties: { order_no: { type: 'string' }, date: DATE, amount: { type: 'number' } } } },
  });
});
