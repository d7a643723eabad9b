/** Pairs of texts that tell one story in other words, or are only similar: which of them research takes for a repetition. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { fingerprintOf, isNearDuplicate } from '../../../agents/near-duplicates.ts';

type Pair = { same: boolean; one: string; two: string };
const pairs: Pair[] = parse(readFileSync(join(import.meta.dirname, 'repeated-stories.yaml'), 'utf8'));

const isTakenForSame = ({ one, two }: Pair): boolean => isNearDuplicate(fingerprintOf(one), fingerprintOf(two));

it('labels at least 40 pairs, about half of them as the same story', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(40);
  expect(pairs.filter(({ same }) => same).length / pairs.length).toBeCloseTo(0.5, 1);
});

// Two pairs of each kind follow each other, and every second pair was never looked at while the rule was tuned.
it.each([
  ['development', 0],
  ['held-out', 1],
])('finds 90 %% or more of the repeated stories of the %s half, and takes few others for one', (_, remainder) => {
  const half = pairs.filter((_pair, at) => at % 2 === remainder);
  const taken = half.filter(isTakenForSame);
  const right = taken.filter(({ same }) => same).length;
  expect(right / half.filter(({ same }) => same).length).toBeGreaterThanOrEqual(0.9);
  expect(right / taken.length).toBeGreaterThanOrEqual(0.9);
});

it('short texts are the same only when they are equal', () => {
  const print = (text: string) => fingerprintOf(text);
  expect(isNearDuplicate(print('Port fees'), print('Port fees'))).toBe(true);
  expect(isNearDuplicate(print('Port fees'), print('Port fees in Riga'))).toBe(false);
  expect(isNearDuplicate(print(''), print('Port fees rise in Riga again today'))).toBe(false);
});
