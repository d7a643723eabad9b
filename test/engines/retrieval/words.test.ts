/** Which words count as the same. */
import { expect, test } from 'vitest';
import { indexedWords, stem } from '../../../engines/retrieval/words.ts';

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
  expect(indexedWords('Müller’s CAFÉ 4b')).toEqual(['muller', 's', 'cafe', '4b']);
  expect(indexedWords('合同终止')).toEqual(['合同', '同终', '终止', '止']);
});
