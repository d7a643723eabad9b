/** Finds where a quote stands in a document, however exactly a model repeats it. What is shown is cut from the document. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { LocatedQuote, Place, QuoteMatch, Stretch } from '../located-quote.ts';
import { cellsIn } from './cells.ts';
import { cachedFoldedText, foldText, isInsideWord, originalStretch } from './folded-text.ts';
import { occurrences } from './occurrences.ts';
import { piecesAcross } from './page-breaks.ts';
import { recognizedIn } from './recognized-text.ts';

const LONGEST_QUOTE = 2_000;
const LEAST_LETTERS = 2;
/** How far the first and the last piece of a quote with an ellipsis may be from each other. */
const LONGEST_ELLIPSIS = 2_000;
const OCCURRENCES = 50;
/** A shorter quote is no part of a longer word. */
const LONG_ENOUGH_FOR_PARTS = 8;

/** Where each quote stands in the parts that a person sees; undefined where it does not. */
export const locateQuotes = ({ parts, quotes }: { parts: readonly DocumentPart[]; quotes: readonly string[] }) =>
  quotes.map((quote) => locateQuote(parts, quote));

/** The most exact place of all parts, and the first of these. */
export function locateQuote(parts: readonly DocumentPart[], quote: string): LocatedQuote | undefined {
  if (quote.length > LONGEST_QUOTE || lettersIn(quote) < LEAST_LETTERS) return undefined;
  const foldedQuote = foldText(quote).text;
  return (
    contiguous(parts, quote, foldedQuote) ??
    acrossPages(parts, foldedQuote) ??
    firstIn(parts, 'ellipsis', piecesFinder(quote)) ??
    firstIn(parts, 'cells', (part) => cellsIn(part, foldedQuote)) ??
    firstIn(parts, 'recognized', (part) => (isRecognized(part) ? recognizedIn(part, foldedQuote) : undefined))
  );
}

/** The number of the part's page, slide or sheet, which its label may say. */
export function pageOf({ label, page }: Pick<DocumentPart, 'label' | 'page'>): number | undefined {
  const pageInLabel = /^(?:page|slide|sheet) (\d+)(?!\d)/.exec(label)?.[1];
  return page ?? (pageInLabel === undefined ? undefined : Number(pageInLabel));
}

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const isRecognized = ({ ocr, unsure }: DocumentPart): boolean => ocr !== undefined || (unsure?.length ?? 0) > 0;

function firstIn(
  parts: readonly DocumentPart[],
  match: QuoteMatch,
  find: (part: DocumentPart) => Stretch | undefined,
): LocatedQuote | undefined {
  for (const [nth, part] of parts.entries()) {
    const stretch = part.hidden ? undefined : find(part);
    if (stretch && !cutsFigure(part.text, stretch)) return { ...placeIn(part, nth, stretch), match };
  }
  return undefined;
}

function placeIn(document: DocumentPart, part: number, { from, to }: Stretch): Place {
  const page = pageOf(document);
  return { part, from, to, label: document.label, ...(page === undefined ? {} : { page }) };
}

/** An exact place is better than a folded one, and one that cuts no word better than one that does. */
type RankedStretch = Stretch & { match: QuoteMatch; rank: number };
const BEST = 3;

function contiguous(parts: readonly DocumentPart[], quote: string, foldedQuote: string): LocatedQuote | undefined {
  let best: { part: number; ranked: RankedStretch } | undefined;
  for (const [part, whole] of parts.entries()) {
    const ranked = whole.hidden ? undefined : bestIn(whole, quote, foldedQuote);
    if (ranked && ranked.rank > (best?.ranked.rank ?? -1)) best = { part, ranked };
    if (best?.ranked.rank === BEST) break;
  }
  const whole = best && parts[best.part];
  return best && whole && { ...placeIn(whole, best.part, best.ranked), match: best.ranked.match };
}

function bestIn(part: DocumentPart, quote: string, foldedQuote: string): RankedStretch | undefined {
  const folded = cachedFoldedText(part);
  let best: RankedStretch | undefined;
  for (const at of occurrences(folded.text, foldedQuote, OCCURRENCES)) {
    const stretch = widenedStretch(part.text, originalStretch(part.text, folded, at, at + foldedQuote.length), quote);
    const ranked = cutsFigure(part.text, stretch) ? undefined : rankedAt(part.text, stretch, quote, foldedQuote);
    if (ranked && ranked.rank > (best?.rank ?? -1)) best = ranked;
    if (best?.rank === BEST) break;
  }
  return best;
}

function rankedAt(text: string, stretch: Stretch, quote: string, foldedQuote: string): RankedStretch | undefined {
  const isWhole = !isInsideWord(text, stretch.from) && !isInsideWord(text, stretch.to);
  if (!isWhole && foldedQuote.length < LONG_ENOUGH_FOR_PARTS) return undefined;
  const match = contiguousMatch(text.slice(stretch.from, stretch.to), quote);
  return { ...stretch, match, rank: (match === 'exact' ? 2 : 0) + (isWhole ? 1 : 0) };
}

const collapsedSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function contiguousMatch(passage: string, quote: string): QuoteMatch {
  if (collapsedSpaces(passage) === collapsedSpaces(quote)) return 'exact';
  return /[^\\]\|/.test(passage) && !quote.includes('|') ? 'cells' : 'folded';
}

/** With the signs at its ends that folding drops, if the text has them as well, such as the last full stop. */
function widenedStretch(text: string, { from, to }: Stretch, quote: string): Stretch {
  const trimmed = quote.trim();
  const [leading, trailing] = [stepsToWord(trimmed, 0, 1), stepsToWord(trimmed, trimmed.length - 1, -1)];
  const start = from + stepsToWord(text, from, 1) - leading;
  const end = to - stepsToWord(text, to - 1, -1) + trailing;
  return {
    from: text.slice(Math.max(0, start), start + leading) === trimmed.slice(0, leading) ? Math.min(from, start) : from,
    to: text.slice(end - trailing, end) === trimmed.slice(trimmed.length - trailing) ? Math.max(to, end) : to,
  };
}

/** How many characters stand before the first letter or digit in this direction. */
function stepsToWord(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < text.length && !/[\p{L}\p{N}\ud800-\udfff]/u.test(text.charAt(at))) at += step;
  return Math.abs(at - from);
}

/** `£18,000` is no part of `£118,000`, nor `1.5` of `1.55`. */
function cutsFigure(text: string, { from, to }: Stretch): boolean {
  const [textBefore, firstCharacter] = [text.slice(Math.max(0, from - 2), from), text.slice(from, from + 1)];
  const [lastCharacter, textBehind] = [text.slice(to - 1, to), text.slice(to, to + 2)];
  return (
    (/\d$|\d[.,'’]$/.test(textBefore) && /\d/.test(firstCharacter)) ||
    (/\d/.test(lastCharacter) && /^\d|^[.,'’]\d/.test(textBehind))
  );
}

function acrossPages(parts: readonly DocumentPart[], foldedQuote: string): LocatedQuote | undefined {
  let before: { part: DocumentPart; nth: number } | undefined;
  for (const [nth, part] of parts.entries()) {
    if (part.hidden || cachedFoldedText(part).text === '') continue;
    const pieces = before && piecesAcross(cachedFoldedText(before.part).text, cachedFoldedText(part).text, foldedQuote);
    if (before && pieces) {
      const [first, second] = pieces;
      const isFirst = first.to - first.from >= second.to - second.from;
      const [holder, piece] = isFirst ? [before, first] : [{ part, nth }, second];
      const stretch = originalStretch(holder.part.text, cachedFoldedText(holder.part), piece.from, piece.to);
      return { ...placeIn(holder.part, holder.nth, stretch), match: 'folded' };
    }
    before = { part, nth };
  }
  return undefined;
}

const ELLIPSIS = /\[ ?(?:…|\.{3}) ?\]|\( ?(?:…|\.{3}) ?\)|…|\.{3,}/u;

/** Finds the pieces around ellipses in their order; the place is from the first to the last. */
function piecesFinder(quote: string): (part: DocumentPart) => Stretch | undefined {
  const pieces = quote
    .split(ELLIPSIS)
    .filter((piece) => lettersIn(piece) >= LEAST_LETTERS)
    .map((piece) => foldText(piece).text);
  const longest = pieces.reduce((best, piece, nth) => (piece.length > (pieces[best]?.length ?? 0) ? nth : best), 0);
  return (part) => {
    const anchor = pieces[longest];
    if (pieces.length < 2 || anchor === undefined) return undefined;
    const folded = cachedFoldedText(part);
    for (const at of occurrences(folded.text, anchor, OCCURRENCES)) {
      const stretch = piecesAround(folded.text, { from: at, to: at + anchor.length }, pieces, longest);
      if (stretch) return originalStretch(part.text, folded, stretch.from, stretch.to);
    }
    return undefined;
  };
}

function piecesAround(text: string, anchor: Stretch, pieces: readonly string[], nth: number): Stretch | undefined {
  let { from, to } = anchor;
  const begin = Math.max(0, to - LONGEST_ELLIPSIS);
  const around = text.slice(begin, from + LONGEST_ELLIPSIS);
  for (const piece of pieces.slice(0, nth).reverse()) {
    from = from - piece.length < begin ? -1 : around.lastIndexOf(piece, from - begin - piece.length);
    if (from < 0) return undefined;
    from += begin;
  }
  for (const piece of pieces.slice(nth + 1)) {
    const at = around.indexOf(piece, to - begin);
    if (at < 0) return undefined;
    to = begin + at + piece.length;
  }
  return to - from <= LONGEST_ELLIPSIS ? { from, to } : undefined;
}
