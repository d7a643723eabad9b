/** Selects the items to read: the best matches, each story once, as many as the depth allows. */

import * as v from 'valibot';
import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { rankRules } from '../prompts/research.ts';
import { type Fingerprint, fingerprintOf, isNearDuplicate, repeatsFigures, withoutTimes } from '../repeated-figures.ts';
import { type ApplyRule, ruleApplier } from '../text-work.ts';
import { checkAlive } from './gather-stage.ts';
import { coverageOf, type Pace, pacer } from './search.ts';
import { dropChosen, takePrevious, withPrevious } from './snapshots.ts';
import { ask, checkpoint, type ResearchSetting, resume } from './stages.ts';
import type { Chosen, FindingPoint, Gathering, LeftOut, ResearchState } from './state.ts';

type Ranked = { item: Gathering; score: number };

/** What the items are compared with, and how. `most`: how many a model can read. */
type Search = { query: string; applyRule: ApplyRule; most: number | undefined };

/** Of less than this share of the best score: about something else. */
export const MIN_SHARE_OF_BEST = 0.25;

/** Without a judging model: by the words of the question and of the plan's queries. */
async function ranked(items: readonly Gathering[], { query, applyRule, most }: Search): Promise<Ranked[]> {
  const texts = items.map(({ title, text }) => ({ title, text }));
  const hits = (await applyRule('rankTexts', { query, texts })) ?? [];
  const best = hits[0]?.score || 1;
  const scores = new Map(hits.map(({ index, score }) => [index, score / best]));
  // A model that can read everything decides by itself what is about the question.
  const least = most !== undefined && items.length <= most ? 0 : MIN_SHARE_OF_BEST;
  const about = items
    .map((item, at) => ({ item, score: scores.get(at) ?? 0 }))
    .filter(({ item, score }) => score >= least || isKept(item));
  return newestOfSeriesFirst(about).sort(
    (a, b) => hundredths(b.score) - hundredths(a.score) || newerFirst(a.item, b.item),
  );
}

/** A provider found it for a query of the plan. */
const isHit = ({ source, earlier }: Gathering): boolean => source === WEB_SEARCH && !earlier;

/** Hits and the caller's own files are not dropped for lacking the words of the question. */
const isKept = (item: Gathering): boolean => item.earlier?.isNeeded ?? (isHit(item) || item.source === STORED_FILES);

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

const hundredths = (score: number): number => Math.round(100 * score);

const newerFirst = ({ publishedAt: a = '' }: Gathering, { publishedAt: b = '' }: Gathering): number =>
  a < b ? 1 : a > b ? -1 : 0;

type Choice = { search: Search; most: number; pace: Pace; judged?: Judged | undefined; before?: number };

/** With `before`, the numbers of documents go on behind those that there are. */
async function choose(items: readonly Gathering[], { search, most, pace, judged, before = 0 }: Choice) {
  const all = judged ? byJudgement(items, judged) : await ranked(items, search);
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
      chosen.push({ ...chosenOf(item, before + chosen.length + 1, score), print });
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
  ...(item.earlier
    ? {
        text_by: item.earlier.textBy,
        fetched_at: item.earlier.fetchedAt,
        previous: { task_id: item.earlier.task_id, document: item.earlier.document },
      }
    : {}),
});

/** What the model thinks of items, from 0 to `BEST`. */
type Judged = ReadonlyMap<Gathering, number>;
const BEST = 3;

/** With equal scores, the order of the sources and of the search provider stays. */
const byJudgement = (items: readonly Gathering[], judged: Judged): Ranked[] =>
  items
    .flatMap((item) => ((judged.get(item) ?? 0) > 0 ? [{ item, score: (judged.get(item) ?? 0) / BEST }] : []))
    .sort((a, b) => b.score - a.score);

const ITEMS_OF_CALL = 40;
const MAX_JUDGED = 120;
const SHOWN_CHARACTERS = 300;
const ANSWER_TOKENS = 2_000;
const answers = v.object({ items: v.array(v.object({ item: v.number(), score: v.number() })) });

type Candidates = { known: ResearchState; items: readonly Gathering[]; most: number; search: Search; work: Work };

/**
 * Asks the cheap model which items are worth reading, if there are more than may be read. Undefined without a model, or
 * if it gave no usable answer or wants none of them: then the words of the question decide.
 */
async function judge(
  setting: ResearchSetting,
  { known, items, most, search, work }: Candidates,
): Promise<Judged | undefined> {
  const { ports, wish, input } = setting;
  if (items.length <= most) return undefined;
  const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
  if (!model) return undefined;
  const best = await ranked(items, search);
  const among = new Set(best.slice(0, MAX_JUDGED).map(({ item }) => item));
  const candidates = items.filter((item) => among.has(item));
  const wished = {
    question: wish.query,
    sub_questions: known.plan?.subQuestions.filter(({ status }) => status === 'open').map(({ text }) => text),
    queries: known.plan?.queries.slice(-wish.depth.queries),
    places: wish.scope,
  };
  const judged = new Map<Gathering, number>();
  const calls = Array.from({ length: Math.ceil(candidates.length / ITEMS_OF_CALL) }, (_, at) =>
    candidates.slice(at * ITEMS_OF_CALL, (at + 1) * ITEMS_OF_CALL),
  );
  const judgeOnce = async (own: readonly Gathering[]) => {
    const shown = own.map(({ title, text, publishedAt, source, address }, at) => ({
      item: at + 1,
      title,
      beginning: text.slice(0, SHOWN_CHARACTERS),
      host: URL.parse(address)?.host ?? source,
      ...definedFields({ published_at: publishedAt }),
    }));
    const answer = await ask(known, {
      role: 'rank',
      model,
      rules: rankRules(ports.clock.now()).join('\n'),
      messages: [`What is wished:\n${JSON.stringify(wished)}`, `The items:\n${JSON.stringify(shown)}`],
      schema: answers,
      answerTokens: ANSWER_TOKENS,
      signal: work.signal,
    });
    for (const { item, score } of answer?.items ?? []) {
      const found = own[item - 1];
      if (found) judged.set(found, Math.min(BEST, Math.max(0, score)));
    }
    return answer !== undefined;
  };
  const usable = await Promise.all(calls.map(judgeOnce));
  return usable.every(Boolean) && [...judged.values()].some((score) => score > 0) ? judged : undefined;
}

const MAX_POINTS = 2_000;

export const rankStage = (setting: ResearchSetting): Stage => ({
  name: 'ranking',
  mayRepeat: !setting.wish.hasModel,
  async run(work, carried) {
    const { wish } = setting;
    const { address, signal } = work;
    const known = await resume(setting, carried);
    checkAlive(known.sources);
    const query = [wish.query, ...wish.places, ...(known.plan?.queries ?? [])].join('\n');
    const pace = pacer(signal);
    const most = wish.depth.documents;
    const search = { query, applyRule: applierFor(setting, work), most: wish.hasModel ? most : undefined };
    const items = withPrevious(known, known.items, true);
    const judged = await judge(setting, { known, items, most, search, work });
    const { documents, leftOut } = await choose(items, { search, most, pace, judged });
    const chosen: ResearchState = {
      ...known,
      items: [],
      documents,
      leftOut,
      points: pointsOf(known.items, documents, wish.query),
    };
    chosen.work.rounds = 1;
    takePrevious(setting, chosen);
    if (wish.places.length > 0) chosen.placesNotMentioned = await notMentioned(wish.places, documents, pace);
    return checkpoint(setting, address, { known: chosen, stages: ['planning', 'gathering', 'ranking'] });
  },
});

/** Moves the best hits of a further round to the documents. */
export async function chooseHits(
  setting: ResearchSetting,
  { known, queries, work }: { known: ResearchState; queries: readonly string[]; work: Work },
): Promise<void> {
  const { wish } = setting;
  const items = withPrevious(known, known.items.splice(0), false);
  const most = wish.depth.moreDocuments;
  const query = [...queries, wish.query].join('\n');
  const search = { query, applyRule: applierFor(setting, work), most: wish.hasModel ? most : undefined };
  const judged = await judge(setting, { known, items, most, search, work });
  const before = known.documents.length;
  const { documents, leftOut } = await choose(items, { search, most, pace: pacer(work.signal), judged, before });
  known.documents.push(...documents);
  dropChosen(known);
  known.leftOut.irrelevant += leftOut.irrelevant;
  known.leftOut.duplicates += leftOut.duplicates;
  known.leftOut.beyond_depth += leftOut.beyond_depth;
}

const applierFor = ({ ports }: ResearchSetting, { address: { organization }, signal }: Work): ApplyRule =>
  ruleApplier(ports.documents, { organization, signal });

/** Returns the places that no document mentions. A mention has each word of the place. */
async function notMentioned(places: readonly string[], documents: readonly Chosen[], pace: Pace): Promise<string[]> {
  const coverages = new Map(places.map((place) => [place, coverageOf(place)]));
  for (const { title, text } of documents) {
    await pace(text.length);
    for (const [place, coverage] of coverages) if (coverage(`${title}\n${text}`) === 1) coverages.delete(place);
  }
  return [...coverages.keys()];
}

/**
 * Returns all figures with a label that a chosen document has, so that series are complete. If some of these labels
 * match the question, only those are used.
 */
function pointsOf(items: readonly Gathering[], documents: readonly Chosen[], query: string): FindingPoint[] {
  const coverage = coverageOf(query);
  const kindOf = (source: string, label: string) => JSON.stringify([source, label]);
  const all = documents.flatMap(({ source, figures }) => figures.map(({ label }) => ({ source, label })));
  const fitting = all.filter(({ label }) => coverage(label) > 0);
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

const placeOf = (...parts: string[]): string => JSON.stringify(parts);
