/** How wide a text is, near enough for laying pictures out; what is exact comes from the font itself. */
import { WIDTHS } from './widths.ts';

/** Letters of scripts that the font lacks are shown by another, and those are mostly as wide as they are high. */
const UNKNOWN = 1;
const MISSING = Number.parseInt('zz', 36);
/** Semi-bold letters are wider than regular ones. */
const STRONG = 1.1;
/** A page in a browser shows another font of the same kind, which may be wider. */
const SAFETY_MARGIN = 1.15;
const MARK = /\p{M}/u;

const widths = new Map<string, number>();
for (const [first, digits] of WIDTHS) {
  for (let at = 0; at < digits.length; at += 2) {
    const hundredths = Number.parseInt(digits.slice(at, at + 2), 36);
    if (hundredths !== MISSING) widths.set(String.fromCodePoint(first + at / 2), hundredths / 100);
  }
}

/** In no sign do fonts differ more. */
widths.set('−', 0.75);

const widthOf = (letter: string): number => widths.get(letter) ?? (MARK.test(letter) ? 0 : UNKNOWN);

export type MeasureText = (text: string) => number;

export function measureAt(size: number, { strong = false } = {}): MeasureText {
  const factor = size * SAFETY_MARGIN * (strong ? STRONG : 1);
  return (text) => {
    let ems = 0;
    for (const letter of text) ems += widthOf(letter);
    return ems * factor;
  };
}
