/** Statements of known truth in five languages: which of them code rejects, confirms or leaves to the verifier. */
import { describe, expect, it } from 'vitest';
import { checkClaim } from '../../../agents/research/claims/check-claim.ts';
import { computedFigure, figuresIn } from '../../../agents/research/claims/figures.ts';
import { quoteContext } from '../../../agents/research/claims/quote-context.ts';
import { type Statement, statements, translatedStatements } from './statements.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const verdictOf = ({ claim, source, title }: Statement) => checkClaim(claim, [{ sentences: source, title }]);
const statementTexts = (all: Statement[]) =>
  all.map(({ template, lie, claim, source }) => `${template} ${lie ?? 'true'}: ${claim} | ${source}`);

describe('generated statements', () => {
  const all = SEEDS.flatMap(statements);
  const lies = all.filter(({ lie }) => lie !== undefined);
  const truths = all.filter(({ lie }) => lie === undefined);

  it('cover 40 templates and every way of being false', () => {
    expect(new Set(truths.map(({ template }) => template)).size).toBe(40);
    // docs/guides/research.md gives these two.
    expect([lies.length, truths.length]).toEqual([2_470, 400]);
    expect(Object.keys(Object.groupBy(lies, ({ lie = '' }) => lie)).sort()).toEqual([
      'direction',
      'month',
      'name',
      'negation',
      'number',
      'order',
      'percent for points',
      'period',
      'place',
      'points for percent',
      'scale',
      'scale word dropped',
      'unit',
      'year',
    ]);
  });

  it('are rejected by code alone where they are false', () => {
    expect(statementTexts(lies.filter((one) => verdictOf(one).verdict !== 'rejected'))).toEqual([]);
  });

  it('are never rejected where they are true', () => {
    expect(statementTexts(truths.filter((one) => verdictOf(one).verdict === 'rejected'))).toEqual([]);
  });

  it('are never rejected where they are true and in another language than their source', () => {
    const foreign = SEEDS.flatMap(translatedStatements);
    expect(foreign).toHaveLength(200);
    expect(statementTexts(foreign.filter((one) => verdictOf(one).verdict === 'rejected'))).toEqual([]);
  });

  it('are confirmed by code only as whole sentences of their source', () => {
    const quoted = truths.map((one) => ({ ...one, claim: one.source }));
    expect(quoted.every((one) => verdictOf(one).verdict === 'supported')).toBe(true);
    expect(truths.every((one) => verdictOf(one).verdict === 'open')).toBe(true);
  });
});

const SOURCE = 'Profits at Norvik may fall by 3 per cent in 2026 because freight is dear, analysts say.';

it.each([
  ['an invented cause', 'Profits at Norvik may fall by 3 per cent in 2026 because demand is weak.'],
  ['may turned into will', 'Profits at Norvik will fall by 3 per cent in 2026.'],
  ['a dropped attribution', 'Profits at Norvik may fall by 3 per cent in 2026.'],
  ['half of a sentence', 'Profits at Norvik may fall by 3 per cent'],
])('leaves %s to the verifier', (_what, claim) => {
  expect(checkClaim(claim, [{ sentences: SOURCE, title: '' }])).toEqual({ verdict: 'open' });
});

it.each<[string, string, string]>([
  ['a loss that narrowed', 'The loss narrowed to EUR 3 million in 2025.', 'In 2025 the loss fell to EUR 3 million.'],
  ['less than', 'Fewer than 20 ships waited in May 2026.', 'In May 2026 less than 20 ships waited.'],
  ['a double negation', 'It is not true that fees did not rise in 2026.', 'Fees rose in 2026.'],
  ['not fallen for risen', 'Prices did not fall in 2026.', 'Prices rose in 2026.'],
  ['a number as a word', 'Two of seven berths were idle.', 'Of 7 berths, 2 were idle.'],
  ['a range with one unit', 'Growth of 5 to 7 per cent is expected.', 'Growth between 5 and 7 per cent is expected.'],
  ['an approximate figure', 'About 1.2 million tonnes were shipped.', 'Some 1,204,000 tonnes were shipped.'],
  [
    'a country in another language',
    'In Germany, fees rose by 3 per cent.',
    'In Deutschland sind die Gebühren um 3 Prozent gestiegen.',
  ],
  ['an abbreviation', 'The EU raised its tariff to 9 per cent.', 'The European Union raised its tariff to 9 per cent.'],
])('does not reject %s', (_what, claim, sentences) => {
  expect(checkClaim(claim, [{ sentences, title: '' }])).toEqual({ verdict: 'open' });
});

it.each<[string, string, string, string]>([
  [
    'direction',
    'a rise for a fall',
    'Port fees in Hamburg rose by 2 per cent.',
    'Port fees in Hamburg fell by 2 per cent in June 2026.',
  ],
  [
    'direction',
    'a rise across languages',
    'Port fees rose by 2 per cent.',
    'Die Hafengebühren sind um 2 Prozent gesunken.',
  ],
  [
    'name',
    'the figure of a neighbour',
    'Norvik lost 4 per cent.',
    'Norvik lost 2 per cent, while Meridia lost 4 per cent.',
  ],
  [
    'direction',
    'figures that run against the verb',
    'Sales fell from 3 to 5 million euros.',
    'Sales went from 3 to 5 million euros.',
  ],
  ['number', 'a number of nowhere', 'Fees rose by 16.5 per cent.', 'Fees rose by 6.5 per cent.'],
  ['unit', 'a unit that the source does not have', 'Fees rose by 5 per cent.', 'Fees rose by 5 euros.'],
  ['date', 'a month of nowhere', 'Fees rose in June.', 'Fees rose in July 2026.'],
])('rejects for %s: %s', (reason, _what, claim, sentences) => {
  expect(checkClaim(claim, [{ sentences, title: '' }])).toMatchObject({ verdict: 'rejected', reason });
});

it.each([
  ['EUR 0.2 billion', 'open'],
  ['EUR 200 million', 'open'],
  ['EUR 200', 'rejected'],
  ['EUR 300', 'rejected'],
])('checks the scale of a computed figure shown as %s', (shown, verdict) => {
  const sentences = 'Revenue was EUR 5.3 billion in 2024. Revenue was EUR 5.1 billion in 2023.';
  const computed = computedFigure('5.3 - 5.1', figuresIn(sentences, 'en'));
  const claim = `Revenue rose by ${shown}.`;
  expect(checkClaim(claim, [{ sentences, title: '' }], { computed: computed ? [computed] : [] })).toMatchObject({
    verdict,
  });
});

it('takes a name from the title of the document', () => {
  const evidence = [{ sentences: 'The company raised its fees by 5 per cent.', title: 'Norvik raises its fees' }];
  expect(checkClaim('Norvik raised its fees by 5 per cent.', evidence)).toEqual({ verdict: 'open' });
});

it('is shown the whole sentence of a quote, and of one without an end the quote alone', () => {
  const quote = 'fees in Riga rose by 2 per cent';
  expect(quoteContext(`# Fees\n\nLast year, ${quote} on average. Rents fell.`)(quote)).toBe(
    `Last year, ${quote} on average.`,
  );
  expect(quoteContext('| Port | Fee |\n| --- | --- |\n| Riga | 2 % |\n| Oslo | 3 % |')('Oslo 3 %')).toBe(
    '| Port | Fee |\n| Oslo | 3 % |',
  );
  expect(quoteContext(`${'and so on '.repeat(6_000)} ${quote} ${'and so on '.repeat(6_000)}`)(quote)).toBe(quote);
});
