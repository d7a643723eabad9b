/** Which figures of a sentence or a note stand at its quotes, and what formulas over figures of quotes give. */
import { expect, it } from 'vitest';
import { locatedNotes } from '../../../agents/research/rules/located-notes.ts';
import { computedFormula } from '../../../agents/verification/evidence/formulas.ts';
import { UNKNOWN_LOCALE, unfoundedFigures } from '../../../agents/verification/evidence/sentence-figures.ts';

const evidenceOf = (quote: string, lines = quote) => [
  { quote, around: { lines, headings: [] }, locale: UNKNOWN_LOCALE },
];

it.each<[string, string, string[]]>([
  ['In June 2025 it cost 6.4 euros.', 'It cost 6.4 euros in June 2023.', ['June 2025']],
  ['In March 2023 it cost 6.4 euros.', 'It cost 6.4 euros in June 2023.', ['March 2023']],
  ['On 14 June 2023 it cost 6.4 euros.', 'It cost 6.4 euros on 12 June 2023.', ['14 June 2023']],
  ['Im Juni 2023 kostete es 6,4 Euro.', 'It cost 6.4 euros in June 2023.', []],
  ['It cost 6.4 euros on 12 June 2023.', 'Am 12.06.2023 kostete es 6,4 Euro.', []],
  ['It ended on 31 March 2025.', 'FY25 (to 31 March), with 1,200 ships.', []],
  ['It closes in 2025.', 'It will not close before 2024, and 67.5 posts are kept.', ['2025']],
])('finds the figures of “%s” that do not stand in “%s”', (sentence, quote, unfounded) => {
  expect(unfoundedFigures(sentence, { evidence: evidenceOf(quote), computed: [] })).toEqual(unfounded);
});

it('takes no figure for granted because the quote has none and its line has others', () => {
  const evidence = evidenceOf('Net sales grew', 'Net sales grew, and 12 shops were opened.');
  expect(unfoundedFigures('Net sales grew by 830 euros.', { evidence, computed: [] })).toEqual(['830']);
});

it.each<[string, string, object]>([
  ['355 - 277', 'from 277 million euros to 355 million euros', { value: 78 }],
  ['355000000 - 277000000', 'from 277 million euros to 355 million euros', { value: 78_000_000 }],
  ['1701 - 1608', '| EBIT | 1,701 | 1,608 |', { value: 93 }],
  // 355, rounded to two digits.
  [
    '360 - 277',
    'from 277 million euros to 355 million euros',
    { fault: '360 of the formula 360 - 277 stands at none of its quotes' },
  ],
])('computes %s by “%s” from figures as they are written there', (formula, quote, result) => {
  expect(computedFormula(formula, evidenceOf(quote))).toEqual(result);
});

it('counts a term in days that an earlier formula gives', () => {
  const evidence = evidenceOf('It begins on 1 April 2025; each of three periods lasts twelve months.');
  const day = '2025-04-01 + 36 months - 1 day';
  expect(computedFormula('3 * 12', evidence)).toEqual({ value: 36 });
  expect(computedFormula(day, evidence, [36])).toEqual({ day: '2028-03-31' });
  expect(computedFormula(day, evidence)).toEqual({ fault: `36 of the formula ${day} stands at none of its quotes` });
});

it.each<[string, string, string[]]>([
  ['In 2023 it cost 6.4 euros.', 'It cost 6.4 euros in the prior year.', []],
  ['In 2022 it cost 6.4 euros.', 'It cost 6.4 euros in the prior year.', ['2022']],
  ['In March 2024 it cost 6.4 euros.', 'It cost 6.4 euros in the prior year.', ['March 2024']],
  ['In 2023 it cost 6.4 euros.', 'It cost 6.4 euros, unlike in 2019.', ['2023']],
])('counts the years of “%s” from a title of 2024 where “%s” names none', (sentence, quote, unfounded) => {
  const around = { lines: quote, headings: [], title: 'Annual report 2024' };
  expect(unfoundedFigures(sentence, { evidence: [{ quote, around, locale: UNKNOWN_LOCALE }], computed: [] })).toEqual(
    unfounded,
  );
});

it('notes no figure that only stands beside a quote without figures', () => {
  const text = 'Net sales grew, and 12 shops were opened.';
  const figure = (value: string) => ({ label: 'sales', value, unit: 'EUR', scale: 1, period: '', when: '' });
  const [note] = locatedNotes({
    question: 'How did sales change?',
    documents: [{ document: 1, title: 'Report', publisher: 'Report', publishedAt: null, text }],
    notes: [
      {
        ...{ text: 'Net sales grew.', formulas: [], quotes: [{ document: 1, quote: 'Net sales grew' }] },
        figures: [figure('830'), figure('12')],
      },
    ],
  });
  expect(note?.unfounded).toEqual(['sales 830 EUR']);
  expect(note?.figures.map(({ value }) => value)).toEqual([12]);
});
