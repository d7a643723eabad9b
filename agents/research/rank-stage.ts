/** Selects the items to read: the best matches, each story once, as many as the depth allows. */

import { lexiconOf, termsOf } from '../../engines/models/extractive/terms.ts';
import { STORED_FILES } from '../../engines/sources/stored-files.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import {
  type Fingerprint,
  fingerprintOf,
  isNearDuplicate,
  minPresent,
  repeatsFigures,
  withoutTimes,
} from '../repeated-figures.ts';
import { checkAlive, WEB_SEARCH } from './gather-stage.ts';
import {
  corpusOf,
  countIn,
  type Fit,
  fitOf,
  type Pace,
  PRESENT,
  pacer,
  type Search,
  searchFor,
  type TermCounts,
} from './search.ts';
import { checkpoint, type ResearchSetting, resume } from './stages.ts';
import type { Chosen, FindingPoint, Gathering, LeftOut, ResearchState } from './state.ts';

const MIN_SHARE_OF_BEST = 0.25;
/** The factor for items that mention none of the requested places. */
const ELSEWHERE = 0.6;

type Ranked = { item: Gathering; score: number };

async function ranked(items: readonly Gathering[], search: Search, pace: Pace): Promise<Ranked[]> {
  const counts: TermCounts[] = [];
  for (const { title, text } of items) {
    await pace(text.length);
    // Words in the title count twice.
    counts.push(countIn(`${title}\n${title}\n${text}`, search.lexicon));
  }
  const corpus = corpusOf(counts, search);
  const least = minPresent(search.main.size);
  const isAbout = (fit?: Fit) => fit !== undefined && (fit.isNamed || fit.present >= least);
  const fits = counts.map((own) => {
    const fit = fitOf(own, corpus);
    const isThere = search.places.size === 0 || [...search.places].some((term) => own.counts.has(term));
    return { ...fit, score: scoreOf(fit) * (isThere ? 1 : ELSEWHERE) };
  });
  const best = Math.max(0, ...fits.map(({ score }) => score));
  const about = items
    .map((item, at) => ({ item, score: (fits[at]?.score ?? 0) / (best || 1), isAbout: isAbout(fits[at]) }))
    .filter((one) => isKept(one.item) || (one.isAbout && one.score >= MIN_SHARE_OF_BEST));
  return newestOfSeriesFirst(about).sort(
    (a, b) => hundredths(b.score) - hundredths(a.score) || newerFirst(a.item, b.item),
  );
}

/** A provider found it for a query of the plan. */
const isHit = ({ source }: Gathering): boolean => source === WEB_SEARCH;

/** Hits and the caller's own files are not dropped for lacking the words of the question. */
const isKept = (item: Gathering): boolean => isHit(item) || item.source === STORED_FILES;

/**
 * Within a series, the newest record gets the score of the best one, the second newest that of the second best, and so
 * on.
 */
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

async function choose(items: readonly Gathering[], { search, most, pace }: Choice) {
  const all = await ranked(items, search, pace);
  const chosen: (Chosen & { print: Fingerprint })[] = [];
  const leftOut: LeftOut = { irrelevant: items.length - all.length, duplicates: 0, beyond_depth: 0 };
  for (const { item, score } of all) {
    await pace(item.text.length);
    const print = fingerprintOf(`${item.title}\n${item.text}`);
    // Snippets of hits say too little to tell whether their pages are the same.
    const same = isHit(item)
      ? undefined
      : chosen.find((other) => isSame(item, other) && isNearDuplicate(print, other.print));
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

/**
 * At most this many records of a series are read; the others are only in its chart. Otherwise a series would fill the
 * whole list.
 */
const MAX_OF_SERIES = 2;

/** Identifies a series: records with figures from one source whose titles differ only in their dates. */
const seriesOf = ({ source, title, figures = [] }: Pick<Gathering, 'source' | 'title' | 'figures'>) =>
  figures.length === 0 ? undefined : JSON.stringify([source, withoutTimes(title)]);

function isMoreOfSeries(item: Gathering, chosen: readonly Chosen[]): boolean {
  const series = seriesOf(item);
  return series !== undefined && chosen.filter((other) => seriesOf(other) === series).length >= MAX_OF_SERIES;
}

/** Records with figures are duplicates only if the figures are equal. */
const isSame = ({ figures = [] }: Gathering, other: Chosen): boolean =>
  figures.length === 0 || other.figures.length === 0 || JSON.stringify(figures) === JSON.stringify(other.figures);

export const chosenOf = (item: Gathering, document: number, score: number): Chosen => ({
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

const MAX_POINTS = 2_000;

export const rankStage = (setting: ResearchSetting): Stage => ({
  name: 'ranking',
  mayRepeat: true,
  async run({ address, signal }, carried) {
    const { wish } = setting;
    const known = await resume(setting, carried);
    checkAlive(known.sources);
    const search = searchFor({ ...wish, queries: known.plan?.queries ?? [] });
    const pace = pacer(signal);
    const { documents, leftOut } = await choose(known.items, { search, most: wish.depth.documents, pace });
    const chosen: ResearchState = {
      ...known,
      items: [],
      documents,
      leftOut,
      points: pointsOf(known.items, documents, search),
    };
    if (wish.places.length > 0) chosen.placesNotMentioned = await notMentioned(wish.places, documents, pace);
    return checkpoint(setting, address, { known: chosen, stages: ['planning', 'gathering', 'ranking'] });
  },
});

/**
 * Returns the places that no document mentions. A mention needs each word of the place, or a form of it, in the same
 * document.
 */
async function notMentioned(places: readonly string[], documents: readonly Chosen[], pace: Pace): Promise<string[]> {
  const lexicon = lexiconOf(termsOf(places.join('\n')));
  const termOf = new Map(lexicon.terms.map(({ word }, at) => [word, at]));
  const left = new Map(places.map((place) => [place, termsOf(place).map(({ word }) => termOf.get(word) ?? -1)]));
  for (const { title, text } of documents) {
    await pace(text.length);
    const { best } = countIn(`${title}\n${text}`, lexicon);
    for (const [place, terms] of left) {
      if (terms.every((term) => (best.get(term) ?? 0) >= PRESENT)) left.delete(place);
    }
  }
  return [...left.keys()];
}

/**
 * Returns all figures with a label that a chosen document has, so that series are complete. If some of these labels
 * match the question, only those are used.
 */
function pointsOf(items: readonly Gathering[], documents: readonly Chosen[], search: Search): FindingPoint[] {
  const kindOf = (source: string, label: string) => JSON.stringify([source, label]);
  const all = documents.flatMap(({ source, figures }) => figures.map(({ label }) => ({ source, label })));
  const fitting = all.filter(({ label }) => isAbout(label, search));
  const kinds = new Set((fitting.length > 0 ? fitting : all).map(({ source, label }) => kindOf(source, label)));
  const numbers = new Map(documents.map((one) => [placeOf(one.source, one.address, one.title), one.document]));
  const isRepeat = repeatsAmong(documents);
  return items
    .filter((item) => !isRepeat(item))
    .flatMap(({ source, address, title, publishedAt, isSample, figures = [] }): FindingPoint[] =>
      figures
        .filter(({ label, value }) => Number.isFinite(value) && kinds.has(kindOf(source, label)))
        .map((figure) => ({
          ...figure,
          source,
          title,
          at: publishedAt ?? null,
          document: numbers.get(placeOf(source, address, title)) ?? null,
          isSample,
        })),
    )
    .slice(0, MAX_POINTS);
}

/** Returns a check for items whose story and figures were already in a chosen document within a few days. */
function repeatsAmong(documents: readonly Chosen[]): (item: Gathering) => boolean {
  const tellers = new Map(
    documents.flatMap((one) =>
      one.duplicates.map(({ source, address, title }) => [placeOf(source, address, title), one] as const),
    ),
  );
  return (item) => {
    const teller = tellers.get(placeOf(item.source, item.address, item.title));
    if (!teller) return false;
    const { published_at: at, ...figures } = teller;
    return repeatsFigures(item, { ...figures, ...(at === null ? {} : { publishedAt: at }) });
  };
}

const isAbout = (label: string, { lexicon, main }: Search): boolean =>
  [...countIn(label, lexicon).best].some(([term, best]) => main.has(term) && best >= PRESENT);

const placeOf = (...parts: string[]): string => JSON.stringify(parts);
