/** Whether words stand in a text, whatever its white space and marks, and the text's own words where they do. */
import { plainText } from '../../model/extractive/plain-text.ts';

/** What tells: letters, figures, signs that change what a figure says, and a minus in front of one. */
const TELLING = /[\p{L}\p{N}\p{M}\p{Sc}%‰]+|(?<![\p{L}\p{N}])[-−](?=\d)/gu;

export type Quotable = { find(quote: string): string | undefined };

/** The runs of telling signs, apart by one space, and where each begins: in there and in the text. */
type Bare = { bare: string; starts: number[]; from: number[] };

function bareOf(text: string): Bare {
  const runs: string[] = [];
  const starts: number[] = [];
  const from: number[] = [];
  let length = 0;
  for (const { 0: run, index } of text.matchAll(TELLING)) {
    runs.push(run === '−' ? '-' : run);
    starts.push(length);
    from.push(index);
    length += run.length + 1;
  }
  return { bare: runs.join(' '), starts, from };
}

/** Where a place of the bare text is in the text itself. */
function placeOf({ starts, from }: Bare, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return (from[low] ?? 0) + at - (starts[low] ?? 0);
}

const MOST_QUOTE = 600;

export function quotable(whole: string): Quotable {
  const text = whole.normalize('NFC');
  const own = bareOf(text);
  const padded = ` ${own.bare} `;
  return {
    find(quote) {
      if (quote.length > MOST_QUOTE * 2) return undefined;
      const { bare: wanted } = bareOf(quote.normalize('NFC'));
      const at = isTelling(wanted) ? padded.indexOf(` ${wanted} `) : -1;
      if (at < 0) return undefined;
      const start = placeOf(own, at);
      const end = placeOf(own, at + wanted.length - 1) + 1;
      const closed = /^[.!?…)"”’]{1,3}/.exec(text.slice(end, end + 3))?.[0] ?? '';
      return plainText(text.slice(start, end + closed.length)).slice(0, MOST_QUOTE);
    },
  };
}

const LEAST_WORDS = 4;
const LEAST_CHARACTERS = 12;

/** A word or two stand in every text. */
const isTelling = (bare: string): boolean =>
  bare.split(' ').length >= LEAST_WORDS ||
  (bare.length >= LEAST_CHARACTERS && !/^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{M} ]+$/u.test(bare));
