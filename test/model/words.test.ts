/** Which words count as the same. */
import { expect, test } from 'vitest';
import { readPrompt } from '../../engines/models/extractive/prompt.ts';
import { lexiconOf, termsOf } from '../../engines/models/extractive/terms.ts';
import { stem, wordsOf } from '../../engines/retrieval/words.ts';

test.each([
  ['terminate', 'terminates', 'terminated', 'terminating', 'termination'],
  ['pay', 'pays', 'paying'],
  ['delivery', 'deliveries'],
  ['cancel', 'cancelling', 'cancelled'],
  ['shake', 'shaking', 'shaken'],
  ['hedge', 'hedges'],
])('gives %s and its forms one stem', (...forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1);
});

test.each([
  ['station', 'state'],
  ['probation', 'probe'],
  ['business', 'busy'],
])('distinguishes %s and %s', (one, other) => {
  expect(stem(one)).not.toBe(stem(other));
});

test('folds words, and pairs characters of scripts without spaces', () => {
  expect(wordsOf('Müller’s CAFÉ 4b')).toEqual(['muller', 's', 'cafe', '4b']);
  expect(wordsOf('合同终止')).toEqual(['合同', '同终', '终止', '止']);
});

test('reduces a prompt to its significant words, and keeps numbers and quoted phrases whole', () => {
  const terms = termsOf('Please tell me what clause 4.2 of INV-2024/7 says about "late payment" by the tenants');
  expect(terms.filter(({ exact }) => exact).map(({ word }) => word)).toEqual(['late payment', '4.2', 'inv-2024/7']);
  expect(terms.filter(({ exact }) => !exact).map(({ word }) => word)).toEqual(
    ['claus', 'lat', 'payment', 'tenant'].map(stem),
  );
});

test('prefers a word to its synonym, and a synonym to no match', () => {
  const { matches } = lexiconOf(termsOf('salary'));
  const weight = (word: string) => matches(word)[0]?.weight ?? 0;
  expect(weight('Salaries')).toBe(1);
  expect(weight('wages')).toBeGreaterThan(0.2);
  expect(weight('wages')).toBeLessThan(1);
  expect(weight('river')).toBe(0);
});

test('splits a prompt into requests by kind, and keeps the rest as an aside', () => {
  const read = readPrompt(
    'I am a tenant in Bristol.\n1. Who pays for repairs?\n2. List all deadlines.\n- Summarise the lease.',
    'en',
  );
  expect(read.map(({ kind }) => kind)).toEqual(['answer', 'list', 'summarise']);
  expect(read[0]).toMatchObject({ text: 'Who pays for repairs?', aside: 'I am a tenant in Bristol.', hint: 'person' });
});

test.each([
  ['Compare Yellow 7 with Blue 3', ['Yellow 7', 'Blue 3']],
  ['What is the difference between the lease and the licence regarding notice?', ['lease', 'licence']],
  ['Compare the rent in contract A and contract B.', ['contract A', 'contract B']],
  ['lease vs. licence', ['lease', 'licence']],
])('finds the sides of %j', (prompt, sides) => {
  expect(readPrompt(prompt, 'en')[0]).toMatchObject({ kind: 'compare', sides });
});

test.each([
  ['When does it start?', 'date'],
  ['How much does it cost?', 'amount'],
  ['How many people came?', 'number'],
  ['How long does it take?', 'duration'],
  ['Where is the office?', 'place'],
  ['Why did it fail?', 'reason'],
  ['Wie lange dauert es?', 'duration'],
])('recognizes the kind of value that %j asks for', (prompt, hint) => {
  expect(readPrompt(prompt, 'en')[0]?.hint).toBe(hint);
});
