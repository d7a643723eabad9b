/** What is published of statements of known truth when the verifier agrees with all, knows all, refuses all, or breaks. */
import { expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { AT_ONCE, publishedOf, type Verifier } from './published.ts';
import {
  CAREFUL,
  computedStatements,
  misquoted,
  type Statement,
  statements,
  subtleStatements,
  translated,
} from './statements.ts';

const isLie = ({ lie }: Statement): boolean => lie !== undefined;
const generated = [...statements(1), ...computedStatements(1), ...misquoted(1)];
/** Code must see these alone. */
const lies = generated.filter(isLie);
/** False in ways that only reading shows. */
const subtle = subtleStatements(1);
/** 100: of 40 templates, 20 computed, 20 in another language than their source, 10 easily taken for false, and 10 more. */
const truths = [
  ...generated.filter((one) => !isLie(one)),
  ...translated(1),
  ...CAREFUL,
  ...statements(2)
    .filter((one) => !isLie(one))
    .slice(0, 10),
];

const key = ({ claim, source }: Pick<Statement, 'claim' | 'source'>) => `${claim} | ${source}`;
const shown = (all: readonly Statement[]) => all.map((one) => `${one.lie ?? 'true'}: ${key(one)}`);

it('publishes no lie that code can see when the verifier agrees with everything', async ({ task }) => {
  const { published } = await publishedOf([...lies, ...truths], () => 'supported');
  expect(shown(lies.filter((one) => published.has(one)))).toEqual([]);
  const kept = truths.filter((one) => published.has(one));
  expect(kept.length).toBeGreaterThanOrEqual(0.95 * truths.length);
  proves(
    task,
    `a verifier that agrees with everything: 0 of ${lies.length} false sentences for code published, ${kept.length} of ${truths.length} true ones`,
  );
}, 120_000);

it('says of what only the verifier can see that a model checked it', async () => {
  const { published } = await publishedOf(subtle, () => 'supported');
  expect(new Set(published.values())).toEqual(new Set(['model']));
  expect(published.size).toBeGreaterThanOrEqual(0.8 * subtle.length);
}, 120_000);

it('publishes the truth alone when the verifier knows it', async ({ task }) => {
  const verdicts = new Map([
    ...[...lies, ...subtle].map((statement) => [key(statement), 'not_in_source'] as const),
    ...truths.map((statement) => [key(statement), 'supported'] as const),
  ]);
  const unknown: string[] = [];
  const oracle: Verifier = (claim, [source = '']) => {
    const verdict = verdicts.get(key({ claim, source }));
    if (verdict === undefined) unknown.push(key({ claim, source }));
    return verdict;
  };
  const { published } = await publishedOf([...subtle, ...truths], oracle);
  expect(unknown).toEqual([]);
  expect(shown(subtle.filter((one) => published.has(one)))).toEqual([]);
  const kept = truths.filter((one) => published.has(one));
  expect(kept.length).toBeGreaterThanOrEqual(0.95 * truths.length);
  proves(
    task,
    `one that knows the truth: 0 of ${subtle.length} false ones for the verifier, ${kept.length} of ${truths.length} true ones`,
  );
}, 120_000);

it('publishes nothing when the verifier refuses everything', async () => {
  const { published, quotes } = await publishedOf(truths.slice(0, AT_ONCE), () => 'contradicted');
  expect([published.size, quotes]).toEqual([0, []]);
});

it('publishes quotes in place of statements when the verifier breaks', async () => {
  const part = truths.slice(0, AT_ONCE);
  const { published, quotes } = await publishedOf(part, () => undefined);
  expect(published.size).toBe(0);
  expect(quotes.length).toBeGreaterThan(0);
  for (const quote of quotes) expect(part.some(({ source }) => source.includes(quote.slice(0, -1)))).toBe(true);
});
