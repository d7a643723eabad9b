/** Finds quotes in a document, ignoring differences in white space, capitals and quotation marks. */

import type { DocumentPart } from '../../../engines/documents/document.ts';

export type Quoted = { part: number; start: number; end: number };

/** Where each quote stands first in the parts that a person sees; undefined where it does not. */
export const findQuotes = ({ parts, quotes }: { parts: readonly DocumentPart[]; quotes: readonly string[] }) =>
  quotes.map((quote) => findQuote(parts, quote));

export function findQuote(parts: readonly DocumentPart[], quote: string): Quoted | undefined {
  const wanted = quote.replaceAll(/\s+/g, ' ').trim();
  if (wanted === '') return undefined;
  for (const [part, whole] of parts.entries()) {
    if (whole.hidden) continue;
    const { plain, at, alike: folded } = collapsed(whole);
    const exact = plain.indexOf(wanted);
    const found = exact < 0 ? folded().indexOf(alike(wanted)) : exact;
    if (found < 0) continue;
    const start = at[found] ?? 0;
    return { part, start, end: (at[found + wanted.length - 1] ?? start) + 1 };
  }
  return undefined;
}

type Collapsed = { plain: string; at: number[]; alike(): string };
const collapsedParts = new WeakMap<DocumentPart, Collapsed>();

/** Each proposal of a model cites the same parts. */
function collapsed(part: DocumentPart): Collapsed {
  const before = collapsedParts.get(part);
  if (before) return before;
  const { plain, at } = collapseSpace(part.text);
  let folded: string | undefined;
  const result = { plain, at, alike: () => (folded ??= alike(plain)) };
  collapsedParts.set(part, result);
  return result;
}

/** Keeps the length: letters whose small form is longer stay as they are. */
const alike = (text: string): string =>
  text
    .replaceAll(/\p{Lu}/gu, (letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter))
    .replaceAll(/[‘’‚´`]/g, "'")
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‐‑–—]/g, '-');

/** Collapses each run of white space to one space, and records the original position of each character. */
function collapseSpace(text: string): { plain: string; at: number[] } {
  let plain = '';
  let isAfterSpace = false;
  const at: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const isSpace = /\s/.test(text[index] ?? '');
    if (isSpace && isAfterSpace) continue;
    isAfterSpace = isSpace;
    plain += isSpace ? ' ' : text[index];
    at.push(index);
  }
  return { plain, at };
}
