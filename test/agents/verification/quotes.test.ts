/** Quotes are found however a model repeats them, and what is shown is cut from the document. */
import { describe, expect, it } from 'vitest';
import { locateQuote, locateQuotes } from '../../../agents/verification/evidence/quotes.ts';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { expectWithin } from '../../support/expect-time.ts';

const part = (text: string, more: Partial<DocumentPart> = {}): DocumentPart => ({ label: 'page 1', text, ...more });

function find(text: string, quote: string, more: Partial<DocumentPart> = {}) {
  const located = locateQuote([part(text, more)], quote);
  return located && [located.match, text.slice(located.from, located.to)];
}

describe('a quote is exact', () => {
  it.each([
    ['The lease ends\n  on 31 March.', 'ends on 31 March.', 'ends\n  on 31 March.'],
    ['Kündigung: drei Monate', 'Kündigung: drei Monate', 'Kündigung: drei Monate'],
    ['契約の期間は五年とする。', '期間は五年', '期間は五年'],
    ['Срок аренды — пять лет.', 'Срок аренды — пять лет.', 'Срок аренды — пять лет.'],
    ['pay £18,000 now', '£18,000', '£18,000'],
  ])('in %j: %j', (text, quote, wanted) => expect(find(text, quote)).toEqual(['exact', wanted]));

  it('rather than folded, wherever it stands', () => {
    const parts = [part('THE NET PRICE'), part('the net price', { label: 'page 2' })];
    expect(locateQuote(parts, 'the net price')).toEqual({
      part: 1,
      label: 'page 2',
      page: 2,
      from: 0,
      to: 13,
      match: 'exact',
    });
  });

  it('with the number of its page, slide or sheet, if it has one', () => {
    expect(locateQuote([part('a text', { label: 'section Payment' })], 'a text')).not.toHaveProperty('page');
    expect(locateQuote([part('a text', { label: 'sheet Costs', page: 3 })], 'a text')?.page).toBe(3);
  });
});

describe('a quote is folded', () => {
  it.each([
    ['The TENANT “shall” pay', 'the tenant "shall" pay'],
    ['five – or six – weeks', 'five - or six - weeks'],
    ['It shall termi-\nnate in May', 'It shall terminate in May'],
    ['non-GAAP figures', 'nonGAAP figures'],
    ['**Total** of the `net` price', 'Total of the net price'],
    ['# 4. Deposit\n\n## 4.1 Sum', '4. Deposit 4.1 Sum'],
    ['the of\u00adfice in Ko\u0308ln', 'the office in Köln'],
    ['Straße und İstanbul', 'STRASSE UND istanbul'],
    ['a ﬁnal oﬀer', 'a final offer'],
    ['Ｔｏｋｙｏ ２０２６', 'Tokyo 2026'],
    ['株式会\n社トヨタ', '株式会社トヨタ'],
    ['l’échéance du loyer', "l'échéance du loyer"],
    ['gemäß § 4 Abs. 2, Satz 1', 'gemäß § 4 Abs 2 Satz 1'],
    ['Rent € 1,608 a month', 'Rent €1,608 a month'],
  ])('in %j: %j', (text, quote) => expect(find(text, quote)?.[0]).toMatch(/folded|cells/));

  it('to what stands in the document', () => {
    expect(find('A **Net\nprice** of 5', 'net price of')).toEqual(['folded', 'Net\nprice** of']);
  });
});

describe('pieces around an ellipsis', () => {
  const text = 'The Tenant pays the rent, which is due on the first day, and returns the keys.';
  it.each(['The Tenant ... returns the keys.', 'The Tenant […] which is due … the keys'])(
    'stand in order: %j',
    (quote) => expect(find(text, quote)?.[0]).toBe('ellipsis'),
  );
  it('span from the first to the last of them', () =>
    expect(find(text, 'the rent ... due')?.[1]).toBe('the rent, which is due'));
  it('are not found in another order, in two parts, or far from each other', () => {
    expect(find(text, 'returns the keys ... The Tenant')).toBeUndefined();
    expect(locateQuote([part('The Tenant pays'), part('returns the keys')], 'The Tenant … the keys')).toBeUndefined();
    expect(
      find(`The Tenant pays${' and pays'.repeat(400)} and returns`, 'The Tenant pays … and returns'),
    ).toBeUndefined();
  });
});

describe('cells of one row', () => {
  const table =
    '| Item | 2022 | 2023 |\n| --- | --- | --- |\n| **EBIT** | 1,701 | 1,608 |\n| Net sales | 14,544 | 14,694 |';
  it.each([
    ['EBIT 1,701 1,608', '| **EBIT** | 1,701 | 1,608 |'],
    ['EBIT, 1,701, 1,608', '| **EBIT** | 1,701 | 1,608 |'],
    ['EBIT | 1,608', '| **EBIT** | 1,701 | 1,608 |'],
    ['Net sales: 14,694', '| Net sales | 14,544 | 14,694 |'],
  ])('%j', (quote, row) => {
    const [match, found] = find(table, quote) ?? [];
    expect(match).toBe('cells');
    expect(row).toContain(found);
    expect(found).toMatch(/\d$/);
  });
  it('are not joined over rows, or with parts of cells', () => {
    expect(find(table, 'EBIT: 14,694')).toBeUndefined();
    expect(find(table, 'Net: 14,694')).toBeUndefined();
    expect(find(table, 'EBIT: 608')).toBeUndefined();
  });
  it('or a label and its value on the next line', () =>
    expect(find('Kaution\n18.000 Euro', 'Kaution: 18.000 Euro')?.[1]).toBe('Kaution\n18.000 Euro'));
});

describe('text that was recognized from a picture', () => {
  const ocr = { ocr: { confidence: 0.7 } };
  it.each([
    ['T0TAL PR1CE RM 64.l5', 'TOTAL PRICE RM 64.15'],
    ['it was carried: three for,f0ur against', 'was carried: three for, four against'],
    ['laste Of TheWorld', 'Taste Of The World'],
    ['the Govemment of Utopia', 'the Government of Utopia'],
    ['Deposit of £l8,O00 is due', 'Deposit of £18,000'],
  ])('%j is read as %j', (text, quote) => {
    expect(find(text, quote, ocr)?.[0]).toBe('recognized');
    expect(find(text, quote)).toBeUndefined();
  });
  it('is so as well where words are unsure', () =>
    expect(find('T0TAL PR1CE', 'TOTAL PRICE', { unsure: [{ start: 0, end: 5, confidence: 0.3 }] })?.[0]).toBe(
      'recognized',
    ));
  it('never becomes another figure', () => {
    expect(
      find(
        'a deposit of £18,000 on the signature of this lease',
        'a deposit of £20,000 on the signature of this lease',
        ocr,
      ),
    ).toBeUndefined();
    expect(find('Total of all the items 64.15', 'Total of all the items 164.15', ocr)).toBeUndefined();
  });
  it('is not read as other words', () =>
    expect(find('The Tenant pays rent', 'The Landlord pays tax', ocr)).toBeUndefined());
});

describe('a quote across a page break', () => {
  const first = part('The lease ends on the 31st of March and the Ten-\n\nPage 3 of 9');
  const second = part('Lease of Acme\n\nant returns all the keys of the house to the Landlord without delay.', {
    label: 'page 4',
  });
  it('stands on the page that has more of it', () => {
    expect(
      locateQuote([first, second], 'The lease ends on the 31st of March and the Tenant returns all the keys of')?.part,
    ).toBe(0);
    expect(
      locateQuote(
        [first, second],
        'the 31st of March and the Tenant returns all the keys of the house to the Landlord',
      ),
    ).toMatchObject({
      part: 1,
      page: 4,
      match: 'folded',
    });
  });
  it('passes over hidden text, and is not made of words that stand anywhere', () => {
    const hidden = part('unseen', { hidden: true });
    expect(
      locateQuote([part('It ends in'), hidden, part('the spring of 2026.')], 'It ends in the spring of 2026')?.part,
    ).toBe(2);
    expect(locateQuote([part('It ends in'), part('Report of May 2027')], 'It ends in 2027')).toBeUndefined();
  });
});

describe('a quote is not located', () => {
  it.each([
    ['in text that nobody sees', 'secret price', 'the secret price', { hidden: true }],
    ['if it has one letter', 'a', 'a b c', {}],
    ['if it is empty', ' ', 'a b c', {}],
    ['inside a figure', '18,000', 'pay £118,000', {}],
    ['inside a figure with cents', 'is 1.5', 'it is 1.55', {}],
    ['inside a word, if it is short', 'net', 'the Internet', {}],
    ['if other words stand there', 'the tenant pays', 'the tenant may pay', {}],
    ['with another figure', 'rent of 1.5', 'rent of 1,5', {}],
  ])('%s', (_, quote, text, more) => expect(find(text, quote, more)).toBeUndefined());
  it('if it is very long', () => expect(find('word '.repeat(500), 'word '.repeat(401))).toBeUndefined());
});

it('finds quotes that were cut inside a word', () =>
  expect(find('a remedy for any breach of contract', 'dy for any breach of con')?.[0]).toBe('exact'));

it('finds a quote at the end of millions of characters', () =>
  expect(find(`${'The sea is calm. '.repeat(200_000)}The port is open.`, 'The  port is\nopen.')?.[1]).toBe(
    'The port is open.',
  ));

it('finds many quotes at once, each in its order', () => {
  const located = locateQuotes({ parts: [part('one two three')], quotes: ['two', 'four', 'one two'] });
  expect(located.map((one) => one?.from)).toEqual([4, undefined, 0]);
});

describe('takes little time for fifty quotes in a megabyte', () => {
  const SIZE = 1_000_000;
  const fifty = (quote: (nth: number) => string) => Array.from({ length: 50 }, (_, nth) => quote(nth));
  const filled = (text: string) => text.repeat(Math.ceil(SIZE / text.length));
  it.each([
    ['nothing but spaces', filled(' '), fifty((nth) => `quote number ${nth}`)],
    ['the same letter', filled('a'), fifty((nth) => `${'a'.repeat(1_000 + nth)}b${'a'.repeat(900)}`)],
    ['the same letter, and a quote that ends so', filled('a'), fifty((nth) => `b${'a'.repeat(1_900 + nth)}`)],
    [
      'a quote that nearly stands everywhere',
      filled(`${'ab '.repeat(300)}ac `),
      fifty((nth) => `${'ab '.repeat(300)}ad${' ab'.repeat(nth)}`),
    ],
    ['the same row', filled('| aa | bb | 1,000 |\n'), fifty((nth) => `aa 2,0${nth + 10}`)],
    ['one endless row', filled('| aa | bb '), fifty((nth) => `aa bb aa cc${nth}`)],
    ['pieces everywhere', filled('aa bb cc '), fifty((nth) => `aa bb … cc dd${nth}`)],
  ])('%s', (_, text, quotes) => {
    for (const more of [{}, { ocr: { confidence: 0.5 } }]) {
      const before = process.cpuUsage();
      const located = locateQuotes({ parts: [part(text, more)], quotes });
      const { user, system } = process.cpuUsage(before);
      expect(located.filter((one) => one !== undefined)).toEqual([]);
      expectWithin((user + system) / 1_000, more.ocr ? 400 : 200);
    }
  });
});
