/** Finds where a quote stands in a document, however exactly a model repeats it. What is shown is cut from the document. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { LocatedQuote, Place, QuoteMatch } from '../place.ts';
import { cellsIn } from './cells.ts';
import { foldOnce, foldText, isInsideWord, originalStretch } from './folded-text.ts';
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

/** A stretch of the original text of a part. */
type Stretch = { from: number; to: number };

/** Where each quote stands in the parts that a person sees; undefined where it does not. */
export const locateQuotes = ({ parts, quotes }: { parts: readonly DocumentPart[]; quotes: readonly string[] }) =>
  quotes.map((quote) => locateQuote(parts, quote));

/** The most exact place of all parts, and the first of these. */
export function locateQuote(parts: readonly DocumentPart[], quote: string): LocatedQuote | undefined {
  if (quote.length > LONGEST_QUOTE || lettersIn(quote) < LEAST_LETTERS) return undefined;
  const wanted = foldText(quote).text;
  return (
    contiguous(parts, quote, wanted) ??
    acrossPages(parts, wanted) ??
    firstIn(parts, 'ellipsis', piecesFinder(quote)) ??
    firstIn(parts, 'cells', (part) => cellsIn(part, wanted)) ??
    firstIn(parts, 'recognized', (part) => (isRecognized(part) ? recognizedIn(part, wanted) : undefined))
  );
}

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const isRecognized = ({ ocr, unsure }: DocumentPart): boolean => ocr !== undefined || (unsure?.length ?? 0) > 0;

function firstIn(
  parts: readonly DocumentPart[],
  match: QuoteMatch,
  find: (part: DocumentPart) => Stretch | undefined,
): LocatedQuote | undefined {
  for (const [nth, part] of parts.entries()) {
    const found = part.hidden ? undefined : find(part);
    if (found && !cutsFigure(part.text, found)) return { ...placeIn(part, nth, found), match };
  }
  return undefined;
}

function placeIn(document: DocumentPart, part: number, { from, to }: Stretch): Place {
  const page = pageOf(document);
  return { part, from, to, label: document.label, ...(page === undefined ? {} : { page }) };
}

/** An exact place is better than a folded one, and one that cuts no word better than one that does. */
type Ranked = Stretch & { match: QuoteMatch; rank: number };
const BEST = 3;

function contiguous(parts: readonly DocumentPart[], quote: string, wanted: string): LocatedQuote | undefined {
  let best: { part: number; ranked: Ranked } | undefined;
  for (const [part, whole] of parts.entries()) {
    const ranked = whole.hidden ? undefined : bestIn(whole, quote, wanted);
    if (ranked && ranked.rank > (best?.ranked.rank ?? -1)) best = { part, ranked };
    if (best?.ranked.rank === BEST) break;
  }
  const whole = best && parts[best.part];
  return best && whole && { ...placeIn(whole, best.part, best.ranked), match: best.ranked.match };
}

function bestIn(part: DocumentPart, quote: string, wanted: string): Ranked | undefined {
  const folded = foldOnce(part);
  let best: Ranked | undefined;
  for (const at of occurrences(folded.text, wanted, OCCURRENCES)) {
    const stretch = widened(part.text, originalStretch(part.text, folded, at, at + wanted.length), quote);
    const ranked = cutsFigure(part.text, stretch) ? undefined : rankedAt(part.text, stretch, quote, wanted);
    if (ranked && ranked.rank > (best?.rank ?? -1)) best = ranked;
    if (best?.rank === BEST) break;
  }
  return best;
}

function rankedAt(text: string, stretch: Stretch, quote: string, wanted: string): Ranked | undefined {
  const isWhole = !isInsideWord(text, stretch.from) && !isInsideWord(text, stretch.to);
  if (!isWhole && wanted.length < LONG_ENOUGH_FOR_PARTS) return undefined;
  const match = contiguousMatch(text.slice(stretch.from, stretch.to), quote);
  return { ...stretch, match, rank: (match === 'exact' ? 2 : 0) + (isWhole ? 1 : 0) };
}

const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function contiguousMatch(found: string, quote: string): QuoteMatch {
  if (collapsed(found) === collapsed(quote)) return 'exact';
  return /[^\\]\|/.test(found) && !quote.includes('|') ? 'cells' : 'folded';
}

/** With the signs at its ends that folding drops, if the text has them as well, such as the last full stop. */
function widened(text: string, { from, to }: Stretch, quote: string): Stretch {
  const trimmed = quote.trim();
  const [first, last] = [stepsToWord(trimmed, 0, 1), stepsToWord(trimmed, trimmed.length - 1, -1)];
  const start = from + stepsToWord(text, from, 1) - first;
  const end = to - stepsToWord(text, to - 1, -1) + last;
  return {
    from: text.slice(Math.max(0, start), start + first) === trimmed.slice(0, first) ? Math.min(from, start) : from,
    to: text.slice(end - last, end) === trimmed.slice(trimmed.length - last) ? Math.max(to, end) : to,
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
  const [before, first] = [text.slice(Math.max(0, from - 2), from), text.slice(from, from + 1)];
  const [last, behind] = [text.slice(to - 1, to), text.slice(to, to + 2)];
  return (/\d$|\d[.,'’]$/.test(before) && /\d/.test(first)) || (/\d/.test(last) && /^\d|^[.,'’]\d/.test(behind));
}

function acrossPages(parts: readonly DocumentPart[], wanted: string): LocatedQuote | undefined {
  let before: { part: DocumentPart; nth: number } | undefined;
  for (const [nth, part] of parts.entries()) {
    if (part.hidden || foldOnce(part).text === '') continue;
    const pieces = before && piecesAcross(foldOnce(before.part).text, foldOnce(part).text, wanted);
    if (before && pieces) {
      const [first, second] = pieces;
      const isFirst = first.to - first.from >= second.to - second.from;
      const [holder, piece] = isFirst ? [before, first] : [{ part, nth }, second];
      const stretch = originalStretch(holder.part.text, foldOnce(holder.part), piece.from, piece.to);
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
    const folded = foldOnce(part);
    for (const at of occurrences(folded.text, anchor, OCCURRENCES)) {
      const found = piecesAround(folded.text, { from: at, to: at + anchor.length }, pieces, longest);
      if (found) return originalStretch(part.text, folded, found.from, found.to);
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

/** The number of the part's page, slide or sheet, which its label may say. */
export function pageOf({ label, page }: Pick<DocumentPart, 'label' | 'page'>): number | undefined {
  const named = /^(?:page|slide|sheet) (\d+)(?!\d)/.exec(label)?.[1];
  return page ?? (named === undefined ? undefined : Number(named));
}
