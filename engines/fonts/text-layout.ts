/** Text width and line breaking for drawings, from a table of approximate widths. */
import { WIDTHS } from './widths.ts';

/** Scripts that the font lacks are shown by another font; most of their characters are as wide as they are high. */
const UNKNOWN = 1;
const MISSING = Number.parseInt('zz', 36);
/** Semi-bold letters are wider than regular ones. */
const STRONG = 1.1;
/** A browser shows another font of the same kind, which may be wider. */
const SAFETY_MARGIN = 1.15;
const MARK = /\p{M}/u;

const widths = new Map<string, number>();
for (const [first, digits] of WIDTHS) {
  for (let at = 0; at < digits.length; at += 2) {
    const hundredths = Number.parseInt(digits.slice(at, at + 2), 36);
    if (hundredths !== MISSING) widths.set(String.fromCodePoint(first + at / 2), hundredths / 100);
  }
}

/** Fonts differ most in the width of the minus sign. */
widths.set('−', 0.75);

const widthOf = (character: string): number => widths.get(character) ?? (MARK.test(character) ? 0 : UNKNOWN);

type MeasureText = (text: string) => number;

export function measureAt(size: number, { strong = false } = {}): MeasureText {
  const factor = size * SAFETY_MARGIN * (strong ? STRONG : 1);
  return (text) => {
    let ems = 0;
    for (const character of text) ems += widthOf(character);
    return ems * factor;
  };
}

const PIECES = /\s*(?:[^\s\-/]+[-/]*|[-/]+)/gu;
const ELLIPSIS = '…';

type WrappedText = { lines: string[]; isWhole: boolean };

/**
 * Breaks a text into lines of a given width: between words, after hyphens and slashes, and inside a word only if it is
 * wider than a line.
 */
export function wrap(text: string, room: number, measure: MeasureText, max = Infinity): WrappedText {
  const lines: string[] = [];
  let line = '';
  let isWhole = true;
  for (const [piece] of text.matchAll(PIECES)) {
    if (measure((line + piece).trim()) <= room) {
      line += piece;
      continue;
    }
    if (line.trim()) lines.push(line.trim());
    const [parts, rest] = breakWord(piece.trim(), room, measure);
    if (parts.length > 0) isWhole = false;
    lines.push(...parts);
    line = rest;
  }
  if (line.trim()) lines.push(line.trim());
  if (lines.length <= max) return { lines, isWhole };
  const last = lines.slice(max - 1).join(' ');
  return { lines: [...lines.slice(0, max - 1), shorten(last, room, measure)], isWhole: false };
}

function breakWord(word: string, room: number, measure: MeasureText): [parts: string[], rest: string] {
  const parts: string[] = [];
  let rest = word;
  while (measure(rest) > room && rest.length > 1) {
    const part = fittingPrefix(rest, room, measure) || firstCharacter(rest);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [parts, rest];
}

/** Returns the whole text if it fits, or the beginning with an ellipsis. */
export function shorten(text: string, room: number, measure: MeasureText): string {
  if (measure(text) <= room) return text;
  return fittingPrefix(text, room - measure(ELLIPSIS), measure).trimEnd() + ELLIPSIS;
}

function fittingPrefix(text: string, room: number, measure: MeasureText): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += measure(character);
    if (width > room) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);
