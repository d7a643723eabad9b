/** Which of many items are kept: those that speak of what is asked for, then the newest. */
import type { SourceItem } from './gathered.ts';

type ChosenItems = Pick<SourceItem, 'title' | 'text' | 'publishedAt'>;
type ItemCriteria = { about: readonly string[]; most: number };

const MOST_WORDS = 50;
/** Words of two letters and fewer are in every text. */
const WORD = /[\p{L}\p{N}]{3,}/gu;

/** The newest first, those without a date behind them in their own order. */
export function chooseItems<T extends ChosenItems>(items: readonly T[], { about, most }: ItemCriteria): T[] {
  const dated = items.toSorted((one, other) => timeOf(other) - timeOf(one));
  if (dated.length <= most) return dated;
  const wanted = wordsOf(about);
  const ranked = dated.map((item) => ({ item, hits: hitsOf(item, wanted) }));
  return ranked
    .toSorted((one, other) => other.hits - one.hits)
    .slice(0, most)
    .map(({ item }) => item);
}

const timeOf = ({ publishedAt }: ChosenItems): number => (publishedAt === undefined ? 0 : Date.parse(publishedAt));

function wordsOf(about: readonly string[]): string[] {
  const found = about.flatMap((text) => text.toLowerCase().match(WORD) ?? []);
  return [...new Set(found)].slice(0, MOST_WORDS);
}

/** How many of the words it has, however often. */
function hitsOf({ title, text }: ChosenItems, wanted: readonly string[]): number {
  const own = new Set(`${title} ${text}`.toLowerCase().match(WORD) ?? []);
  return wanted.filter((word) => own.has(word)).length;
}
