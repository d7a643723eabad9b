/** Writes down how wide the letters of the fonts are, for measuring text without loading one: `node scripts/fonts/widths.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Font, openFont } from '../../engines/fonts/font.ts';

const root = join(import.meta.dirname, '../..');
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1eff],
  [0x2010, 0x2044],
  [0x2070, 0x2122],
  [0x2190, 0x2199],
  [0x2212, 0x2265],
] as const;

const PER_EM = 100;
const MISSING = 'zz';

export function widthsOf(font: Font): [first: number, digits: string][] {
  return RANGES.map(([first, last]) => [
    first,
    Array.from({ length: last - first + 1 }, (_, at) => digits(font, first + at)).join(''),
  ]);
}

function digits(font: Font, code: number): string {
  const glyph = font.glyphOf(code);
  if (glyph === 0) return MISSING;
  return Math.ceil((font.advanceOf(glyph) / font.unitsPerEm) * PER_EM)
    .toString(36)
    .padStart(2, '0');
}

if (import.meta.main) {
  const font = openFont(readFileSync(join(root, 'assets/fonts/inter-regular.ttf')));
  const rows = widthsOf(font).map(([start, text]) => `  [0x${start.toString(16)}, '${text}'],`);
  writeFileSync(
    join(root, 'engines/fonts/widths.ts'),
    [
      '/** Advance widths of the regular font in hundredths of an em, two digits of base 36 a character. Written by scripts/fonts/widths.ts. */',
      'export const WIDTHS: readonly (readonly [first: number, digits: string])[] = [',
      ...rows,
      '];\n',
    ].join('\n'),
  );
}
