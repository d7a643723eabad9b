/** What a search found is shortened to what is nearest to the query. */
import { expect, it } from 'vitest';
import { shortenedPassage } from '../../../agents/chat/shortened-passage.ts';

const ROWS = Array.from({ length: 40 }, (_, at) => `Line ${at} says something about berth ${at}.`).join('\n');

it('keeps a text that fits', () => {
  expect(shortenedPassage(ROWS, 'berth 33', 10_000)).toBe(ROWS);
});

it('keeps whole lines around the nearest one', () => {
  const short = shortenedPassage(ROWS, 'What does berth 33 say?', 200);
  expect(short.split('\n')).toHaveLength(5);
  expect(short).toContain('Line 33 says something about berth 33.');
  expect(short.length).toBeLessThanOrEqual(200);
  expect(ROWS).toContain(short);
});

it('cuts a long line around the first word of the query', () => {
  const line = `${'The sea is calm. '.repeat(100)}The deposit is 900.${' It rains.'.repeat(100)}`;
  const short = shortenedPassage(line, 'deposit', 120);
  expect(short).toHaveLength(120);
  expect(short).toContain('The deposit is 900.');
});
