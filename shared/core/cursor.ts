/** The cursor of a page, the same in every adapter: opaque to callers, a position in byte order to us. */

import { Problem } from './problem.ts';

export const cursorOf = (position: string): string => Buffer.from(position, 'utf8').toString('base64url');

/** Throws unless `cursorOf` made the cursor for a position that is valid in this list. */
export function parseCursor(cursor: string, isPosition: (position: string) => boolean): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(position) !== cursor || !isPosition(position)) {
    throw new Problem('badCursor', 'Invalid cursor. Omit `cursor` to start from the first page.');
  }
  return position;
}
