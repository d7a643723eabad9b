/** Ranks what was gathered, leaves out what is about something else or told twice, and keeps as many as are to be read. */
import { withoutTimes } from '../retold.ts';
import { type Fingerprint, fingerprintOf, isNearDuplicate } from './near-duplicates.ts';
import type { Pace } from './pace.ts';
import { corpusOf, countIn, type Fit, fitOf, type Search, type TermCounts } from './search.ts';
import type { Chosen, Gathering, LeftOut } from './state.ts';

/** Two of the question's words, or one of its names; of a question of one or two words, one. */
const leastPresent = (terms: number): number => Math.min(2, Math.ceil(terms / 2));
const LEAST_OF_BEST = 0.25;
/** Of what names none of the places that were asked for. */
const ELSEWHERE = 0.6;

type Ranked = { item: Gathering; score: number };

async function ranked(items: readonly Gathering[], search: Search, pace: Pace): Promise<Ranked[]> {
  const counts: TermCounts[] = [];
  for (const { title, text } of items) {
    await pace(text.length);
    // What a title says counts twice.
    counts.push(countIn(`${title}\n${title}\n${text}`, search.lexicon));
  }
  const corpus = corpusOf(counts, search);
  const least = leastPresent(search.main.size);
  const isAbout = (fit?: Fit) => fit !== undefined && (fit.isNamed || fit.present >= least);
  const fits = counts.map((own) => {
    const fit = fitOf(own, corpus);
    const isThere = search.places.size === 0 || [...search.places].some((term) => own.counts.has(term));
    return { ...fit, score: scoreOf(fit) * (isThere ? 1 : ELSEWHERE) };
  });
  const best = Math.max(0, ...fits.map(({ score }) => score));
  const about = items
    .map((item, at) => ({ item, score: (fits[at]?.score ?? 0) / (best || 1), isAbout: isAbout(fits[at]) }))
    .filter((one) => one.isAbout && one.score >= LEAST_OF_BEST);
  return newestOfSeriesFirst(about).sort(
    (a, b) => hundredths(b.score) - hundredths(a.score) || newerFirst(a.item, b.item),
  );
}

/** The newest record of a series takes the place of its best one, and so on. */
function newestOfSeriesFirst(all: Ranked[]): Ranked[] {
  const groups = Map.groupBy(all, ({ item }) => seriesOf(item));
  return [...groups].flatMap(([series, own]) => {
    if (series === undefined) return own;
    const scores = own.map(({ score }) => score).sort((a, b) => b - a);
    return own.toSorted((a, b) => newerFirst(a.item, b.item)).map(({ item }, at) => ({ item, score: scores[at] ?? 0 }));
  });
}

const scoreOf = ({ score, coverage }: Fit): number => score * (0.4 + 0.6 * coverage);

const hundredths = (score: number): number => Math.round(100 * score);

const newerFirst = ({ publishedAt: a = '' }: Gathering, { publishedAt: b = '' }: Gathering): number =>
  a < b ? 1 : a > b ? -1 : 0;

type Choice = { search: Search; most: number; pace: Pace };

export async function choose(items: readonly Gathering[], { search, most, pace }: Choice) {
  const all = await ranked(items, search, pace);
  const chosen: (Chosen & { print: Fingerprint })[] = [];
  const leftOut: LeftOut = { irrelevant: items.length - all.length, duplicates: 0, beyond_depth: 0 };
  for (const { item, score } of all) {
    await pace(item.text.length);
    const print = fingerprintOf(`${item.title}\n${item.text}`);
    const same = chosen.find((other) => isSame(item, other) && isNearDuplicate(print, other.print));
    const { source, title, address } = item;
    if (same) {
      same.duplicates.push({ source, title, address });
      leftOut.duplicates++;
    } else if (chosen.length < most && !isMoreOfSeries(item, chosen))
      chosen.push({ ...chosenOf(item, chosen.length + 1, score), print });
    else leftOut.beyond_depth++;
  }
  return { documents: chosen.map(({ print: _, ...document }): Chosen => document), leftOut };
}

/** Of a series the newest records stand for the others, which go into its chart; else it would leave no room. */
const MOST_OF_SERIES = 2;

/** Records of figures of one source whose titles differ in their time alone. */
const seriesOf = ({ source, title, figures = [] }: Pick<Gathering, 'source' | 'title' | 'figures'>) =>
  figures.length === 0 ? undefined : JSON.stringify([source, withoutTimes(title)]);

function isMoreOfSeries(item: Gathering, chosen: readonly Chosen[]): boolean {
  const series = seriesOf(item);
  return series !== undefined && chosen.filter((other) => seriesOf(other) === series).length >= MOST_OF_SERIES;
}

/** Records of figures are the same only with the same figures. */
const isSame = ({ figures = [] }: Gathering, other: Chosen): boolean =>
  figures.length === 0 || other.figures.length === 0 || JSON.stringify(figures) === JSON.stringify(other.figures);

const chosenOf = (item: Gathering, document: number, score: number): Chosen => ({
  document,
  status: 'chosen',
  source: item.source,
  title: item.title,
  address: item.address,
  published_at: item.publishedAt ?? null,
  sample_data: item.isSample,
  relevance: hundredths(score) / 100,
  duplicates: [],
  text: item.text,
  figures: item.figures ?? [],
});
