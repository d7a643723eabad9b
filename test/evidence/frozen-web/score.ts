/** Scores public results against the truth of the frozen web. It knows nothing of the product. */

import { type FrozenPage, PAGES, paragraphsOf } from './pages.ts';
import { type Kind, TOPICS, type Topic } from './topics.ts';

/** What is read from the results of a task: its sources and its quotes with their URLs. */
export type PublicResult = {
  topic: string;
  sources: string[];
  quotes: { url: string; quote: string }[];
};

type Share = { found: number; of: number };
export type Score = Record<'one' | 'two' | 'contradicting', Share> & {
  fabricatedCitations: number;
};

const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const textsOf = (pages: readonly FrozenPage[]): Map<string, string> =>
  new Map(
    pages.flatMap((page) => {
      const text = spaced([page.title, ...paragraphsOf(page)].join(' '));
      return [page.url, page.finalUrl].map((url) => [url, text] as const);
    }),
  );

/** All pages with an answer must be among the sources: both, where they contradict each other. */
export function isFound(topic: string, sources: readonly string[], pages: readonly FrozenPage[] = PAGES): boolean {
  const carrying = pages.filter((page) => page.topic === topic && page.carriesAnswer);
  return carrying.every(({ url, finalUrl }) => sources.includes(url) || sources.includes(finalUrl));
}

export function scoreOf(
  results: readonly PublicResult[],
  topics: readonly Topic[] = TOPICS,
  pages: readonly FrozenPage[] = PAGES,
): Score {
  const texts = textsOf(pages);
  const share = (kind: Kind, isRight: (result: PublicResult) => boolean): Share => {
    const ids = new Set(topics.filter((topic) => topic.kind === kind).map(({ id }) => id));
    const own = results.filter(({ topic }) => ids.has(topic));
    return { found: own.filter(isRight).length, of: own.length };
  };
  const hasFound = ({ topic, sources }: PublicResult) => isFound(topic, sources, pages);
  const isFabricated = ({ url, quote }: { url: string; quote: string }): boolean =>
    !(texts.get(url) ?? '').includes(spaced(quote));
  return {
    one: share('one', hasFound),
    two: share('two', hasFound),
    contradicting: share('contradicting', hasFound),
    fabricatedCitations: results.flatMap(({ quotes }) => quotes).filter(isFabricated).length,
  };
}
