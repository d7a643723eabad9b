/** What the figures beside a quote say of a value: it stands there, it may be meant, another stands there, or none does. */
import { describe, expect, it } from 'vitest';
import { figureCheck } from '../../../agents/verification/evidence/figures.ts';
import type { Surroundings } from '../../../agents/verification/located-quote.ts';

const HABITS = { dayFirst: undefined, assumesDayFirst: true, crowns: undefined };

const check = (value: number | string, quote: string, more: Partial<Surroundings> = {}, locale = HABITS) =>
  figureCheck(
    typeof value === 'number' ? 'number' : 'date',
    value,
    quote,
    { lines: quote, headings: [], ...more },
    locale,
  );

describe('a number stands there', () => {
  it.each([
    [18_000, 'a deposit of £18,000 is due'],
    [18_000, 'eine Kaution von 18.000 €'],
    [18_000, 'un dépôt de 18 000 euros'],
    [1_608.5, 'Total 1.608,50'],
    [1_608_000_000, 'net sales of $1,608 million'],
    [12.5, 'rises by 12.5 %'],
    [-50, 'a balance of -50'],
    [5, 'a term of five years'],
    [28, 'innerhalb von achtundzwanzig Tagen'],
    [12, 'within 10-12 weeks'],
    [10, 'within 10-12 weeks'],
    [2_023, 'fiscal year 2023'],
    [5, 'a 5-year term'],
    [3.5, 'a rise of 3½ points'],
    [123_456, 'Rs. 1,23,456.00'],
    [64.15, 'RM64.15'],
    [1_608, '| EBIT | 1,701 | 1,608 | 12.5 |'],
    [1.608, '| EBIT | 1.701 | 1.608 | 12.5 |'],
    [35, '٣٥ يوما'],
  ])('%j in %j', (value, quote) => expect(check(value, quote)).toBe('stands'));

  it('in the lines, where the quote was cut inside it', () =>
    expect(check(18_000, '000 is due', { lines: 'a deposit of £18,000 is due' })).toBe('stands'));
  it('not because the quote was cut inside another', () =>
    expect(check(8_000, '8,000 is due', { lines: 'a deposit of £18,000 is due' })).toBe('contradicts'));
  it('where the head of the table tells that it is money', () => {
    expect(check(1_608, '| EBIT | 1,608 |', { head: '| | $ million |' })).toBe('stands');
  });
});

describe('a number may be meant', () => {
  it.each([
    [1_608, 'EBIT 1,608'],
    [1.608, 'EBIT 1,608'],
    [1_600, 'costs of £1,608'],
    [1_608_000, '| EBIT | £1,608 |'],
    [0.125, 'a share of 12.5 %'],
    [12.5, 'a share of 0.125'],
    [24, 'a term of two years'],
    [24, 'a term of 2 years'],
    [1.5, 'eighteen months'],
    [14, 'innerhalb von zwei Wochen'],
    [-512, '| Loss | (512) |'],
    [18_000, 'a rent of eighteen thousand pounds'],
    [18_000, '4. A deposit of eighteen thousand pounds'],
    [2_026, 'signed on 3 March 2026'],
    [3, 'on the 3rd floor'],
    [2_026, 'in the year 2025/2026'],
    [18_000, 'a deposit of £l8,OOO'],
    [5, 'a five-year term'],
    [2_023, 'FY2023 EBIT was £1,608'],
    [2_023, 'FY23 EBIT was £1,608'],
    [2_041, 'INV-2041, total £5'],
    [150, 'hundertfünfzig Euro in 2 Raten'],
    [2.5, 'within 2 1/2 years'],
    [16_080_000, '1,608万円'],
  ])('%j in %j', (value, quote) => expect(check(value, quote)).toBe('doubt'));

  it('where it stands beside the lines', () =>
    expect(check(2_023, 'EBIT of £1,608', { headings: ['Fiscal 2023'] })).toBe('doubt'));
});

describe('another number stands there', () => {
  it.each([
    [20_000, 'a deposit of £18,000 is due'],
    [20_000, 'Kaution: 18.000 €'],
    [6, 'für fünf (5) Jahre'],
    [17_000, 'un dépôt de 18 000 euros'],
    [608, 'a deposit of £1,608'],
    [20_000, 'a one-off payment of £18,000'],
    [2_019, 'founded in 2021'],
    [1.7, 'net leverage of 1.8 times'],
  ])('%j in %j', (value, quote) => expect(check(value, quote)).toBe('contradicts'));
});

describe('no number stands there', () => {
  it.each([
    [18_000, 'the deposit is due'],
    [2_041, 'our invoice INV-2041'],
    [1_187, 'our invoice 26-1187'],
    [18_000, '4. Kaucja wynosi osiemnaście tysięcy złotych'],
    [18_000, 'In 2023 Aino maksoi vuokran'],
    [7, 'signed on 3 March 2026'],
    [7, 'see § 4 and [12]'],
  ])('%j in %j', (value, quote) => expect(check(value, quote)).toBe('none'));
});

describe('a date stands there', () => {
  it.each([
    ['2026-03-03', 'on 3 March 2026'],
    ['2026-03-03', 'am 3. März 2026'],
    ['2026-03-01', 'le 1er mars 2026'],
    ['2026-03-03', 'dnia 3 marca 2026 r.'],
    ['2026-03-03', '2026. március 3.'],
    ['2026-03-03', '2026年3月3日'],
    ['2026-03', 'on 3 March 2026'],
    ['2026', 'since 2026'],
    ['2026-03-31', 'due 31/03/2026'],
  ])('%s in %j', (value, quote) => expect(check(value, quote)).toBe('stands'));
  it('in the order of the document', () => {
    expect(check('2026-04-03', '03/04/2026', {}, { ...HABITS, dayFirst: true as never })).toBe('stands');
  });
});

describe('a date may be meant', () => {
  it.each([
    ['2026-04-03', 'on 03/04/2026'],
    ['2026-03-04', 'on 03/04/2026'],
    ['2026-03-03', 'the third of March 2026'],
    ['2026-03-03', 'am 3. März'],
    ['2026-03-01', 'le 1er mars'],
    ['2026-03-03', 'from 3 March to 5 April 2026'],
    ['2026-04-03', 'from 3 to 5 April 2026'],
    ['2026-03-31', 'in March 2026'],
    ['2026-03-31', 'bis Ende März'],
    ['2026-03-31', 'by 03/2026'],
    ['2026-03-03', 'vom 3.3. bis 5.4.2026'],
    ['2026-03-03', 'posted 20260303'],
    ['2026-03-31', '2026年3月'],
  ])('%s in %j', (value, quote) => expect(check(value, quote)).toBe('doubt'));
  it('where it stands beside the lines', () =>
    expect(check('2026-03-03', 'signed by both', { before: 'Riga, 3 March 2026' })).toBe('doubt'));
});

describe('another date, or none, stands there', () => {
  it.each([
    ['2026-03-03', 'on 4 March 2026', 'contradicts'],
    ['2026-03-03', 'am 3. April 2026', 'contradicts'],
    ['2026-03-03', 'le 1er mai 2027', 'contradicts'],
    ['2026-05-03', 'on 4 April 2026 he may pay', 'contradicts'],
    ['2026-03-03', 'on 3 March 2025', 'contradicts'],
    ['2026-03-03', 'for 2026 euros', 'none'],
    ['2026-03-03', 'he may pay 33 euros', 'none'],
    ['2026-03-03', 'signed by both', 'none'],
  ])('%s in %j', (value, quote, wanted) => expect(check(value, quote)).toBe(wanted));
});
