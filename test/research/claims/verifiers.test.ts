/** What is published of statements of known truth when the verifier agrees with all, knows all, refuses all, or breaks. */
import { expect, it } from 'vitest';
import { AT_ONCE, publishedOf, type Verifier } from './published.ts';
import { type Statement, statements, translated } from './statements.ts';

const one = statements(1);
const lies = one.filter(({ lie }) => lie !== undefined);
const truths = [...one.filter(({ lie }) => lie === undefined), ...translated(1)];

/** False in ways that only reading shows. */
const SUBTLE: Statement[] = [
  [
    'Profits at Norvik may fall by 3 per cent in 2026.',
    'Profits at Norvik will fall by 3 per cent in 2026.',
    'may turned into will',
  ],
  [
    'Fees at Norvik rose by 4 per cent in 2025.',
    'Fees at Norvik rose by 4 per cent in 2025 because fuel was dear.',
    'an invented cause',
  ],
  [
    'In two ports Norvik raised fees by 5 per cent in 2025.',
    'Norvik raised fees by 5 per cent in 2025.',
    'a part for the whole',
  ],
  [
    'Rivals say that Norvik lost 6 per cent of sales in 2025.',
    'Norvik lost 6 per cent of sales in 2025.',
    'a dropped attribution',
  ],
  [
    'Fees at Norvik rose by 7 per cent on the month in 2025.',
    'Fees at Norvik rose by 7 per cent on the year in 2025.',
    'another base',
  ],
  [
    'In 2019 Norvik was the largest carrier with 8 ships.',
    'Norvik is the largest carrier with 8 ships.',
    'a stale fact as present',
  ],
].map(([source = '', claim = '', lie = '']) => ({ template: 'subtle', source, claim, lie, title: '' }));

const key = ({ claim, source }: Pick<Statement, 'claim' | 'source'>) => `${claim} | ${source}`;

it('publishes no lie that code can see when the verifier agrees with everything', async () => {
  const { published } = await publishedOf([...lies, ...truths], () => 'supported');
  const claims = new Set(published.map(({ claim }) => claim));
  expect(lies.filter(({ claim }) => claims.has(claim) && !truths.some((truth) => truth.claim === claim))).toEqual([]);
  expect(truths.filter(({ claim }) => claims.has(claim)).length).toBeGreaterThanOrEqual(0.95 * truths.length);
}, 60_000);

it('says of what only the verifier can see that a model checked it', async () => {
  const { published } = await publishedOf(SUBTLE, () => 'supported');
  expect(published.map(({ by }) => by)).toEqual(SUBTLE.map(() => 'model'));
});

it('publishes the truth alone when the verifier knows it', async () => {
  const verdicts = new Map([
    ...SUBTLE.map((statement) => [key(statement), 'not_in_source'] as const),
    ...truths.map((statement) => [key(statement), 'supported'] as const),
  ]);
  const unknown: string[] = [];
  const oracle: Verifier = (claim, [source = '']) => {
    const verdict = verdicts.get(key({ claim, source }));
    if (verdict === undefined) unknown.push(key({ claim, source }));
    return verdict;
  };
  const { published } = await publishedOf([...SUBTLE, ...truths], oracle);
  expect(unknown).toEqual([]);
  const claims = new Set(published.map(({ claim }) => claim));
  expect(SUBTLE.filter(({ claim }) => claims.has(claim))).toEqual([]);
  expect(truths.filter(({ claim }) => claims.has(claim)).length).toBeGreaterThanOrEqual(0.95 * truths.length);
}, 60_000);

it('publishes nothing when the verifier refuses everything', async () => {
  const { published, quotes } = await publishedOf(truths.slice(0, AT_ONCE), () => 'contradicted');
  expect([published, quotes]).toEqual([[], []]);
});

it('publishes quotes in place of statements when the verifier breaks', async () => {
  const part = truths.slice(0, AT_ONCE);
  const { published, quotes } = await publishedOf(part, () => undefined);
  expect(published).toEqual([]);
  expect(quotes.length).toBeGreaterThan(0);
  for (const quote of quotes) expect(part.some(({ source }) => source.includes(quote.slice(0, -1)))).toBe(true);
});
