/** Applies named rules to the parts of a document: every value with its position and context. */
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { crownsIn } from './amounts.ts';
import { dayFirstIn } from './dates.ts';
import { type Habits, oneLine, type RuleMatch } from './match.ts';
import { NAMED_RULES, type RuleName } from './named-rules.ts';

/** Applies named rules to the parts of a document: every value with where it stands and the text around it. */
export type FoundValue = {
  rule: RuleName;
  value: string;
  /** As the document writes it. */
  text: string;
  place: string;
  /** A piece of the part's own text, word for word, around the value. */
  excerpt: string;
} & Record<string, unknown>;

/** Longer parts are cut at the end of a line, so that no pattern ever meets more. */
const PIECE = 20_000;
const MOST_TEXT = 400;
const AROUND = 80;
/** Of a document's text, to learn its habits. */
const MOST_READ = 1_000_000;

/** Lets others go on between pieces; breaks off with the signal's reason. */
export async function applyRules(
  parts: readonly DocumentPart[],
  rules: readonly RuleName[],
  signal: AbortSignal,
): Promise<FoundValue[]> {
  const habits = habitsOf(parts);
  const found: FoundValue[] = [];
  for (const { label, text } of parts) {
    for (const piece of piecesOf(text)) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      for (const rule of rules) {
        found.push(...NAMED_RULES[rule](piece, habits).map((match) => foundIn(piece, { rule, place: label, match })));
      }
    }
  }
  return found;
}

function habitsOf(parts: readonly DocumentPart[]): Habits {
  let text = '';
  for (const part of parts) {
    if (text.length > MOST_READ) break;
    text += `${part.text.slice(0, MOST_READ)}\n`;
  }
  return { dayFirst: dayFirstIn(text), assumesDayFirst: !isAmerican(text), crowns: crownsIn(text) };
}

/** A state with its ZIP code, or dollars and no other currency. */
const isAmerican = (text: string): boolean =>
  /\b[A-Z]{2},? \d{5}(?:-\d{4})?\b/.test(text) ||
  (/(?:^|[^A-Z])\$ ?\d|\bUSD\b/.test(text) && !/[€£]|\b(?:EUR|GBP|CHF)\b/.test(text));

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.lastIndexOf('\n', from + PIECE);
    const to = text.length - from <= PIECE ? text.length : end > from ? end + 1 : from + PIECE;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

type Where = { rule: RuleName; place: string; match: RuleMatch };

function foundIn(piece: string, { rule, place, match: { start, end, value, more } }: Where): FoundValue {
  const text = oneLine(piece.slice(start, end)).slice(0, MOST_TEXT);
  return { ...more, rule, value: value.slice(0, MOST_TEXT), text, place, excerpt: excerptOf(piece, start, end) };
}

/** The line, or what of it stands around the value, from word to word. */
function excerptOf(piece: string, start: number, end: number): string {
  const stop = Math.min(end, start + MOST_TEXT);
  const lineStart = piece.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = piece.indexOf('\n', stop);
  const from = Math.max(lineStart, start - AROUND);
  const to = Math.min(lineEnd < 0 ? piece.length : lineEnd, stop + AROUND);
  const left = from > lineStart ? piece.slice(from, start).replace(/^\S*\s/, '') : piece.slice(from, start);
  const right = to < piece.length ? piece.slice(stop, to).replace(/\s\S*$/, '') : piece.slice(stop, to);
  return `${left}${piece.slice(start, stop)}${to === lineEnd ? piece.slice(stop, to) : right}`.trim();
}
