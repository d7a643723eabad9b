/** Which lines are headings: those set larger than what most of the document is set in, the largest being the first level. */
import type { Line } from './lines-of.ts';

const LARGER = 1.12;
const MOST_LEVELS = 4;
const MOST_LENGTH = 150;
/** More of them than this part of all text, and they are no headings. */
const MOST_SHARE = 0.2;

export type LevelOf = (line: Line) => number | undefined;

export function headingLevels(lines: readonly Line[]): LevelOf {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    lengths.set(rounded(size), (lengths.get(rounded(size)) ?? 0) + text.length);
  }
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const [body = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
  const sizes = [...lengths]
    .filter(([size, length]) => size > body * LARGER && length < total * MOST_SHARE)
    .map(([size]) => size)
    .sort((a, b) => b - a);
  return ({ size, text }) => {
    const at = sizes.indexOf(rounded(size));
    return at < 0 || text.length > MOST_LENGTH ? undefined : Math.min(at + 1, MOST_LEVELS);
  };
}

const rounded = (size: number): number => Math.round(size * 2) / 2;
