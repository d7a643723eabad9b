/** What counts as the terms of a question. */
import { expect, it } from 'vitest';
import { searchFor } from '../../agents/research/search.ts';

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
