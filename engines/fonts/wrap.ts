/** Breaks a text into lines that are no wider than there is room. */
import type { MeasureText } from './measure.ts';

const PIECES = /\s*(?:[^\s\-/]+[-/]*|[-/]+)/gu;
const ELLIPSIS = '…';

export type WrappedText = { lines: string[]; isWhole: boolean };

/** Between words, after hyphens and slashes, and inside a word only if it is wider than a line. */
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

/** The whole text, or as much of it as there is room for and a sign that there is more. */
export function shorten(text: string, room: number, measure: MeasureText): string {
  if (measure(text) <= room) return text;
  return fittingPrefix(text, room - measure(ELLIPSIS), measure).trimEnd() + ELLIPSIS;
}

function fittingPrefix(text: string, room: number, measure: MeasureText): string {
  let width = 0;
  let end = 0;
  for (const letter of text) {
    width += measure(letter);
    if (width > room) break;
    end += letter.length;
  }
  return text.slice(0, end);
}

const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);
