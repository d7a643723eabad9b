/** The named rules: what they take, what they leave, and that no text holds them up. */
import { describe, expect, it } from 'vitest';
import {
  applyRules,
  NAMED_RULES,
  piecesOf,
  RULE_NAMES,
  type RuleName,
  ruleNamed,
} from '../../agents/processing/rules/named-rules.ts';

const LIVING = new AbortController().signal;

async function found(rule: RuleName, text: string) {
  return applyRules([{ label: 'page 1', text }], [rule], LIVING);
}
const values = async (rule: RuleName, text: string) => (await found(rule, text)).map(({ value }) => value);

it('take nothing from text that a person does not see', async () => {
  const parts = [
    { label: 'page 1', text: 'due on 3 March 2026' },
    { label: 'page 1 (hidden)', text: 'due on 4 April 2026', hidden: true },
  ];
  const dates = await applyRules(parts, ['dates'], LIVING);
  expect(dates.map(({ value, place }) => [value, place])).toEqual([['2026-03-03', 'page 1']]);
});

const CASES: [rule: RuleName, text: string, wanted: string[]][] = [
  ['dates', 'on 3 March 2026, the 3rd of March 2026, March 3, 2026 and 2026-03-03', Array(4).fill('2026-03-03')],
  [
    'dates',
    'am 3. März 2026, le 1er mars 2026, el 3 de marzo de 2026, il 3 marzo 2026',
    ['2026-03-03', '2026-03-01', '2026-03-03', '2026-03-03'],
  ],
  ['dates', '31.12.2026, 31/12/2026, 12/31/26, 2026/12/31', Array(4).fill('2026-12-31')],
  ['dates', '31 June 2026, 30.02.2026, 2026-13-01, version 1.2.2026.4', []],
  ['dates', 'in March 2026, not in 2026 and not on 3 March', ['2026-03']],
  ['dates', 'sent 2026-04-02T06:30:00.000Z', ['2026-04-02']],
  [
    'amounts',
    '€1,234.56 1.234,56 € EUR 1 234,56 CHF 1’234.56',
    ['EUR 1234.56', 'EUR 1234.56', 'EUR 1234.56', 'CHF 1234.56'],
  ],
  [
    'amounts',
    '$2.35m, 3,5 Mio. €, 2.4 millions d’euros, £10k, USD 1.2 billion',
    ['USD 2350000.00', 'EUR 3500000.00', 'EUR 2400000.00', 'GBP 10000.00', 'USD 1200000000.00'],
  ],
  ['amounts', '-€50.00 and € -50.00', ['EUR -50.00', 'EUR -50.00']],
  ['amounts', '84 panels of 36.5 kW, 12 per cent, page 3, 1.2.3 EURO', []],
  ['amounts', '| Item | Price (EUR) | Pieces |\n| --- | --- | --- |\n| Lamp | 12,50 | 1.250 |', ['EUR 12.50']],
  ['amounts', '| Item | Total |\n| --- | --- |\n| Lamps | 12 |\n| Sum | 12.00 |', ['12.00']],
  ['percentages', '7.9 per cent, 12,5 %, two percent, 3 Prozent, -4%', ['7.9%', '12.5%', '2%', '3%', '-4%']],
  ['percentages', '| Year | Loss in per cent |\n| --- | --- |\n| 2025 | 7,8 |', ['7.8%']],
  [
    'parties',
    'between Harbour Estates Ltd and Bergmann & Fils Optics GmbH',
    ['Harbour Estates Ltd', 'Bergmann & Fils Optics GmbH'],
  ],
  ['parties', 'Buyer: Museum of Rail Heritage, York', ['Museum of Rail Heritage']],
  ['parties', 'Ms Ludmila Černá, born on 9 May 1991 (the Employee)', ['Ludmila Černá']],
  ['parties', 'The buyer pays. A customer: pays late. 8000 AB and LTD.', []],
  ['addresses', 'Lindenstraße 14, 79098 Freiburg', ['Lindenstraße 14, 79098 Freiburg']],
  ['addresses', '1450 Harbor Blvd, Suite 210, Oakland, CA 94607', ['1450 Harbor Blvd, Suite 210, Oakland, CA 94607']],
  ['addresses', '27 rue des Tanneurs\n59000 Lille', ['27 rue des Tanneurs, 59000 Lille']],
  ['addresses', 'We met 14 people in Road 7 and 12 lawyers.', []],
  ['emails', 'write to Ann.Lee+x@mail.acme-tools.org, not to a@b or @c.org', ['ann.lee+x@mail.acme-tools.org']],
  [
    'phone_numbers',
    'Tel. 0117 555 0122, +44 (0)20 7946 0958, (510) 555-0136',
    ['01175550122', '+442079460958', '5105550136'],
  ],
  ['phone_numbers', 'order 88-20417, 555 0100 pieces, 2026-03-03', []],
  [
    'urls',
    'see https://acme-tools.org/a?b=1, or www.acme-tools.org.',
    ['https://acme-tools.org/a?b=1', 'www.acme-tools.org'],
  ],
  [
    'ibans',
    'IBAN DE89 3704 0044 0532 0130 00 or GB82WEST12345698765432',
    ['DE89370400440532013000', 'GB82WEST12345698765432'],
  ],
  ['ibans', 'DE89 3704 0044 0532 0130 01 is none', []],
  [
    'vat_numbers',
    'VAT FR 61 482 915 337, ATU62345678, NL 8200 98 765 B01',
    ['FR61482915337', 'ATU62345678', 'NL820098765B01'],
  ],
  [
    'invoice_numbers',
    'Invoice No. INV-20871, Rechnung Nr. 2026/117, Facture n° F2026-0093',
    ['INV-20871', '2026/117', 'F2026-0093'],
  ],
  ['invoice_numbers', 'Invoice date: 03.03.2026. The invoice 2026 was paid. Invoice total 12.50', []],
  ['tables', '| A | B |\n| --- | --- |\n| 1 | 2 |', ['A | B']],
  ['key_value_pairs', 'Net pay: 12 EUR\nA sentence that is much too long to be a key: value', ['Net pay = 12 EUR']],
];

it.each(CASES)('%s in %j', async (rule, text, wanted) => {
  expect(await values(rule, text)).toEqual(wanted);
});

it('takes dates in figures as the document itself writes them', async () => {
  expect(await values('dates', '03/04/2026 and 25/04/2026')).toEqual(['2026-04-03', '2026-04-25']);
  expect(await values('dates', '03/04/2026 and 04/25/2026')).toEqual(['2026-03-04', '2026-04-25']);
});

it('says when a date can be read in two ways, and what the other one is', async () => {
  expect(await found('dates', 'on 03/04/2026, for €5')).toMatchObject([
    { value: '2026-04-03', ambiguous: true, or: '2026-03-04' },
  ]);
  expect(await found('dates', 'on 03/04/2026, for $5')).toMatchObject([
    { value: '2026-03-04', ambiguous: true, or: '2026-04-03' },
  ]);
  expect((await found('dates', 'on 04/04/2026'))[0]).not.toHaveProperty('ambiguous');
});

it('tells a wrong IBAN where the document calls it one', async () => {
  expect(await found('ibans', 'IBAN: DE89 3704 0044 0532 0130 01')).toMatchObject([{ valid: false }]);
});

it('cites words that stand in the text, and the value among them', async () => {
  const text = `${'word '.repeat(200)}paid €12.50 on Monday ${'more '.repeat(200)}`;
  const [one] = await found('amounts', text);
  expect(text).toContain(one?.excerpt);
  expect(one?.excerpt).toContain('€12.50');
  expect(one?.excerpt.length).toBeLessThan(200);
  expect(one?.excerpt).toMatch(/^word .* more$/);
});

it('cuts long texts at the ends of lines and loses nothing', () => {
  const text = Array.from({ length: 9_000 }, (_, nth) => `line ${nth}`).join('\n');
  const pieces = piecesOf(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces.every((piece) => piece.length <= 20_001)).toBe(true);
  expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
  expect(piecesOf('x'.repeat(50_000)).join('')).toHaveLength(50_000);
});

describe('the name of a rule', () => {
  it.each([
    ['dates', 'dates'],
    ['Extract all dates', 'dates'],
    ['E-mail addresses', 'emails'],
    ['key-value pairs', 'key_value_pairs'],
    ['find the IBANs.', 'ibans'],
    ['Phone numbers', 'phone_numbers'],
    ['amounts above 100 euros', undefined],
    ['the date of delivery', undefined],
  ])('%j is %s', (text, name) => expect(ruleNamed(text)).toBe(name));
});

/** A piece is at most so long. */
const LONGEST = 20_000;
const HOSTILE = [
  '1',
  '1 ',
  '1.',
  '1 000 ',
  'Ab ',
  'A-',
  'a@',
  'a@a.',
  '+1 ',
  '(1)',
  '| a ',
  '|a|\n',
  '| --- | --- |\n',
  '€1',
  'DE89 ',
  'AA11',
  'Invoice no. ',
  '1 A ',
  '12 Rue ',
  'A Ltd ',
  'A et et ',
  'Buyer:\n',
  'https://',
  'key: ',
  'A (',
  ' ',
  '\n',
  '10/10/',
  'January 1 ',
  'tel. 0 ',
  'Aa Bb Cc 1, ',
  '\u00a0',
  '*',
  'Ä',
  '1 Aa Street, Town',
];

it.each(HOSTILE)('is done at once with a text of nothing but %j', (hostile) => {
  const text = hostile.repeat(Math.ceil(LONGEST / hostile.length)).slice(0, LONGEST);
  const habits = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };
  for (const name of RULE_NAMES) {
    const begun = performance.now();
    NAMED_RULES[name](text, habits);
    expect(performance.now() - begun, name).toBeLessThan(1_000);
  }
});
