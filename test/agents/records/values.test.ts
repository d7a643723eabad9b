/** The named rules: what they take, what they leave, and that no text holds them up. */
import { describe, expect, it } from 'vitest';
import { applyRules, NAMED_RULES, piecesOf } from '../../../agents/records/matching/named-rules.ts';
import { RULE_NAMES, ruleNamed } from '../../../shared/agents/rule-names.ts';
import { expectWithin } from '../../support/expect-time.ts';

type ListRule = (typeof RULE_NAMES)[number];

async function findValues(rule: ListRule, text: string) {
  return applyRules([{ label: 'page 1', text }], [rule]);
}
const values = async (rule: ListRule, text: string) => (await findValues(rule, text)).map(({ value }) => value);

it('take nothing from text that a person does not see', async () => {
  const parts = [
    { label: 'page 1', text: 'due on 3 March 2026' },
    { label: 'page 1 (hidden)', text: 'due on 4 April 2026', hidden: true },
  ];
  const dates = await applyRules(parts, ['dates']);
  expect(dates.map(({ value, place }) => [value, place])).toEqual([['2026-03-03', 'page 1']]);
});

const CASES: [rule: ListRule, text: string, wanted: string[]][] = [
  ['dates', 'on 3 March 2026, the 3rd of March 2026, March 3, 2026 and 2026-03-03', Array(4).fill('2026-03-03')],
  [
    'dates',
    'am 3. März 2026, le 1er mars 2026, el 3 de marzo de 2026, il 3 marzo 2026',
    ['2026-03-03', '2026-03-01', '2026-03-03', '2026-03-03'],
  ],
  ['dates', '31.12.2026, 31/12/2026, 12/31/26, 2026/12/31', Array(4).fill('2026-12-31')],
  ['dates', '31 June 2026, 30.02.2026, 2026-13-01, version 1.2.2026.4', []],
  ['dates', 'in March 2026, not in 2026 and not on 3 March', ['2026-03']],
  [
    'dates',
    '9 марта 2026, 2026年3月9日, Martie 9, 2026, March 9 , 2026, the 9th day of March 2026, 9 th day of March , 2026',
    Array(6).fill('2026-03-09'),
  ],
  [
    'dates',
    '3. maaliskuuta 2026, 3 Mart 2026, 3. ožujka 2026, 2026. március 3., 3 Μαρτίου 2026, 3 березня 2026, 3 Mac 2026, 3 MARCA 2026, 3. brezna 2026',
    Array(9).fill('2026-03-03'),
  ],
  [
    'dates',
    '3 set 2026, 3 out 2026, 3 pro 2026, 3. led 2026',
    ['2026-09-03', '2026-10-03', '2026-12-03', '2026-01-03'],
  ],
  ['dates', 'they set 2026 goals, Office Pro 2019, who led 2026, it was out 2026, sold 12 pro 26.', []],
  ['dates', 'Dez 2026, set. 2026, janv 2026, feber 2026', ['2026-12', '2026-09', '2026-01', '2026-02']],
  ['dates', '12 Mar 26\non 12 Mar 26 18:40 and 12 May 30 people came', ['2026-03-12', '2026-03-12']],
  ['dates', 'Sort code: 20-04-43, paid 20-04-26', ['2026-04-20']],
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
  ['amounts', 'Rs 500, Rs. 1,200.50 and RM 12.90', ['INR 500.00', 'INR 1200.50', 'MYR 12.90']],
  ['amounts', '-€50.00 and € -50.00', ['EUR -50.00', 'EUR -50.00']],
  ['amounts', '84 panels of 36.5 kW, 12 per cent, page 3, 1.2.3 EURO', []],
  ['amounts', '| Item | Price (EUR) | Pieces |\n| --- | --- | --- |\n| Lamp | 12,50 | 1.250 |', ['EUR 12.50']],
  ['amounts', '| Item | Total |\n| --- | --- |\n| Lamps | 12 |\n| Sum | 12.00 |', ['12.00']],
  ['percentages', '7.9 per cent, 12,5 %, two percent, 3 Prozent, -4%', ['7.9%', '12.5%', '2%', '3%', '-4%']],
  ['percentages', 'twenty-five per cent, fünfunddreißig Prozent, vingt et un pour cent', ['25%', '35%', '21%']],
  [
    'percentages',
    'one hundred per cent, two point five per cent, zwei Komma fünf Prozent, soixante et onze pour cent, ciento veinte por ciento, between two and three per cent',
    ['100%', '3%'],
  ],
  ['percentages', '| Year | Loss in per cent |\n| --- | --- |\n| 2025 | 7,8 |', ['7.8%']],
  [
    'ibans',
    'LY83002048000020100120361 SD8811123456789012 NI45BAPR00000013000003558124 MN121234123456789123 OM810180000001299123456',
    [
      'LY83002048000020100120361',
      'SD8811123456789012',
      'NI45BAPR00000013000003558124',
      'MN121234123456789123',
      'OM810180000001299123456',
    ],
  ],
  ['emails', 'write to Ann.Lee+x@mail.acme-tools.org, not to a@b or @c.org', ['ann.lee+x@mail.acme-tools.org']],
  [
    'phone_numbers',
    'Tel. 0117 555 0122, +44 (0)20 7946 0958, (510) 555-0136',
    ['01175550122', '+442079460958', '5105550136'],
  ],
  ['phone_numbers', '1-800-555-0199 or 020 7946 0958', ['18005550199', '02079460958']],
  ['phone_numbers', 'tax 044 241 601 03, account 0532 0130 00', []],
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
  ...'LY83002048000020100120361 SD2129010501234001 BI4210000100010000332045181 DJ2100010000000154000100186 RU0204452560040702810412345678901 SO211000001001000100141 NI45BAPR00000013000003558124 MN121234123456789123 FK88SC123456789012 OM810180000001299123456 HN88CABF00000000000250005469'
    .split(' ')
    .map((iban): [ListRule, string, string[]] => ['ibans', `${iban}.`, [iban]]),
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
  [
    'key_value_pairs',
    '| Surname Lund | First name Marta |\n| --- | --- |\n| Date of birth 3 March 1990 | Town<br>5003 Bergen |',
    ['Surname = Lund', 'First name = Marta', 'Date of birth = 3 March 1990', 'Town = 5003 Bergen'],
  ],
  [
    'key_value_pairs',
    '| Nachname | Vorname |\n| --- | --- |\n| Lund | Marta |\n| Ort | Telefon |\n| Kiel | 0431 5550 |',
    ['Nachname = Lund', 'Vorname = Marta', 'Ort = Kiel', 'Telefon = 0431 5550'],
  ],
  ['key_value_pairs', '| Surname | Lund |\n| --- | --- |\n| Town | Bergen |', ['Surname = Lund', 'Town = Bergen']],
  ['key_value_pairs', '| Name | Town |\n| --- | --- |\n| Ann | Riga |\n| Bob | Kiel |', ['Ann = Riga', 'Bob = Kiel']],
  [
    'key_value_pairs',
    '| Name | Address |\n| --- | --- |\n| Rossi | Via Roma 3 |\n| Verdi | Via Po 4 |',
    ['Rossi = Via Roma 3', 'Verdi = Via Po 4'],
  ],
  ['key_value_pairs', '| Sex | X | female | | male |\n| --- | --- | --- | --- | --- |', ['Sex = female']],
  ['key_value_pairs', '| Sex | female | X | male | |\n| --- | --- | --- | --- | --- |', ['Sex = female']],
  ['key_value_pairs', '| Sex | female | | male | X |\n| --- | --- | --- | --- | --- |', ['Sex = male']],
  ['key_value_pairs', '| Name | X | Y | Z |\n| --- | --- | --- | --- |\n| Name A | 1 | 2 | 3 |', []],
  ['key_value_pairs', '| Name | X | Y | Z |\n| --- | --- | --- | --- |\n| Name A | | 2 | 3 |', []],
  ['key_value_pairs', '| Field | Here | Why | Town |\n| --- | --- | --- | --- |\n| Sex | X | ill | Riga |', []],
  ['key_value_pairs', 'Net pay: 12 EUR\nA sentence that is much too long to be a key: value', ['Net pay = 12 EUR']],
];

it.each(CASES)('%s in %j', async (rule, text, wanted) => {
  expect(await values(rule, text)).toEqual(wanted);
});

it('takes dates in figures as the document itself writes them', async () => {
  expect(await values('dates', '03/04/2026 and 25/04/2026')).toEqual(['2026-04-03', '2026-04-25']);
  expect(await values('dates', '03/04/2026 and 04/25/2026')).toEqual(['2026-03-04', '2026-04-25']);
});

it('says when a month has a name that languages differ in', async () => {
  expect(await findValues('dates', '3. listopada 2026')).toMatchObject([
    { value: '2026-11-03', ambiguous: true, or: '2026-10-03' },
  ]);
  expect((await findValues('dates', '3 listopada 2026')).map(({ ambiguous }) => ambiguous)).toEqual([undefined]);
});

it('says when a date can be read in two ways, and what the other one is', async () => {
  expect(await findValues('dates', 'on 03/04/2026, for €5')).toMatchObject([
    { value: '2026-04-03', ambiguous: true, or: '2026-03-04' },
  ]);
  expect(await findValues('dates', 'on 03/04/2026, for $5')).toMatchObject([
    { value: '2026-03-04', ambiguous: true, or: '2026-04-03' },
  ]);
  expect((await findValues('dates', 'on 04/04/2026'))[0]).not.toHaveProperty('ambiguous');
});

it('tells a wrong IBAN where the document calls it one', async () => {
  expect(await findValues('ibans', 'IBAN: DE89 3704 0044 0532 0130 01')).toMatchObject([{ valid: false }]);
});

it('verifies the check digits of VAT numbers where the rule of the country is known', async () => {
  const RIGHT =
    'DE136695976 FR60421938861 ATU13585627 NL820471616B02 GB980780684 BE0428759497 IT00743110157 PL7740001454 DK13585628 FI20774740 PT501964843 LU15027442 SE556012579001 CHE107787577 HR33392005961 SI15012557 SK2022749619 EL094259216 EE100931558 HU12892312 MT11679112 NO916634773MVA ' +
    'ESA28015865 ESB58378431 ES54362315K ESX2482300W BG175074752 CY10259033P CZ25123891 IE6433435F IE6433435OA LT119511515 LT100001919017 ' +
    'LV40003521600 RO18547290';
  for (const number of RIGHT.split(' ')) {
    const wrong = number.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
    expect(await findValues('vat_numbers', number), number).toMatchObject([{ value: number, valid: true }]);
    if (!/^(?:NL|SE)/.test(number))
      expect(await findValues('vat_numbers', wrong), wrong).toMatchObject([{ valid: false }]);
  }
  // Bulgarian numbers of companies begin with another digit: nothing is said of the check digit.
  expect((await findValues('vat_numbers', 'BG845737294'))[0]).not.toHaveProperty('valid');
});

it('takes VAT numbers without letters behind their label, with the country if the check digits tell it', async () => {
  const CASES: [text: string, value: string, country?: string][] = [
    ['VAT Reg. No. 980 7806 84', '980780684', 'GB'],
    ['VAT number: 136695976', '136695976'],
    ['USt-IdNr. 136695976', '136695976', 'DE'],
    ['BTW nr 0403.019.261', '0403019261', 'BE'],
    ['NIP: 774-00-01-454', '7740001454', 'PL'],
    ['| P. IVA | 00743110157 |', '00743110157', 'IT'],
    ['CIF B58378431', 'B58378431', 'ES'],
  ];
  for (const [text, value, country] of CASES) {
    const [match, ...others] = await findValues('vat_numbers', text);
    expect(match, text).toMatchObject({ value, ...(country ? { country, valid: true } : {}) });
    expect(match && 'country' in match, text).toBe(country !== undefined);
    expect(others).toEqual([]);
  }
  for (const text of [
    'VAT 19 % 1234567.00',
    'VAT No 20% 123.45',
    'VAT number 2026-03-05',
    'USt. 1234567',
    'No. 123456789',
  ])
    expect(await findValues('vat_numbers', text), text).toEqual([]);
});

it('cites words that stand in the text, and the value among them', async () => {
  const text = `${'word '.repeat(200)}paid €12.50 on Monday ${'more '.repeat(200)}`;
  const [one] = await findValues('amounts', text);
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
    ['parties', undefined],
    ['addresses', undefined],
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
  '| Surname A |\n',
  '| name name ',
];

it.each(HOSTILE)('is done at once with a text of nothing but %j', (hostile) => {
  const text = hostile.repeat(Math.ceil(LONGEST / hostile.length)).slice(0, LONGEST);
  const locale = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };
  for (const name of RULE_NAMES) {
    const begun = process.cpuUsage();
    NAMED_RULES[name](text, locale);
    const { user, system } = process.cpuUsage(begun);
    expectWithin((user + system) / 1_000, 1_000, name);
  }
});
