/** Records in the caller's schema from a document's labels and tables, without a model. */

import { expect, it } from 'vitest';
import { toParsedDocument } from '../../../agents/records/invoices/labelled-rules.ts';
import { recordPlan } from '../../../agents/records/record-plan.ts';
import { unsureWords } from '../../../engines/documents/ocr/ocr-words.ts';
import type { FieldStatus } from '../../../shared/agents/results/records.ts';
import { parseOutputSchema } from '../../../shared/tasks/output-schema.ts';
import { buildRecord } from './build-record.ts';

const HABITS = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };

const record = (properties: Record<string, unknown>, more: object = {}) => ({ type: 'object', properties, ...more });
const DATE = { type: 'string', format: 'date' };
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };

type Unsure = ReturnType<typeof unsureWords>;

async function recordOf(schema: unknown, text: string, accept?: FieldStatus[], unsure?: Unsure) {
  const parsed = parseOutputSchema(schema);
  if ('fault' in parsed) throw new Error(parsed.fault.message);
  const { fields, ...rest } = await buildRecord({
    plan: recordPlan(parsed.schema, accept),
    parsed: toParsedDocument([{ label: 'page 1', text, ...(unsure ? { unsure } : {}) }], HABITS),
    document: 1,
    testPatterns: async (tests) => tests.map(({ pattern, text: value }) => new RegExp(pattern, 'u').test(value)),
  });
  const field = (path: string) => fields.find((one) => one.path === path);
  return { ...rest, fields, field };
}

const RECEIPT = `NORTHGATE HARDWARE LTD
12 Mill Lane, Leeds LS1 4AB
Receipt No: R-20871
Date: 05/03/2026  14:31
Paint brush          2    8.00
Masking tape         1    3.50
Subtotal                 11.50
VAT 20%                   2.30
TOTAL                    13.80
CASH                     20.00
CHANGE                    6.20`;

it('fills total, date and number of a receipt, and says how each is known', async () => {
  const text = RECEIPT.replace('Date: ', '');
  const { data, complete, missing, field } = await recordOf(
    record({ total: NUMBER, date: DATE, receipt_number: TEXT }),
    text,
  );
  expect(data).toEqual({ total: 13.8, date: '2026-03-05', receipt_number: 'R-20871' });
  expect([complete, missing]).toEqual([true, []]);
  expect(field('total')).toMatchObject({
    status: 'proven',
    basis: [{ document: 1, place: 'page 1', quote: 'TOTAL                    13.80' }],
  });
  // No label says so: it stands beside a time.
  expect(field('date')).toMatchObject({ status: 'judged', basis: [{ quote: '05/03/2026  14:31' }] });
});

it('gives null for what is not accepted, with the value as a candidate', async () => {
  const schema = record({ total: NUMBER, date: DATE });
  const text = RECEIPT.replace('Date: ', '');
  const { data, complete, missing, field } = await recordOf(schema, text, ['proven', 'computed']);
  expect(data).toEqual({ total: 13.8, date: null });
  expect([complete, missing]).toEqual([false, ['date']]);
  expect(field('date')?.status).toBe('missing');
  expect(field('date')?.candidates[0]?.value).toBe('2026-03-05');
});

it('reads fields of any name by their labels', async () => {
  const schema = record({
    policyNumber: TEXT,
    insured_person: { type: 'string', title: 'Insured' },
    startsOn: { ...DATE, description: 'Cover begins' },
    seats: { type: 'integer' },
    smoker: { type: 'boolean' },
    tier: { enum: ['basic', 'plus'] },
    contact: { type: 'string', format: 'email' },
  });
  const text = `Policy No.: P-88/12\nInsured: Mary Jones\nCover begins: 1 April 2026\nSeats: 5\nSmoker: no\nTier: PLUS\nContact: mary@acme.org`;
  expect((await recordOf(schema, text)).data).toEqual({
    policyNumber: 'P-88/12',
    insured_person: 'Mary Jones',
    startsOn: '2026-04-01',
    seats: 5,
    smoker: false,
    tier: 'plus',
    contact: 'mary@acme.org',
  });
});

it('gives a name only to a field that a label calls like it', async () => {
  const schema = record({ company: TEXT, seller: TEXT, buyer: TEXT, address: TEXT });
  const { data } = await recordOf(schema, `${RECEIPT}\nBuyer: Lamps Ltd`);
  expect(data).toEqual({ company: null, seller: null, buyer: 'Lamps Ltd', address: null });
});

it('takes no value of another type, label or field', async () => {
  const schema = record({ weight: NUMBER, height: NUMBER, approved: { type: 'boolean' }, seats: { type: 'integer' } });
  const { data, field } = await recordOf(schema, 'Weight: unknown\nNet height: 12\nApproved: perhaps\nSeats: 2.5');
  expect(data).toEqual({ weight: null, height: null, approved: null, seats: null });
  expect(field('weight')).toMatchObject({ status: 'missing', reason: expect.stringContaining('No label') });
});

it('takes a count for no number of the same thing', async () => {
  const schema = record({ berth_code: TEXT, number_of_berths: NUMBER });
  const { data } = await recordOf(schema, 'Cabins: 3\nThe number of berths is 455.');
  expect(data).toEqual({ berth_code: null, number_of_berths: 455 });
});

it('calls two values under equal labels a conflict', async () => {
  const { data, field } = await recordOf(record({ deposit: NUMBER }), 'Deposit: 100.00\nDeposit: 120.00');
  expect(data).toEqual({ deposit: null });
  expect(field('deposit')).toMatchObject({ status: 'conflict', candidates: [{ value: 100 }, { value: 120 }] });
});

const TABLE = `# Order 77

| Item | Qty | Unit price | Amount |
| --- | --- | --- | --- |
| Bolt M8 | 1,200 | 0.15 | 180.00 |
| Washer | 300 | 0.02 | 6.00 |
| Total |  |  | 186.00 |
`;
const LINE = record({ description: TEXT, quantity: { type: 'integer' }, unit_price: NUMBER, amount: NUMBER });

it('fills an array of objects from a table, row by row, without the row of sums', async () => {
  const { data, field } = await recordOf(record({ lines: { type: 'array', items: LINE }, total: NUMBER }), TABLE);
  expect(data).toEqual({
    lines: [
      { description: 'Bolt M8', quantity: 1200, unit_price: 0.15, amount: 180 },
      { description: 'Washer', quantity: 300, unit_price: 0.02, amount: 6 },
    ],
    total: 186,
  });
  expect(field('lines.1.amount')).toMatchObject({
    status: 'proven',
    basis: [{ column: 'Amount', quote: expect.stringContaining('| Washer | 300 | 0.02 | 6.00 |') }],
  });
});

it('leaves an array empty, with a reason, when no table has its columns', async () => {
  const { data, missing, field } = await recordOf(record({ lines: { type: 'array', items: LINE } }), RECEIPT);
  expect(data).toEqual({ lines: [] });
  expect(missing).toEqual(['lines']);
  expect(field('lines')).toMatchObject({ status: 'missing', reason: expect.stringContaining('No table') });
});

it('counts as missing only what is wanted', async () => {
  const schema = record(
    { a: TEXT, b: TEXT, c: { type: ['string', 'null'] }, d: record({ e: TEXT }) },
    { required: ['a', 'c'] },
  );
  expect((await recordOf(schema, 'nothing')).missing).toEqual(['a']);
});

it('refuses values outside of bounds, lengths and patterns', async () => {
  const schema = record({
    seats: { type: 'integer', maximum: 4 },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    name: { type: 'string', maxLength: 3 },
  });
  const { data, field } = await recordOf(schema, 'Seats: 5\nCode: AB1\nName: Annabel');
  expect(data).toEqual({ seats: null, code: null, name: null });
  expect(field('seats')?.reason).toBe('The value found is more than 4.');
  expect(field('code')?.reason).toBe('The value found does not match the pattern.');
  expect(field('code')?.candidates).toMatchObject([{ value: 'AB1' }]);
});

it('fills lists of single values and fields of nested objects', async () => {
  const schema = record({
    seller: record({ name: TEXT }),
    skills: { type: 'array', items: TEXT },
    languages: { type: 'array', items: TEXT },
  });
  const text = `Skills: welding, casting; milling\n\n# Languages\n\n- English\n- Polish\n\nSeller: Acme Ltd\n\nInvoice total 5.00`;
  expect((await recordOf(schema, text)).data).toEqual({
    seller: { name: 'Acme Ltd' },
    skills: ['welding', 'casting', 'milling'],
    languages: ['English', 'Polish'],
  });
});

it('makes objects without a prototype', async () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  );
  const { data } = await recordOf(schema, 'constructor: Smith');
  expect(Object.getPrototypeOf(data)).toBeNull();
  expect(JSON.stringify(data)).toBe('{"__proto__":null,"constructor":"Smith"}');
});

// Values that follow from proven ones.

const LINES = { type: 'array', items: record({ description: TEXT, quantity: { type: 'integer' }, amount: NUMBER }) };
const SOLD = `| Item | Qty | Amount |
| --- | --- | --- |
| Bolt M8 | 1,200 | 0.10 |
| Washer | 300 | 0.20 |
| Nut | 40 | 0.33 |
`;

it('takes a number with wrong check digits only behind its label', async () => {
  const schema = record({ vat_number: { type: 'string' } });
  const { field } = await recordOf(schema, 'Tax office 201/113 USt.-Id.-Nr. : DE123456789');
  expect(field('vat_number')).toMatchObject({ status: 'proven', value: 'DE123456789', reason: 'behind its label' });
  expect((await recordOf(schema, 'Item DE123456789 of the list')).data).toEqual({ vat_number: null });
});

it.each<[string, string, Record<string, unknown>, string, number, string]>([
  [
    'a total from net and tax',
    'Net amount: 11.50\nVAT: 2.30',
    { subtotal: NUMBER, tax: NUMBER, total: NUMBER },
    'total',
    13.8,
    'sum(subtotal, tax) = 11.5 + 2.3 = 13.8',
  ],
  [
    'a net amount from total and tax',
    'VAT: 2.30\nTotal: 13.80',
    { subtotal: NUMBER, tax: NUMBER, total: NUMBER },
    'subtotal',
    11.5,
    'difference(total, tax) = 13.8 - 2.3 = 11.5',
  ],
  [
    'a sum over rows in exact decimals',
    SOLD,
    { lines: LINES, order_value: { ...NUMBER, description: 'Sum of all amounts' } },
    'order_value',
    0.63,
    'sum(lines.0.amount, lines.1.amount, lines.2.amount) = 0.1 + 0.2 + 0.33 = 0.63',
  ],
  [
    'a sum by the name of the field',
    SOLD,
    { lines: LINES, total_quantity: { type: 'integer' } },
    'total_quantity',
    1540,
    'sum(',
  ],
  ['a count of rows', SOLD, { lines: LINES, number_of_lines: { type: 'integer' } }, 'number_of_lines', 3, 'count('],
  [
    'a count of the only rows',
    SOLD,
    { goods: LINES, number_of_lines: { type: 'integer' } },
    'number_of_lines',
    3,
    'count(',
  ],
  ['a mean', SOLD, { lines: LINES, averageAmount: NUMBER }, 'averageAmount', 0.21, 'mean('],
  ['the largest of a column', SOLD, { lines: LINES, highest_quantity: NUMBER }, 'highest_quantity', 1200, 'max('],
])('computes %s, with the formula and each operand', async (_, text, properties, path, value, formula) => {
  const { data, field } = await recordOf(record(properties), text);
  expect(data[path]).toBe(value);
  expect(field(path)).toMatchObject({ status: 'computed', value, reason: expect.stringContaining(formula) });
  expect(field(path)?.basis.length).toBeGreaterThan(1);
  for (const { quote } of field(path)?.basis ?? []) expect(text).toContain(quote);
});

it.each<[string, string, Record<string, unknown>, string]>([
  [
    'of values in two currencies',
    'Net amount: EUR 11.50\nVAT: USD 2.30',
    { subtotal: NUMBER, tax: NUMBER, total: NUMBER },
    'total',
  ],
  [
    'past a delivery charge',
    'Net amount: 11.50\nVAT: 2.30\nDelivery: 4.00',
    { subtotal: NUMBER, tax: NUMBER, total: NUMBER },
    'total',
  ],
  [
    'over a column with a gap',
    SOLD.replace('0.20', 'n/a'),
    { lines: LINES, order_value: { ...NUMBER, description: 'Sum of all amounts' } },
    'order_value',
  ],
  ['for a total that only rows speak for', SOLD, { lines: LINES, total_amount: NUMBER }, 'total_amount'],
  [
    'from rows that are no line items',
    'Invoice 7\n\n| Rate | Amount |\n| --- | --- |\n| 20 % | 2.30 |\n| 5 % | 0.40 |',
    { number_of_items: { type: 'integer' }, taxes: { type: 'array', items: record({ rate: TEXT, amount: NUMBER }) } },
    'number_of_items',
  ],
  ['of rows that were cut', SOLD, { lines: { ...LINES, maxItems: 2 }, total_quantity: NUMBER }, 'total_quantity'],
  [
    'in a currency that the field does not mean',
    SOLD.replaceAll(/0\.\d\d/g, 'EUR $&'),
    { lines: LINES, order_value_usd: { ...NUMBER, description: 'Sum of amounts' } },
    'order_value_usd',
  ],
])('computes nothing %s', async (_, text, properties, path) => {
  const { data, field } = await recordOf(record(properties), text);
  expect(data[path]).toBeNull();
  expect(field(path)?.status).not.toBe('computed');
});

it('gives null for computed values where only proven ones are accepted', async () => {
  const schema = record({ subtotal: NUMBER, tax: NUMBER, total: NUMBER });
  const { data, missing } = await recordOf(schema, 'Net amount: 11.50\nVAT: 2.30', ['proven']);
  expect(data).toEqual({ subtotal: 11.5, tax: 2.3, total: null });
  expect(missing).toEqual(['total']);
});

// Documents that are written to mislead.

const STATUS = { enum: ['paid', 'unpaid', 'net', 'net 30'] };
it.each<[string, string, unknown, unknown]>([
  ['a negation before the value', 'Deposit: not 500', NUMBER, null],
  ['a negation behind the value', 'Deposit: 500 is not due', NUMBER, null],
  ['a German negation', 'Deposit: nicht 500', NUMBER, null],
  ['another label between', 'Deposit: Subtotal 500', NUMBER, null],
  ['a range', 'Deposit: 5-7', NUMBER, null],
  ['a range in words', 'Deposit: 5 to 7', NUMBER, null],
  ['a part of a number', 'Deposit: 1.2.3', NUMBER, null],
  ['a fraction', 'Deposit: 1/2', NUMBER, null],
  ['a scale word', 'Deposit: 1.2 million', NUMBER, 1_200_000],
  ['a word for about', 'Deposit: EUR 500.00', NUMBER, 500],
  ['two words of an enumeration', 'Deposit: unpaid, to be paid', STATUS, null],
  ['a word with a longer one', 'Deposit: net 30', STATUS, 'net 30'],
  ['a negated word of an enumeration', 'Deposit: not paid', STATUS, null],
  ['a word within a word', 'Deposit: prepaid', STATUS, null],
  ['a choice of two dates', 'Deposit: 3 May 2026 or 4 May 2026', DATE, null],
  ['two lines that are written differently', 'Deposit: 100\nDeposit 120', NUMBER, null],
  ['a line and a table', 'Deposit: 100\n\n| Deposit | 120 |\n| --- | --- |\n| Rent | 5 |', NUMBER, null],
])('is not misled by %s', async (_, text, leaf, value) => {
  const { data, field } = await recordOf(record({ deposit: leaf }), text);
  expect(data).toEqual({ deposit: value });
  if (value === null) expect(field('deposit')?.status).toMatch(/^(?:missing|conflict)$/);
});

it('quotes the whole value, also of a long text far in its line', async () => {
  const long = `${'word '.repeat(58)}end`;
  const { field } = await recordOf(
    record({ remark: TEXT }),
    `Some very long beginning without any label here${' '.repeat(3)}Remark: ${long}`,
  );
  expect(field('remark')?.value).toBe(long);
  expect(field('remark')?.basis[0]?.quote).toContain(long);
  expect(field('remark')?.basis[0]?.quote.length).toBeLessThanOrEqual(300);
});

const LETTERHEAD = `| Quillon Tools Ltd | INVOICE | |
| --- | --- | --- |
| 14 Quarry Lane, Sheffield S9 2LQ | | |
| | Invoice no. | QT-2026-0417 |

| Item | Qty | Unit price | Amount |
| --- | --- | --- | --- |
| Clamp 600 mm | 10 | 12.25 | 122.50 |
| Total Gym 2000 | 1 | 90.00 | 90.00 |
| | | Subtotal | 212.50 |
| | | VAT 20% | 42.50 |
| | | Total due (GBP) | 255.00 |`;

it('takes no row of sums for a line, whatever percentage or currency stands beside its label', async () => {
  const lines = { type: 'array', items: record({ description: TEXT, unit_price: NUMBER, amount: NUMBER }) };
  const { data } = await recordOf(record({ lines, total: NUMBER }), LETTERHEAD);
  expect(data).toEqual({
    lines: [
      { description: 'Clamp 600 mm', unit_price: 12.25, amount: 122.5 },
      { description: 'Total Gym 2000', unit_price: 90, amount: 90 },
    ],
    total: 255,
  });
});

it('takes no position of a line for a code', async () => {
  const order =
    '| Pos | Plant code | Qty | Total |\n| --- | --- | --- | --- |\n| 1 | R-10 | 12 | 102.00 |\n| 2 | L-3 | 40 | 158.00 |\n';
  const rows = { type: 'array', items: record({ code: TEXT, qty: NUMBER, total: NUMBER }) };
  const { data } = await recordOf(record({ rows }), order);
  expect(data.rows).toMatchObject([
    { code: null, qty: 12, total: 102 },
    { code: null, qty: 40, total: 158 },
  ]);
});

const HEATING = `Fernwärme Talheim GmbH · Am Kanal 9 · 74388 Talheim

# Jahresrechnung

| Rechnungsnr. | F-5521 |
| --- | --- |
| Rechnungsdatum | 11.02.2026 |

| Position | Zeitraum | Menge MWh | Preis €/MWh | Betrag € |
| --- | --- | --- | --- | --- |
| Wärme | 2025 | 12 | 80,00 | 960,00 |
| Grundpreis | 12 Monate | | | 140,00 |
| Nettobetrag | | | | 1.100,00 |
| zzgl. 7 % USt | | | | 77,00 |
| Rechnungsbetrag | | | | 1.177,00 |
| abzgl. Abschläge | | | | -1.000,00 |
| Nachzahlung | | | | 177,00 |

Bitte überweisen Sie die Nachzahlung bis zum 27.02.2026.`;

it('reads a bill with payments on account: units in heads, what is left to pay, and the day in a sentence', async () => {
  const items = {
    type: 'array',
    items: record({ description: TEXT, quantity: NUMBER, unit_price: NUMBER, amount: NUMBER }),
  };
  const schema = record({ due_date: DATE, total: NUMBER, amount_due: NUMBER, items });
  const { data } = await recordOf(schema, HEATING);
  expect(data).toEqual({
    due_date: '2026-02-27',
    total: 1177,
    amount_due: 177,
    items: [
      { description: 'Wärme', quantity: 12, unit_price: 80, amount: 960 },
      { description: 'Grundpreis', quantity: null, unit_price: null, amount: 140 },
    ],
  });
});

const LEASE = `This lease is made on 3 March 2026 between Ortolan Estates Ltd ("Landlord") and Wren Bakery LLP ("Tenant").

The annual rent is GBP 24,000. The previous rent was GBP 20,000.

The Tenant pays a deposit of GBP 6,000.

A penalty of GBP 500 is not due.`;

it('fills no field from an amount within a sentence, and names no party', async () => {
  const schema = record({ landlord: TEXT, tenant: TEXT, deposit: NUMBER, rent: NUMBER, penalty: NUMBER });
  expect((await recordOf(schema, LEASE)).data).toEqual({
    landlord: null,
    tenant: null,
    deposit: null,
    rent: null,
    penalty: null,
  });
});

it('reads bold labels, as lists of Markdown have them', async () => {
  const schema = record({ total: NUMBER, date: DATE, company: TEXT });
  const { data, field } = await recordOf(
    schema,
    '- **Company:** Northgate\n- **Total:** 13.80\n- __Date__: 2026-03-05',
  );
  expect(data).toEqual({ company: 'Northgate', total: 13.8, date: '2026-03-05' });
  expect(field('company')?.status).toBe('proven');
});

it.each([
  'Crew size: up to 80',
  'Crew size: less than 80',
  'Crew size: formerly 80',
  'Crew size: 80 or more',
  'Crew size: <80',
  'The crew size is at most 80.',
  'Crew size: höchstens 80',
  '| Crew size |\n| --- |\n| more than 80 |',
])('gives no number for a bound or a former value: %s', async (text) => {
  expect((await recordOf(record({ crew_size: NUMBER }), text)).data).toEqual({ crew_size: null });
});

it.each([
  ['crew_size', 'Crew size: 80 (formerly 75)'],
  ['crew_size', 'Crew size: 80, more than last year'],
  ['maximum_crew', 'Maximum crew: up to 80'],
])('gives the number of %s in %j', async (name, text) => {
  expect((await recordOf(record({ [name]: NUMBER }), text)).data).toEqual({ [name]: 80 });
});

it.each(['TOTAL QUANTITY 2', 'Total Pieces 2', 'TOTAL: 14468 868'])('takes no total from %s', async (text) => {
  expect((await recordOf(record({ total: NUMBER }), `Harbour shop\n${text}\n`)).data).toEqual({ total: null });
});

it('takes the total after rounding, and not the one before it as its rival', async () => {
  const lines = ['Rope 21.30', 'Total (Excluding GST): 21.30', 'GST 6%: 1.96', 'Total (Inclusive of GST): 23.26'];
  const text = ['NORTHGATE', ...lines, 'Rounding Adj: -0.01', 'TOTAL: 23.25'].join('\n');
  expect((await recordOf(record({ total: NUMBER }), text)).data).toEqual({ total: 23.25 });
});

it('gives the code of the currency, not the amount beside it, for a field that is a text', async () => {
  const { data } = await recordOf(
    record({ currency: TEXT, total: NUMBER }),
    'The spare part costs 258.06 euros.\nTotal: 19.50',
  );
  expect(data).toEqual({ currency: 'EUR', total: 19.5 });
});

const SPACED = `DELIVERY NOTE  No. LN-4410                     Date: 2025-02-06
From: Harbour Supplies Ltd
Ship to: Kestrel Works

Item no.   Description              Ordered  Delivered
K-100      Rope, 12 mm                   40        40
K-205      Shackle 1.5 t                 25        20
K-310      Anchor chain
Total packages: 3       Gross weight: 41.5 kg`;

it('reads columns that only white space divides, and numbers behind their words', async () => {
  const item = record({ item_number: TEXT, description: TEXT, ordered: NUMBER, delivered: NUMBER });
  const schema = record({
    delivery_note_number: TEXT,
    gross_weight_kg: NUMBER,
    total_packages: NUMBER,
    items: { type: 'array', items: item },
  });
  const { data, field } = await recordOf(schema, SPACED);
  expect(data).toEqual({
    delivery_note_number: 'LN-4410',
    gross_weight_kg: 41.5,
    total_packages: 3,
    items: [
      { item_number: 'K-100', description: 'Rope, 12 mm', ordered: 40, delivered: 40 },
      { item_number: 'K-205', description: 'Shackle 1.5 t', ordered: 25, delivered: 20 },
      { item_number: 'K-310', description: 'Anchor chain', ordered: null, delivered: null },
    ],
  });
  expect(field('items.1.delivered')?.basis[0]).toMatchObject({ column: 'Delivered' });
});

it('ends the entries at the first sum, and begins again at a row that fills the first column', async () => {
  const item = record({ description: TEXT, quantity: NUMBER, unit_price: NUMBER, amount: NUMBER });
  const text = `Pos  Leistung          Menge  Einzelpreis    Gesamt
1    Wand streichen       84         9,50    798,00
                             Zwischensumme    798,00
2    Decke streichen      40        11,00    440,00
                               Nettobetrag  1.238,00
                                 19 % MwsSt   235,22`;
  const { data } = await recordOf(record({ items: { type: 'array', items: item } }), text);
  expect(data.items).toEqual([
    { description: 'Wand streichen', quantity: 84, unit_price: 9.5, amount: 798 },
    { description: 'Decke streichen', quantity: 40, unit_price: 11, amount: 440 },
  ]);
});

it('takes no unit for a scale, and no sum to be paid for a net amount', async () => {
  const schema = record({ area: NUMBER, cable_length: NUMBER, revenue: NUMBER, net_total: NUMBER, total: NUMBER });
  const text = 'Area: 120 m²\nCable length: 35 m\nRevenue: EUR 3.4 m\nTotal HT : 2 870,00 €\nNet à payer : 3 444,00 €';
  const { data } = await recordOf(schema, text);
  expect(data).toEqual({ area: 120, cable_length: 35, revenue: 3_400_000, net_total: 2870, total: 3444 });
});

it('takes what is left to pay for the amount due, and not the total before a deposit', async () => {
  const schema = record({ total: NUMBER, amount_due: NUMBER });
  const text = 'Rechnungsbetrag: 6.400,77 EUR\nabzüglich Anzahlung: 2.000,00 EUR\nZahlbetrag: 4.400,77 EUR';
  expect((await recordOf(schema, text)).data).toEqual({ total: 6400.77, amount_due: 4400.77 });
  expect((await recordOf(record({ amount_due: NUMBER }), 'Total: 80.00')).data).toEqual({ amount_due: 80 });
});

it('takes no label beside another for its value, and a net amount that was paid for the net amount', async () => {
  const text = `Bill to:                        Ship to:
Holt Estates Ltd                Site 4, Green Rd

Total excl. VAT paid                             478.00
VAT @ 20%                                         95.60
Total incl. VAT                                  573.60`;
  const { data } = await recordOf(
    record({ bill_to: TEXT, ship_to: TEXT, total_excl_vat: NUMBER, total: NUMBER }),
    text,
  );
  expect(data).toEqual({
    bill_to: 'Holt Estates Ltd',
    ship_to: 'Site 4, Green Rd',
    total_excl_vat: 478,
    total: 573.6,
  });
});

const LIST = (items: unknown, more: object = {}) => ({ type: 'array', items, ...more });

it('fills lists in the cells of a table, and says why one is empty', async () => {
  const item = record({ sku: TEXT, price: NUMBER, tags: LIST(TEXT) });
  const text = `| SKU | Price | Tags |
| --- | --- | --- |
| A-1 | 39.90 | office; light |
| A-2 | 89.00 |  |
| A-3 | 12.00 | sale |`;
  const { data, missing, field } = await recordOf(record({ products: LIST(item) }), text);
  expect(data.products).toEqual([
    { sku: 'A-1', price: 39.9, tags: ['office', 'light'] },
    { sku: 'A-2', price: 89, tags: [] },
    { sku: 'A-3', price: 12, tags: ['sale'] },
  ]);
  expect(missing).toEqual(['products.1.tags']);
  expect(field('products.0.tags.1')).toMatchObject({ status: 'proven', basis: [{ column: 'Tags' }] });
  expect(field('products.1.tags')).toMatchObject({ status: 'missing', reason: 'The row has no list for it.' });
});

it('reads a list below its label and a heading', async () => {
  const schema = record({ skills: LIST(TEXT), languages: LIST(TEXT) });
  const text = `# Camille Rousseau

SKILLS
• Photoshop
• Rédaction web
Permis : B

## Languages

- Français

- Anglais`;
  const { data } = await recordOf(schema, text);
  expect(data).toEqual({ skills: ['Photoshop', 'Rédaction web'], languages: ['Français', 'Anglais'] });
});

it('reads prices of a piece, net amounts of lines, and rates beside amounts', async () => {
  const item = record({ description: TEXT, quantity: NUMBER, unit_price: NUMBER, amount: NUMBER });
  const schema = record({ lines: LIST(item), service: NUMBER, anzahlung: NUMBER });
  const text = `Item              Pcs   Price/pc      Net
A-frame board       2      64.00   128.00
Window vinyl        5      18.50    92.50

Net total                          220.50
Service 10%                         22.05

| abzgl. Anzahlung vom 01.09.2026 | 2.000,00 |
| --- | --- |
| zzgl. Fracht | 10,00 |`;
  const { data } = await recordOf(schema, text);
  expect(data).toEqual({
    lines: [
      { description: 'A-frame board', quantity: 2, unit_price: 64, amount: 128 },
      { description: 'Window vinyl', quantity: 5, unit_price: 18.5, amount: 92.5 },
    ],
    service: 22.05,
    anzahlung: 2000,
  });
  const both = text.replace('     Net', '  Net    Gross').replace('128.00', '128.00  153.60');
  expect(((await recordOf(schema, both)).data.lines as { amount: unknown }[])[0]?.amount).not.toBe(128);
});

it('judges what OCR read with little confidence, and proves the rest', async () => {
  const text = 'Order no: L5-77120\nTotal: 84.00';
  const unsure = [{ start: 10, end: 18, confidence: 0.41 }];
  const { fields } = await recordOf(record({ order_number: TEXT, total: NUMBER }), text, undefined, unsure);
  expect(fields.map(({ value, status }) => [value, status])).toEqual([
    ['L5-77120', 'judged'],
    [84, 'proven'],
  ]);
});

it('judges a code in which OCR may have taken a letter for a figure of the same shape, however sure it is', async () => {
  const text = 'Order no: FO18\nCustomer no: K-4723\nTotal: 84.00';
  const words = text
    .split(/\s+/)
    .map((word) => ({ text: word, confidence: 0.97, box: { x: 0, y: 0, width: 1, height: 1 } }));
  const unsure = unsureWords({ text, blocks: [{ kind: 'paragraph', text, ocr: { confidence: 0.97, words } }] });
  const schema = record({ order_number: TEXT, customer_number: TEXT, total: NUMBER });
  const { fields } = await recordOf(schema, text, undefined, unsure);
  expect(fields.map(({ value, status }) => [value, status])).toEqual([
    ['FO18', 'judged'],
    ['K-4723', 'proven'],
    [84, 'proven'],
  ]);
});

it('reads a moment whose field says `at`', async () => {
  const opened = { type: 'string', format: 'date-time' };
  const { data } = await recordOf(record({ opened_at: opened }), 'Status: open\nOpened: 2026-04-02T09:15:00Z');
  expect(data).toEqual({ opened_at: '2026-04-02T09:15:00Z' });
});

const BOXED = `| Credit note number | Credit date |  | Original invoice |
| --- | --- | --- | --- |
| CN-318 | 28 Feb 2026 |  | INV-207 |
| Reason: damaged |  |  |  |
| Description | Qty | Unit price | Amount |
| Crates | 6 | 14.00 | 84.00 |
| Freight | 1 | 25.00 | 25.00 |`;

it('reads the items below a box that stands in the same table', async () => {
  const schema = record({ credit_note_number: TEXT, lines: { type: 'array', items: LINE } });
  expect((await recordOf(schema, BOXED)).data).toEqual({
    credit_note_number: 'CN-318',
    lines: [
      { description: 'Crates', quantity: 6, unit_price: 14, amount: 84 },
      { description: 'Freight', quantity: 1, unit_price: 25, amount: 25 },
    ],
  });
});

it('keeps a row without its figures in its table', async () => {
  const text =
    '| Item | Part | Qty | Price |\n| --- | --- | --- | --- |\n| A | x | 1 | 2.00 |\n| B | y | sold | gone |\n| C | z | 3 | 4.00 |';
  const item = record({ item: TEXT, part: TEXT, qty: NUMBER, price: NUMBER });
  const { data } = await recordOf(record({ items: { type: 'array', items: item } }), text);
  expect(data.items).toHaveLength(3);
});

const BILL = `INVOICE
Pellworm Chandlery Ltd
14 Quay Street, Hull HU1 1AA

Bill to:
Marsh & Sons GmbH
Hafenstr. 12
20457 Hamburg

| Description | Quantity | Unit price | Amount |
| --- | --- | --- | --- |
| Rope 1 mm | 1 | 2.00 | 2.00 |
| Rope 2 mm | 2 | 2.00 | 4.00 |

Subtotal: 6.00
VAT (20%): 1.20
Total: 7.20`;

it('takes no quantity and price, which happen to add up to the amount, for net and tax', async () => {
  const { data, field } = await recordOf(record({ total: NUMBER, tax: NUMBER }), BILL);
  expect(data).toEqual({ total: 7.2, tax: 1.2 });
  expect(field('total')?.status).toBe('proven');
});

it('takes no tax that a total includes for the total, and reads what is left to pay on delivery', async () => {
  const { data } = await recordOf(
    record({ total: NUMBER, vat: NUMBER, deposit: NUMBER, balance_due: NUMBER }),
    `ORDER CONFIRMATION
Goods                                  822.00
Deposit                                200.00
Balance due on delivery                622.00
VAT included at 20 %                   137.00`,
  );
  expect(data).toEqual({ total: null, vat: 137, deposit: 200, balance_due: 622 });
});

it.each(['The fare of 40 was refused by the office.', 'The fare is 40 only for members.'])(
  'proves nothing by the beginning of a sentence: %s',
  async (text) => {
    expect((await recordOf(record({ fare: NUMBER }), text)).field('fare')?.status).not.toBe('proven');
  },
);
