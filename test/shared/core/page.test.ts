import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cursorOf, parseCursor } from '../../../shared/core/cursor.ts';
import { isProblem } from '../../../shared/core/problem.ts';

const faultOf = (cursor: string, isPosition = (_: string) => true): unknown => {
  try {
    return parseCursor(cursor, isPosition);
  } catch (error) {
    return error;
  }
};

it('decodes every cursor to its position', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (position) => {
      expect(parseCursor(cursorOf(position), () => true)).toBe(position);
      expect(cursorOf(position)).toMatch(/^[\w-]*$/);
    }),
  );
});

it.each(['%%%', 'a b', 'QQ==', 'é', '_w', 'QR'])('refuses the invalid cursor %j', (cursor) => {
  expect(isProblem(faultOf(cursor), 'badCursor')).toBe(true);
});

it('refuses a position that this list cannot contain', () => {
  expect(
    isProblem(
      faultOf(cursorOf('B#1'), (position) => position.startsWith('A#')),
      'badCursor',
    ),
  ).toBe(true);
});
