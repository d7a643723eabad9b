/** Finds a quote that joins cells of one row of a table and leaves others out, such as a label and one of its values. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { Stretch } from '../located-quote.ts';
import { cachedFoldedText, type FoldedText, originalStretch } from './folded-text.ts';
import { occurrences } from './occurrences.ts';

/** A longer quote is no label with values. */
const LONGEST = 400;
const ROWS = 20;
const SHORTER_LABELS = 4;

/** The stretch of the row from the first to the last of the cells. */
export function cellsIn(part: DocumentPart, foldedQuote: string) {
  if (foldedQuote.length > LONGEST || !part.text.includes('|')) return undefined;
  const folded = cachedFoldedText(part);
  const ends = wordEnds(foldedQuote);
  const longest = countOf(ends, (end) => folded.text.includes(foldedQuote.slice(0, end)));
  const labels = ends.slice(Math.max(0, longest - SHORTER_LABELS), longest).reverse();
  for (const end of labels) {
    for (const at of occurrences(folded.text, foldedQuote.slice(0, end), ROWS)) {
      const label = { from: at, to: at + end };
      const rowEnd = restOfRow(part.text, folded, label, foldedQuote.slice(end + 1));
      if (rowEnd !== undefined) return { from: folded.starts[at] ?? 0, to: rowEnd };
    }
  }
  return undefined;
}

const wordEnds = (text: string): number[] => Array.from(text.matchAll(/ /g), ({ index }) => index);

/** How many of the first ones hold, where each holds only if those before it do. */
function countOf<T>(entries: readonly T[], holds: (entry: T) => boolean): number {
  let [least, greatest] = [0, entries.length];
  while (least < greatest) {
    const middle = Math.ceil((least + greatest) / 2);
    const entry = entries[middle - 1];
    if (entry !== undefined && holds(entry)) least = middle;
    else greatest = middle - 1;
  }
  return least;
}

const LONGEST_ROW = 4_000;
const MOST_CELLS = 64;

/** Where the last of the cells ends that have the rest of the quote, or undefined. */
function restOfRow(text: string, folded: FoldedText, label: Stretch, remainder: string): number | undefined {
  const { from, to } = originalStretch(text, folded, label.from, label.to);
  const begin = Math.max(0, from - LONGEST_ROW);
  const around = text.slice(begin, to + LONGEST_ROW);
  const start = around.lastIndexOf('\n', from - begin) + 1;
  const stop = around.indexOf('\n', from - begin);
  const before = around.slice(start, from - begin);
  const behind = around.slice(to - begin, stop < 0 ? around.length : stop);
  // The label is a whole cell.
  const border = /^[\s*.,:;]*\|/.exec(behind)?.[0].length;
  if (border === undefined || !before.startsWith('|') || !/\|[\s*]*$/.test(before.slice(-20))) return undefined;
  let remaining = remainder;
  let word = label.to;
  let at = to + border;
  for (const cell of behind.slice(border).split('|', MOST_CELLS)) {
    const cellStart = word;
    while ((folded.starts[word] ?? Number.POSITIVE_INFINITY) < at + cell.length) word++;
    const words = folded.text.slice(cellStart, word).trim();
    if (words !== '' && remaining === words) return at + cell.trimEnd().length;
    if (words !== '' && remaining.startsWith(`${words} `)) remaining = remaining.slice(words.length + 1);
    at += cell.length + 1;
  }
  return undefined;
}
