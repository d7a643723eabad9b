/** The labelled rules: the one value of a document with this meaning, where it stands, and the other candidates. */
import { describe, expect, it } from 'vitest';
import { applyToDocument } from '../../../agents/records/matching/named-rules.ts';
import { LABELLED_NAMES, type RuleName, ruleNamed } from '../../../shared/agents/rule-names.ts';
import { expectWithin } from '../../support/expect-time.ts';

const findValues = (rule: RuleName, text: string) => applyToDocument({ parts: [{ label: 'page 1', text }] }, [rule]);
const values = async (rule: RuleName, text: string) => (await findValues(rule, text)).map(({ value }) => value);

const RECEIPT = `HARBOUR LIGHT TRADING
(002917-K)
NO. 7, JALAN PELANGI 3,
TAMAN MELATI,
43210 KAJANG, SELANGOR
TEL: 03-5550 1200
Receipt No: R-88213   Date: 04/11/2026 18:22
2 Lamp 12.50 25.00
1 Rope 4.03 4.03
Sub Total 29.03
Rounding Adj 0.02
Total RM 29.05
Cash 50.00
Change 20.95
GST Summary Amount(RM) Tax(RM)
SR 6% 27.39 1.64
Total 27.39 1.64`;

const INVOICE = `# Rechnung Nr. 2026-0417 vom 05.03.2026

### Verkäufer:

| Name: | Lampen Nord GmbH |
| --- | --- |

Käufer: Hafen AG, Kai 3

| Währung | EUR |
| --- | --- |

| Nettobetrag | 100,00 |
| --- | --- |
| Umsatzsteuer 19 % | 19,00 |
| Gesamtbetrag | 119,00 |

Zahlbar bis 04.04.2026. Lieferdatum: 01.03.2026`;

const CASES: [rule: RuleName, name: string, text: string, wanted: string[]][] = [
  ['total', 'a receipt, after rounding, as cash and change prove', RECEIPT, ['MYR 29.05']],
  ['subtotal', 'a receipt', RECEIPT, ['MYR 29.03']],
  ['currency', 'the head of a column', RECEIPT, ['MYR']],
  ['issue_date', 'a receipt', RECEIPT, ['2026-11-04']],
  ['invoice_number', 'a receipt', RECEIPT, ['R-88213']],
  ['total', 'a table of sums', INVOICE, ['EUR 119.00']],
  ['subtotal', 'a table of sums', INVOICE, ['EUR 100.00']],
  ['tax', 'a table of sums', INVOICE, ['EUR 19.00']],
  ['currency', 'its label', INVOICE, ['EUR']],
  ['currency', 'a code that is joined with the word before it', 'Soup 4.80\nTea 3.10\nTOTALGBP 7.90', ['GBP']],
  ['currency', 'a code before a number', 'Soup 4.80\nTea 3.10\nTOTAL GBP7.90', ['GBP']],
  ['currency', 'a code behind a number', 'Soup 4.80\nTea 3.10\nTOTAL 7.90EUR', ['EUR']],
  ['currency', 'no code, but the end of a word or of a number', 'PANTRY 7.90\nItem 12CAD4 7.90\n7.90EURO', []],
  ['total', 'joined with the code behind it', 'Soup 4.80\nTea 3.10\nTOTAL 7.90EUR', ['EUR 7.90']],
  [
    'tax',
    'behind the amount that it was computed on',
    'Net 100.00 EUR\nVAT 19% (100.00 EUR): 19.00 EUR\nTotal 119.00 EUR',
    ['EUR 19.00'],
  ],
  ['total', 'paid with tax', 'Total without VAT 43 EUR\nVAT paid 8.6 EUR\nTotal paid with VAT 51.6 EUR', ['EUR 51.60']],
  ['tax', 'that was paid', 'Total without VAT 43 EUR\nVAT paid 8.6 EUR\nTotal paid with VAT 51.6 EUR', ['EUR 8.60']],
  ...[
    'Total incl. VAT paid:',
    'Amount incl. VAT paid',
    'Total including GST paid',
    'Total inclusive of VAT paid',
  ].flatMap((label): typeof CASES => {
    const text = `Net 43.00\nVAT 20% 8.60\n${label} 51.60`;
    return [
      ['total', `called "${label}"`, text, ['51.60']],
      ['tax', `beside "${label}"`, text, ['8.60']],
    ];
  }),
  ['tax', 'one rate and nothing at another', 'Net 100.00\nVAT 20% 20.00\nVAT 0% 0.00\nTotal 120.00', ['20.00']],
  ['tax', 'several rates, without their sum', 'Net 150.00\nVAT 7% 7.00\nVAT 20% 10.00\nTotal 167.00', []],
  [
    'due_date',
    'a label without umlauts',
    'Rechnung 12\nRechnungsdatum: 12.05.2026\nFaellig bis: 11.06.2026',
    ['2026-06-11'],
  ],
  [
    'issue_date',
    'not of the invoice that is corrected',
    'Facture 12\nDate de facture associée : 01/01/2026\nDate : 31/01/2026',
    ['2026-01-31'],
  ],
  [
    'subtotal',
    'the same as the total without a tax',
    'Subtotal: 1,040.00 USD\nTotal due: 1,040.00 USD',
    ['USD 1040.00'],
  ],
  ['total', 'joined with the code before it', 'Soup 4.80\nTea 3.10\nTOTAL GBP7.90', ['GBP 7.90']],
  ['invoice_number', 'a heading', INVOICE, ['2026-0417']],
  ['invoice_number', 'the whole number behind its name', 'Invoice 2026-00318 of 9 February 2026', ['2026-00318']],
  ['invoice_number', 'a number sign', 'Invoice # 4711', ['4711']],
  ['issue_date', 'a heading', INVOICE, ['2026-03-05']],
  ['due_date', 'a sentence', INVOICE, ['2026-04-04']],
  ['total', 'a label below its amounts', '24.99 5.00 29.99 Total facture', ['29.99']],
  [
    'total',
    'a row of net, tax and gross',
    '| | Netto | MwSt | Brutto |\n| --- | --- | --- | --- |\n| Total | 100,00 | 19,00 | 119,00 |',
    ['119.00'],
  ],
  ['total', 'Spanish', 'Base imponible 100,00 €\nIVA 21% 21,00 €\nTotal a pagar 121,00 €', ['EUR 121.00']],
  ['subtotal', 'Italian', 'Imponibile 100,00 €\nIVA 22% 22,00 €\nTotale 122,00 €', ['EUR 100.00']],
  ['due_date', 'Italian', 'Fattura n. 12\nScadenza: 31/01/2026', ['2026-01-31']],
  [
    'issue_date',
    'not of an Italian delivery',
    'Data di consegna: 02/02/2026\nData fattura: 31/01/2026',
    ['2026-01-31'],
  ],
  ['total', 'French', 'Total HT 100,00 €\nTVA 20% 20,00 €\nTotal TTC 120,00 €', ['EUR 120.00']],
  [
    'tax',
    'labels and amounts in one line',
    'SUBTOTAL $100.00 Discount -$5.00 Sales Tax (8.5%) $8.08 TOTAL $103.08',
    ['USD 8.08'],
  ],
  [
    'total',
    'a sentence, not the last row of the items',
    '| Part | Price | Total |\n| --- | --- | --- |\n| Clip | £1.12 | £56.00 |\n| Pad | £0.21 | £10.50 |\n\nNet £66.50, VAT £13.30, gross £79.80.',
    ['GBP 79.80'],
  ],
  ['currency', 'words behind amounts', 'The fee is 1,214.80 euros, of which 20.00 euros are tax.', ['EUR']],
  ['total', 'a label above', 'Grand total\n€ 75.20', ['EUR 75.20']],
  ['issue_date', 'left of the label', '20-10-2026 Invoice date:\n15-10-2026 Order date:', ['2026-10-20']],
  [
    'due_date',
    'a column',
    '| Invoice date | Due date |\n| --- | --- |\n| 1 March 2026 | 31 March 2026 |',
    ['2026-03-31'],
  ],
  ['invoice_number', 'below its label', 'Invoice number\nINV-20871', ['INV-20871']],
  [
    'invoice_number',
    'below its label among columns',
    'Kundennr.      Rechnungsnr.     Rechnungsdatum\n47774          30064            7. Mai 2026',
    ['30064'],
  ],
  [
    'issue_date',
    'below its label among columns',
    'Kundennr.      Lieferdatum      Rechnungsdatum\n47774          1. Mai 2026      7. Mai 2026',
    ['2026-05-07'],
  ],
  [
    'due_date',
    'the whole, not less a discount',
    'Rechnung 12\nZahlbar bis 03.09.2026 mit 2 % Skonto\nZahlbar bis 19.09.2026 ohne Abzug',
    ['2026-09-19'],
  ],
  [
    'due_date',
    'a row without a discount',
    '| Payable until | Discount | Payment |\n| --- | --- | --- |\n| 03.09.2026 | 2,00 | 98,00 |\n| 19.09.2026 | | 100,00 |',
    ['2026-09-19'],
  ],
  ['due_date', 'days after the invoice', 'Invoice date: 2026-01-15\nPayment terms: Net 30', ['2026-02-14']],
  [
    'due_date',
    'days without a discount',
    'Rechnungsdatum: 15.01.2026\nZahlbar innerhalb von 10 Tagen mit 2 % Skonto, innerhalb von 30 Tagen netto.',
    ['2026-02-14'],
  ],
  ['due_date', 'a stated date, not days', 'Invoice date: 2026-01-15\nDue: 2026-02-15\nTerms: Net 30', ['2026-02-15']],
  [
    'due_date',
    'no days that are counted from something else',
    'Invoice date: 2026-01-15\nPayment within 30 days of receipt of the goods.\nPayment returns within 14 days.\nNet 45 %',
    [],
  ],
  ['due_date', 'no days without a date of issue', 'Invoice 12\nPayment terms: 30 days', []],
  ['issue_date', 'a weekday', 'Receipt 12\nTotal 5.00\nFri 04/07/2017 10:12', ['2017-04-07']],
  ['issue_date', 'a Japanese era', '請求書\n発行日: 令和6年1月15日', ['2024-01-15']],
  [
    'invoice_number',
    'beside a date that shows the column',
    'Customer Invoice-No. Date Page\n780 033 3713552 11.08.2025 1',
    ['3713552'],
  ],
  ['invoice_number', 'below the name of the document', 'Invoice\n406673826\nPage 1', ['406673826']],
  [
    'subtotal',
    'another total, as tax and total prove',
    'Total value 100.00 EUR\nVAT 19 % 19.00 EUR\nFinal amount 119.00 EUR',
    ['EUR 100.00'],
  ],
];

it.each(CASES)('%s of %s', async (rule, _, text, wanted) => {
  expect(await values(rule, text)).toEqual(wanted);
});

it('gives the place, the reason and the other candidates', async () => {
  const [total] = await findValues('total', RECEIPT);
  expect(total).toMatchObject({ rule: 'total', value: 'MYR 29.05', amount: '29.05', currency: 'MYR', text: '29.05' });
  expect(total).toMatchObject({ place: 'page 1', excerpt: 'Total RM 29.05' });
  expect(total?.reason).toContain('what was paid less the change');
  expect(total?.candidates).toContainEqual(expect.objectContaining({ value: 'MYR 1.64', place: 'page 1' }));
});

it.each(LABELLED_NAMES)('leaves %s empty without evidence', async (rule) => {
  expect(await values(rule, 'We met 14 people in May and walked along the harbour. It rained for 3 hours.')).toEqual(
    [],
  );
});

it('takes nothing from text that a person does not see', async () => {
  const parts = [{ label: 'page 1 (hidden)', text: INVOICE, hidden: true }];
  expect(await applyToDocument({ parts }, LABELLED_NAMES)).toEqual([]);
});

describe('the name of a labelled rule', () => {
  it.each([
    ['total', 'total'],
    ['invoice_number', 'invoice_number'],
    ['invoice number', 'invoice_numbers'],
    ['the total', undefined],
    ['Tax', undefined],
    ['seller', undefined],
    ['effective_date', undefined],
  ])('%j is %s', (text, name) => expect(ruleNamed(text)).toBe(name));
});

const HOSTILE = [
  'Total 1.00\n',
  'Sub total 1.00\nTax 2.00\nTotal 3.00\nCash 4.00\nChange 5.00\nRounding 0.01\n',
  'and Ab Cd, ',
  'Ab Cd ',
  '(',
  '“',
  '3 March 2026 ',
  '3 March 2026\n',
  '| 1.00 | 2.00 | 3.00 |\n',
  'Invoice no. ',
  'Invoice no. 1\n',
  'EUR ',
  '1. ',
  'Date: ',
  '\n',
];

it.each(HOSTILE)('is done soon with a long text of nothing but %j', async (hostile) => {
  const text = hostile.repeat(Math.ceil(100_000 / hostile.length));
  for (const name of LABELLED_NAMES) {
    const begun = process.threadCpuUsage();
    await findValues(name, text);
    const { user } = process.threadCpuUsage(begun);
    expectWithin(user / 1_000, 1_000, `ms of CPU for ${name}`);
  }
});

describe('text that OCR is not sure of', () => {
  /** The words between the marks were read with this confidence. */
  const unsure = (marked: string, confidence: number) => {
    const words: { start: number; end: number; confidence: number }[] = [];
    let text = '';
    for (const [at, piece] of marked.split('~').entries()) {
      if (at % 2 === 1) words.push({ start: text.length, end: text.length + piece.length, confidence });
      text += piece;
    }
    return { label: 'page 1', text, unsure: words };
  };
  const read = async (rule: RuleName, marked: string, confidence = 0.5) =>
    (await applyToDocument({ parts: [unsure(marked, confidence)] }, [rule])).map(({ value }) => value);

  it('gives no total, unless other amounts prove it', async () => {
    expect(await read('total', 'Receipt\nTotal Payable: ~31.85~')).toEqual([]);
    expect(await read('total', 'Receipt\nTotal Payable: ~31.85~', 0.65)).toEqual(['31.85']);
    expect(await read('total', 'Receipt\nSub total 30.00\nTax 1.85\nTotal Payable: ~31.85~')).toEqual(['31.85']);
    expect(await read('total', 'Total 0% goods: 18.05\nTotal 6% goods: 13.80\nTotal Payable: ~31.85~')).toEqual([
      '31.85',
    ]);
    expect(await read('total', 'Receipt\n~Totel~ Payable: 31.85')).toEqual(['31.85']);
    expect(await read('total', 'Soup 4.80\nSandwich 6.25\nTotal Payable: ~11.05~')).toEqual(['11.05']);
    expect(await read('total', 'Soup 4.80\nSandwich 6.25\nTotal Payable: ~11.06~')).toEqual([]);
    expect(await read('total', 'Soup 4.80\nCoffee 3.10\nTOTALGBP 7.90')).toEqual(['GBP 7.90']);
  });
});

describe('a total', () => {
  it.each([
    ['what other amounts contradict', 'Plastic 1.00\nTotal incl. GST 8.00\nCash 10.00\nChange 1.00', []],
    ['less than an item above it', 'Scone 7.50\nTotal included 0.42', []],
    ['the subtotal of a group that is given twice', 'Bread 30.24\nMilk 2.60\nTotal goods 19.83\nTotal goods 19.83', []],
    ['what is due', 'Scone 7.50\nRounding 0.00\nDue 7.50\nCash 20.00', ['7.50']],
    ['what a card paid after rounding', 'Total 67.98\nRounding Adj: 0.02\nVISA 68.00', ['68.00']],
    ['net and tax together, without a label', 'Total excl. GST 28.11\nGST 6% 1.69\n29.80', ['29.80']],
  ])('is not or is %s', async (_, text, wanted) => {
    expect(await values('total', `Receipt\n${text}`)).toEqual(wanted);
  });
});
