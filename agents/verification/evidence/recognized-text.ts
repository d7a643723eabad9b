/** Finds a quote in a text that was recognized from a picture, where letters are taken for others and spaces are lost. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { cachedFoldedText, originalStretch } from './folded-text.ts';

/** The form of each ASCII character, 0 for those that no skeleton has. */
const FORMS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  const group = ['o0', 'l1i', 's5', 'b8', 'z2', 'g9q', ',.'].find((signs) => signs.includes(sign));
  return /[a-z\d.,]/.test(sign) ? (group ?? sign).charCodeAt(0) : 0;
});
const IS_FIGURE = Uint8Array.from({ length: 128 }, (_, code) => (/[\d.,]/.test(String.fromCharCode(code)) ? 1 : 0));
/** `rn` is taken for `m`, and `vv` for `w`. */
const PAIRED = new Uint8Array(128);
const JOINED = new Uint8Array(128);
for (const [first, second, joined] of ['rnm', 'vvw'].map((signs) => Array.from(signs, (sign) => sign.charCodeAt(0)))) {
  PAIRED[first ?? 0] = second ?? 0;
  JOINED[first ?? 0] = joined ?? 0;
}

const SHARE_OF_EDITS = 0.1;

const MOST_EDITS = 30;

/** Neighbouring diagonals are one candidate. */
const DIAGONALS = 16;
const MOST_CELLS = 250_000;

export function recognizedIn(part: DocumentPart, foldedQuote: string) {
  const quote = skeletonOf(foldedQuote);
  const index = indexOf(part);
  const edits = Math.min(MOST_EDITS, Math.floor(quote.text.length * SHARE_OF_EDITS));
  const cells = quote.text.length * (2 * (edits + DIAGONALS) + 1);
  for (const diagonal of diagonalsOf(index, quote.text).slice(0, Math.max(1, Math.floor(MOST_CELLS / cells)))) {
    const alignment = bestAlignment(index.skeleton, quote, { diagonal, edits });
    if (!alignment) continue;
    const { places } = index.skeleton;
    const folded = cachedFoldedText(part);
    // A pair of letters that counts as one ends where the next character begins, or the word.
    const end = places[alignment.to] ?? folded.text.length;
    const to = folded.text.slice(0, end).trimEnd().length;
    return originalStretch(part.text, folded, places[alignment.from] ?? 0, to);
  }
  return undefined;
}

/** The letters and figures of a folded text, without spaces. */
type Skeleton = {
  /** The characters that text recognition takes for each other have one form. */
  text: string;
  /** The characters as they stand. */
  written: Uint16Array;
  /** Which of them are of a figure, where a difference would be another figure. */
  figures: Uint8Array;
  /** Where each of them is in the folded text. */
  places: Int32Array;
};

const isMark = (code: number): boolean => code === 0x2c || code === 0x2e;

/** Where a space is lost, `for,four` is no figure; `l,6O8` is one. */
const isInFigure = (text: string, at: number): boolean =>
  /^(?:\d.[\doilsb]|[oilsb].\d)$/.test(text.slice(at - 1, at + 2));

function skeletonOf(folded: string): Skeleton {
  const text = new Uint16Array(folded.length);
  const written = new Uint16Array(folded.length);
  const figures = new Uint8Array(folded.length);
  const places = new Int32Array(folded.length);
  let length = 0;
  for (let at = 0; at < folded.length; at++) {
    const code = folded.charCodeAt(at);
    const form = code < FORMS.length ? FORMS[code] : code;
    if (form === undefined || form === 0 || (isMark(code) && !isInFigure(folded, at))) continue;
    const second = PAIRED[code] ?? 0;
    const isPair = second !== 0 && folded.charCodeAt(at + 1) === second;
    text[length] = isPair ? (JOINED[code] ?? form) : form;
    written[length] = code;
    figures[length] = IS_FIGURE[code] ?? 0;
    places[length++] = at;
    if (isPair) at++;
  }
  return {
    text: new TextDecoder('utf-16le').decode(text.subarray(0, length)),
    written: written.subarray(0, length),
    figures: figures.subarray(0, length),
    places: places.subarray(0, length),
  };
}

const GRAM = 5;
const BUCKETS = 1 << 16;
/** A gram that stands more often says little of where a quote stands. */
const HITS = 48;

/** The places of each gram of a skeleton, as chains from the last to the first. */
type Index = { skeleton: Skeleton; last: Int32Array; previous: Int32Array };

const indexCache = new WeakMap<DocumentPart, Index>();

function indexOf(part: DocumentPart): Index {
  const cached = indexCache.get(part);
  if (cached) return cached;
  const skeleton = skeletonOf(cachedFoldedText(part).text);
  const last = new Int32Array(BUCKETS).fill(-1);
  const previous = new Int32Array(skeleton.text.length);
  for (let at = 0; at + GRAM <= skeleton.text.length; at++) {
    const bucket = bucketAt(skeleton.text, at);
    previous[at] = last[bucket] ?? -1;
    last[bucket] = at;
  }
  const index = { skeleton, last, previous };
  indexCache.set(part, index);
  return index;
}

function bucketAt(text: string, at: number): number {
  let hash = 0;
  for (let nth = 0; nth < GRAM; nth++) hash = (Math.imul(hash, 31) + text.charCodeAt(at + nth)) | 0;
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

const SHARE_OF_FAULTS = 0.15;

/** Short figures such as `£l8,O00` hold several confusions, though these are more than a tenth of them. */
const FREE_CONFUSIONS = 4;

/** Where the quote may begin, by how many of its grams stand in the text at their distance from there. */
function diagonalsOf({ skeleton, last, previous }: Index, quote: string): number[] {
  const votes = new Map<number, number>();
  const vote = (diagonal: number) => votes.set(diagonal, (votes.get(diagonal) ?? 0) + 1);
  if (quote.length < 2 * GRAM) {
    for (let at = skeleton.text.indexOf(quote), hits = 0; at >= 0 && hits < HITS; hits++) {
      vote(Math.floor(at / DIAGONALS));
      at = skeleton.text.indexOf(quote, at + 1);
    }
  }
  for (let at = 0; at + GRAM <= quote.length; at++) {
    let place = last[bucketAt(quote, at)] ?? -1;
    for (let hits = 0; place >= 0 && hits < HITS; hits++) {
      vote(Math.floor((place - at) / DIAGONALS));
      place = previous[place] ?? -1;
    }
  }
  return [...votes].sort(([, a], [, b]) => b - a).map(([diagonal]) => diagonal * DIAGONALS);
}

/** One edit weighs as much as this many confusions, so that the sum says how many of either there were. */
const EDIT = 1_000;
const FORBIDDEN = 1e9;

/** The costs to align the quote up to a row with the text up to each column, and where these alignments begin. */
type Row = { costs: Float64Array; starts: Int32Array };
/** The stretch of the text that is compared, and the columns of a row that are near enough to the diagonal. */
type Band = { begin: number; width: number; columns(row: number): { low: number; high: number } };

function bandAround({ text }: Skeleton, quote: Skeleton, diagonal: number, edits: number): Band {
  const reach = edits + DIAGONALS;
  const begin = Math.max(0, diagonal - edits);
  const width = Math.max(0, Math.min(text.length, diagonal + quote.text.length + reach + DIAGONALS) - begin);
  const columns = (row: number) => ({
    low: Math.max(0, diagonal - begin + row - reach),
    high: Math.min(width, diagonal - begin + row + reach + DIAGONALS),
  });
  return { begin, width, columns };
}

/** The cheapest alignment of the quote around a diagonal, if it has few enough edits and confusions. No figure may be edited. */
function bestAlignment(text: Skeleton, quote: Skeleton, { diagonal, edits }: { diagonal: number; edits: number }) {
  const band = bandAround(text, quote, diagonal, edits);
  const size = band.width + 1;
  let row: Row = { costs: new Float64Array(size), starts: Int32Array.from({ length: size }, (_, at) => at) };
  let next: Row = { costs: new Float64Array(size), starts: new Int32Array(size) };
  for (let nth = 1; nth <= quote.text.length; nth++) {
    alignRow({ text, quote, band }, nth, row, next);
    [row, next] = [next, row];
  }
  const end = cheapestIn(row.costs, band.columns(quote.text.length));
  const cost = row.costs[end] ?? FORBIDDEN;
  const [edited, confused] = [Math.floor(cost / EDIT), cost % EDIT];
  const maxFaults = Math.max(FREE_CONFUSIONS, quote.text.length * SHARE_OF_FAULTS);
  const stretch = { from: band.begin + (row.starts[end] ?? 0), to: band.begin + end };
  return edited <= edits && edited + confused <= maxFaults && stretch.from < stretch.to ? stretch : undefined;
}

type Compared = { text: Skeleton; quote: Skeleton; band: Band };

function alignRow({ text, quote, band }: Compared, nth: number, above: Row, row: Row): void {
  const { low, high } = band.columns(nth);
  const gap = quote.figures[nth - 1] === 1 ? FORBIDDEN : EDIT;
  row.costs.fill(FORBIDDEN, Math.max(0, low - 1), high + 2);
  for (let column = low; column <= high; column++) {
    row.costs[column] = (above.costs[column] ?? FORBIDDEN) + gap;
    row.starts[column] = above.starts[column] ?? 0;
    if (column === 0) continue;
    const at = band.begin + column - 1;
    takeCheaper(row, column, above, substitution(text, at, quote, nth - 1));
    takeCheaper(row, column, row, text.figures[at] === 1 ? FORBIDDEN : EDIT);
  }
}

function takeCheaper(row: Row, column: number, from: Row, more: number): void {
  const cost = (from.costs[column - 1] ?? FORBIDDEN) + more;
  if (cost >= (row.costs[column] ?? FORBIDDEN)) return;
  row.costs[column] = cost;
  row.starts[column] = from.starts[column - 1] ?? 0;
}

function cheapestIn(costs: Float64Array, { low, high }: { low: number; high: number }): number {
  let best = low;
  for (let at = low; at <= high; at++) if ((costs[at] ?? FORBIDDEN) < (costs[best] ?? FORBIDDEN)) best = at;
  return best;
}

function substitution(text: Skeleton, at: number, quote: Skeleton, row: number): number {
  const [textCode, quoteCode] = [text.written[at], quote.written[row]];
  if (textCode === quoteCode) return 0;
  if (text.text.charCodeAt(at) === quote.text.charCodeAt(row)) return 1;
  return text.figures[at] === 1 || quote.figures[row] === 1 ? FORBIDDEN : EDIT;
}
