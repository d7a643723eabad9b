/** Which lines are headings: those set larger than what most of the document is set in, the largest being the first level. */
import type { PdfLine } from './lines-of.ts';

const MIN_HEADING_RATIO = 1.12;
const MAX_LEVELS = 4;
const MAX_LENGTH = 150;
/** More of them than this part of all text, and they are no headings. */
const MAX_SHARE = 0.2;

export type HeadingLevelOf = (line: PdfLine) => number | undefined;

export function headingLevels(lines: readonly PdfLine[]): HeadingLevelOf {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    lengths.set(rounded(size), (lengths.get(rounded(size)) ?? 0) + text.length);
  }
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const [body = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
  const sizes = [...lengths]
    .filter(([size, length]) => size > body * MIN_HEADING_RATIO && length < total * MAX_SHARE)
    .map(([size]) => size)
    .sort((a, b) => b - a);
  return ({ size, text }) => {
    const at = sizes.indexOf(rounded(size));
    return at < 0 || text.length > MAX_LENGTH ? undefined : Math.min(at + 1, MAX_LEVELS);
  };
}

const rounded = (size: number): number => Math.round(size * 2) / 2;
