/** Finds a quote that begins on one page and ends on the next, with or without feet and heads of pages in between. */

import type { Stretch } from '../located-quote.ts';

/** Feet and heads of pages are no longer than this. */
const FURNITURE = 300;
/** A shorter piece must stand right at the border of the page: it could stand anywhere else by chance. */
const LEAST_PIECE = 20;

/** The pieces of the folded quote, in the folded text of either page. */
export function piecesAcross(first: string, second: string, foldedQuote: string): [Stretch, Stretch] | undefined {
  const begin = Math.max(0, first.length - foldedQuote.length - FURNITURE);
  const tail = first.slice(begin);
  const head = second.slice(0, foldedQuote.length + FURNITURE);
  const length = longestBeginning(tail, foldedQuote);
  if (length === 0) return undefined;
  const start = begin + tail.lastIndexOf(foldedQuote.slice(0, length));
  const left: Stretch = { from: start, to: start + foldedQuote.slice(0, length).trimEnd().length };
  // The hyphen of a word that the break divides is a space at the end of a text.
  const remainder = foldedQuote.slice(length).trimStart();
  const at = head.indexOf(remainder);
  if (at < 0 || remainder === '' || left.to === left.from) return undefined;
  const right: Stretch = { from: at, to: at + remainder.length };
  const isAtEnd = left.to === first.length || left.to - left.from >= LEAST_PIECE;
  const isAtBegin = right.from === 0 || remainder.length >= LEAST_PIECE;
  return isAtEnd && isAtBegin ? [left, right] : undefined;
}

/** How much of the beginning of the quote the text has. */
function longestBeginning(text: string, foldedQuote: string): number {
  let [least, greatest] = [0, foldedQuote.length - 1];
  while (least < greatest) {
    const middle = Math.ceil((least + greatest) / 2);
    if (text.includes(foldedQuote.slice(0, middle))) least = middle;
    else greatest = middle - 1;
  }
  return least;
}
