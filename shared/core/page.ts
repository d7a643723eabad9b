/** Page addresses: opaque to the caller, a position in byte order to us. */
import { Problem } from './problem.ts';

export const cursorOf = (position: string): string => Buffer.from(position, 'utf8').toString('base64url');

/** Throws unless the cursor is one that `cursorOf` made for a position this list can have. */
export function parseCursor(cursor: string, isPosition: (position: string) => boolean): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(position) !== cursor || !isPosition(position)) {
    throw new Problem('badCursor', 'This page address is not valid; start again without it.');
  }
  return position;
}
