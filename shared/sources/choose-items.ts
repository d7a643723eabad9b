/** Selects items: those that mention the query, then the newest. */

import type { SourceItem } from './source-item.ts';

type ChosenItems = Pick<SourceItem, 'title' | 'text' | 'publishedAt'>;
type ItemCriteria = { about: readonly string[]; max: number };

const MAX_WANTED_WORDS = 50;
/** Shorter words occur in every text. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/** Newest first; items without a date come last, in their own order. */
export function chooseItems<T extends ChosenItems>(items: readonly T[], { about, max }: ItemCriteria): T[] {
  const dated = items.toSorted((a, b) => timeOf(b) - timeOf(a));
  if (dated.length <= max) return dated;
  const queryWords = wordsOf(about);
  const ranked = dated.map((item) => ({ item, hits: hitsOf(item, queryWords) }));
  return ranked
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, max)
    .map(({ item }) => item);
}

const timeOf = ({ publishedAt }: ChosenItems): number => (publishedAt === undefined ? 0 : Date.parse(publishedAt));

function wordsOf(about: readonly string[]): string[] {
  const allWords = about.flatMap((text) => text.toLowerCase().match(WORD) ?? []);
  return [...new Set(allWords)].slice(0, MAX_WANTED_WORDS);
}

/** How many of the words it contains; repetitions do not count. */
function hitsOf({ title, text }: ChosenItems, queryWords: readonly string[]): number {
  const itemWords = new Set(`${title} ${text}`.toLowerCase().match(WORD) ?? []);
  return queryWords.filter((word) => itemWords.has(word)).length;
}
