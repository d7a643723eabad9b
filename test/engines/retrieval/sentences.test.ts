/** Where a sentence ends and where a full stop only shortens a word. */
import { expect, test } from 'vitest';
import { splitSentences } from '../../../engines/retrieval/passages.ts';

const split = (text: string, language = 'en') => splitSentences(text, language);

test.each([
  'Dr. Maria Lopez signed with J. R. Stone.',
  'Bring tools, e.g. A wrench, i.e. The large one.',
  'See No. 5 and Fig. 7 on p. 12.',
  'It is due on 3 Oct. 2026 at the latest.',
  'Prof. Dr. Weber met Mrs. Hall and St. Brendan.',
  '1. Empty the tank.',
  'Acme Inc. and Sons Ltd. sell parts.',
])('keeps %j in one piece', (text) => {
  expect(split(text)).toEqual([text]);
});

test('separates two sentences, also after an abbreviation', () => {
  expect(split('He works for Acme Inc. She does not.')).toEqual(['He works for Acme Inc.', 'She does not.']);
  expect(split('Did they agree? No. They left.')).toEqual(['Did they agree?', 'No.', 'They left.']);
  expect(split('It was 1999. Nobody came! Why?')).toEqual(['It was 1999.', 'Nobody came!', 'Why?']);
});

test('recognizes abbreviations of other languages, and accepts an unknown language', () => {
  expect(split('Das gilt z.B. Im Garten.', 'de')).toEqual(['Das gilt z.B. Im Garten.']);
  expect(split('One. Two.', 'xx-unknown')).toEqual(['One.', 'Two.']);
});
