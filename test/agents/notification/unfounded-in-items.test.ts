/** Which figures and dates of a sentence stand in none of the items that it rests on. */
import { expect, it } from 'vitest';
import { unfoundedInItems } from '../../../agents/notification/rules/unfounded-in-items.ts';

const TEXTS = [
  { date: '2026-11-20', text: 'Rates stay\nThe bank left its rate unchanged on Thursday. Prices rose by 2.1 %.' },
  { date: '2026-10-05', text: 'Freight is dearer\nA container costs USD 2,560, up from USD 2,310 in September.' },
];
const unfounded = (text: string, evidence = [0, 1]) =>
  unfoundedInItems({ texts: TEXTS, sentences: [{ text, evidence }] });

it.each([
  'It stayed on 20 November.',
  'On November 20 it stayed.',
  'On 20 November 2026 it stayed.',
  'Am 20. November blieb er, am 5.10.2026 waren es 2.560 Dollar.',
  'Le 20 novembre 2026, rien.',
  '11月20日',
  'In November 2026 prices rose by 2.1 percent.',
  'In 2026 a container costs 2,560 dollars.',
])('takes the day of an item, and what stands in its text: %s', (text) => expect(unfounded(text)).toEqual([[]]));

it.each([
  ['It was on 19 November.', ['19']],
  ['It was on 20 October.', ['20']],
  ['It was on 5 November 2026.', ['5 November 2026']],
  ['Already in 2025.', ['2025']],
  ['Freight costs 20 % more.', ['20']],
  ['It costs 2,610 dollars.', ['2,610']],
])('finds in “%s” what no item has: %j', (text, figures) => expect(unfounded(text)).toEqual([figures]));

it('looks in the items of the sentence alone, and finds everything where it has none', () => {
  expect(unfounded('It costs 2,560 dollars.', [0])).toEqual([['2,560']]);
  expect(unfounded('It costs 2,560 dollars.', [])).toEqual([['2,560']]);
});
