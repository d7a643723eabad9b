/** What counts as the terms of a question. */
import { expect, it } from 'vitest';
import { lacksFigure, searchFor } from '../../agents/research/search.ts';

const mainTerms = (query: string, queries: string[] = []) => {
  const { lexicon, main } = searchFor({ query, places: [], queries });
  return lexicon.terms.flatMap(({ word }, at) => (main.has(at) ? [word] : []));
};

it('leaves words for change out of the main terms of a question', () => {
  expect(mainTerms('How do harbour fees change?')).toEqual(expect.arrayContaining(['harbour']));
  expect(mainTerms('How do harbour fees change?')).not.toContain('chang');
});

it('takes the terms of all queries when the question has none of its own', () => {
  expect(mainTerms('What changes?', ['freight rates'])).toEqual(expect.arrayContaining(['freight']));
});

it.each([
  ['When did the keeper retire?', 'The keeper was Ann Lee.', true],
  ['When did the keeper retire?', 'She retired in 1931.', false],
  ['What did the roof cost?', 'The roof was built in 1931.', true],
  ['What did the roof cost?', 'The roof cost 4 million euros.', false],
  ['Wie viele Fahrgäste hat die Fähre?', 'Die Fähre ist beliebt.', true],
  ['How did the fees change?', 'The fees fell.', false],
])('says of %s whether %s lacks the figure: %s', (question, text, isLacking) => {
  expect(lacksFigure(question, [{ text }])).toBe(isLacking);
});
