/** Breaks a text into lines that are no wider than there is room. */
import type { Measure } from './measure.ts';

const PIECES = /\s*(?:[^\s\-/]+[-/]*|[-/]+)/gu;
const ELLIPSIS = '…';

export type Lines = { lines: string[]; isWhole: boolean };

/** Between words, after hyphens and slashes, and inside a word only if it is wider than a line. */
export function wrap(text: string, room: number, measure: Measure, most = Infinity): Lines {
  const lines: string[] = [];
  let line = '';
  let isWhole = true;
  for (const [piece] of text.matchAll(PIECES)) {
    if (measure((line + piece).trim()) <= room) {
      line += piece;
      continue;
    }
    if (line.trim()) lines.push(line.trim());
    const [parts, rest] = broken(piece.trim(), room, measure);
    if (parts.length > 0) isWhole = false;
    lines.push(...parts);
    line = rest;
  }
  if (line.trim()) lines.push(line.trim());
  if (lines.length <= most) return { lines, isWhole };
  const last = lines.slice(most - 1).join(' ');
  return { lines: [...lines.slice(0, most - 1), shorten(last, room, measure)], isWhole: false };
}

function broken(word: string, room: number, measure: Measure): [parts: string[], rest: string] {
  const parts: string[] = [];
  let rest = word;
  while (measure(rest) > room && rest.length > 1) {
    const part = fitting(rest, room, measure) || firstOf(rest);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [parts, rest];
}

/** The whole text, or as much of it as there is room for and a sign that there is more. */
export function shorten(text: string, room: number, measure: Measure): string {
  if (measure(text) <= room) return text;
  return fitting(text, room - measure(ELLIPSIS), measure).trimEnd() + ELLIPSIS;
}

function fitting(text: string, room: number, measure: Measure): string {
  let width = 0;
  let end = 0;
  for (const letter of text) {
    width += measure(letter);
    if (width > room) break;
    end += letter.length;
  }
  return text.slice(0, end);
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);
