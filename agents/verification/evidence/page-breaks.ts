/** Finds a quote that begins on one page and ends on the next, with or without feet and heads of pages in between. */

type Stretch = { from: number; to: number };

/** Feet and heads of pages are no longer than this. */
const FURNITURE = 300;
/** A shorter piece must stand right at the border of the page: it could stand anywhere else by chance. */
const LEAST_PIECE = 20;

/** The pieces of the folded quote, in the folded text of either page. */
export function piecesAcross(first: string, second: string, wanted: string): [Stretch, Stretch] | undefined {
  const begin = Math.max(0, first.length - wanted.length - FURNITURE);
  const tail = first.slice(begin);
  const head = second.slice(0, wanted.length + FURNITURE);
  const length = longestBeginning(tail, wanted);
  if (length === 0) return undefined;
  const start = begin + tail.lastIndexOf(wanted.slice(0, length));
  const left: Stretch = { from: start, to: start + wanted.slice(0, length).trimEnd().length };
  // The hyphen of a word that the break divides is a space at the end of a text.
  const rest = wanted.slice(length).trimStart();
  const at = head.indexOf(rest);
  if (at < 0 || rest === '' || left.to === left.from) return undefined;
  const right: Stretch = { from: at, to: at + rest.length };
  const isAtEnd = left.to === first.length || left.to - left.from >= LEAST_PIECE;
  const isAtBegin = right.from === 0 || rest.length >= LEAST_PIECE;
  return isAtEnd && isAtBegin ? [left, right] : undefined;
}

/** How much of the beginning of the quote the text has. */
function longestBeginning(text: string, wanted: string): number {
  let [least, most] = [0, wanted.length - 1];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (text.includes(wanted.slice(0, middle))) least = middle;
    else most = middle - 1;
  }
  return least;
}
