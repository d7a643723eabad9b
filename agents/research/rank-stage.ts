/** Selects the items to read: with a model those that it wants for each sub-question, otherwise the best matches of the search. */

import { STORED_FILES } from '../../shared/agents/agent-input.ts';
import type { LeftOutCounts } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import type { ApplyRule } from '../apply-rule.ts';
import { repeatsFigures } from '../near-duplicates.ts';
import {
  distinctItems,
  isHit,
  itemKey,
  itemsForLater,
  newerFirst,
  type Pace,
  pacer,
  roundRobin,
  type StoryCandidate,
  seriesOf,
  toChosenDocument,
} from './candidates.ts';
import { checkAlive, type FurtherItems } from './gather-stage.ts';
import { BEST_SCORE, judgeCandidates, openSubQuestions } from './judge-candidates.ts';
import type { GatheredState, NotedState, RankedState } from './pipeline-states.ts';
import { addPreviousFindings, withoutChosen, withPrevious } from './previous-research.ts';
import type { ChosenDocument, FindingPoint, GatheredItem } from './research-request.ts';
import { type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

export const rankStage = (setting: ResearchSetting): Stage =>
  stageOf(setting, {
    name: 'ranking',
    before: stagesTo('gathering'),
    after: stagesTo('ranking'),
    next: rankItems,
  });

/** Adds what a further round chooses to the documents, of what it has gathered and what was left before. */
export async function chooseMore(
  { state, items }: FurtherItems,
  run: StageRun,
  queries: readonly string[],
): Promise<NotedState> {
  const { previous, leftOut } = state;
  const selection = await selectItems(run, {
    ...{ state, items: withPrevious(previous, items), most: run.request.depth.moreDocuments },
    search: searchFor(run, [...queries, ...openSubQuestions(state).map(({ text }) => text)]),
  });
  const documents = [...state.documents, ...selection.documents];
  // What was left before is among what is chosen, refused or left now.
  const waiting = state.left.length + notChosenBefore(state);
  return {
    ...state,
    ...definedFields({ previous: withoutChosen(previous, documents) }),
    documents,
    roundFrom: state.documents.length + 1,
    points: withNewSeries(state.points, pointsOf(items, selection.documents)),
    left: selection.remaining,
    settled: [...state.settled, ...selection.settled.map(itemKey)],
    leftOut: {
      irrelevant: leftOut.irrelevant + selection.leftOut.irrelevant,
      duplicates: leftOut.duplicates + selection.leftOut.duplicates,
      beyond_depth: Math.max(0, leftOut.beyond_depth - waiting) + selection.leftOut.beyond_depth,
    },
  };
}

/** Whether something that was gathered may still be chosen. */
export const hasLeft = (state: RankedState): boolean => state.left.length + notChosenBefore(state) > 0;

type Scored<Entry> = { entry: Entry; score: number };

/** What is planned, and what was chosen before. */
type SelectionState = Pick<RankedState, 'plan' | 'documents' | 'settled'>;

/** `most`: how many documents may be chosen. */
type SelectionInput = { state: SelectionState; items: readonly GatheredItem[]; most: number; search: Search };
type Search = { query: string; applyRule: ApplyRule; pace: Pace };

/** `left` may be chosen in a further round; `settled` are those that are chosen, and those that the model does not want. */
type Selection = {
  documents: ChosenDocument[];
  remaining: GatheredItem[];
  settled: GatheredItem[];
  leftOut: LeftOutCounts;
};

/** Sorts by the words of the question and of the plan's queries; the scores are shares of the best one. */
async function searchOrder<Entry>(
  entries: readonly Entry[],
  itemOf: (entry: Entry) => GatheredItem,
  { query, applyRule }: Search,
): Promise<Scored<Entry>[]> {
  const texts = entries.map(itemOf).map(({ title, text }) => ({ title, text }));
  const hits = (await applyRule('rankTexts', { query, texts })) ?? [];
  const best = hits[0]?.score || 1;
  const scores = new Map(hits.map(({ index, score }) => [index, score / best]));
  const ranked = entries.map((entry, at) => ({ entry, score: scores.get(at) ?? 0 }));
  return newestOfSeriesFirst(ranked, itemOf).sort(
    (a, b) => hundredths(b.score) - hundredths(a.score) || newerFirst(itemOf(a.entry), itemOf(b.entry)),
  );
}

/**
 * Within a series, the newest record gets the score of the best one, the second newest that of the second best, and so
 * on.
 */
function newestOfSeriesFirst<Entry>(ranked: Scored<Entry>[], itemOf: (entry: Entry) => GatheredItem): Scored<Entry>[] {
  const groups = Map.groupBy(ranked, ({ entry }) => seriesOf(itemOf(entry)));
  return [...groups].flatMap(([series, records]) => {
    if (series === undefined) return records;
    const scores = records.map(({ score }) => score).sort((a, b) => b - a);
    return records
      .toSorted((a, b) => newerFirst(itemOf(a.entry), itemOf(b.entry)))
      .map(({ entry }, at) => ({ entry, score: scores[at] ?? 0 }));
  });
}

const hundredths = (score: number): number => Math.round(100 * score);

/** Hits lead to pages whose words nobody has seen yet, and the caller named the files. */
const mayLackWords = (item: GatheredItem): boolean =>
  item.earlier?.isFound ?? (isHit(item) || item.source === STORED_FILES);

/** Without a model: the best matches. An item without a word of the question is left out. */
async function selectBySearch({ state, items, most, search }: SelectionInput): Promise<Selection> {
  const ranked = await searchOrder(items, (item) => item, search);
  const relevant = ranked.filter(({ entry, score }) => score > 0 || mayLackWords(entry));
  const scores = new Map(relevant.map(({ entry, score }) => [entry, score]));
  const { documents: chosenBefore } = state;
  const ordered = relevant.map(({ entry }) => entry);
  const { candidates, duplicates, beyond, ofSeries } = await distinctItems(ordered, {
    ...{ most, documents: chosenBefore, pace: search.pace },
  });
  return {
    documents: candidates.map((candidate, at) =>
      toChosenDocument(candidate, chosenBefore.length + at + 1, scores.get(candidate.item) ?? 0),
    ),
    remaining: [],
    settled: [],
    leftOut: { irrelevant: items.length - relevant.length, duplicates, beyond_depth: beyond.length + ofSeries },
  };
}

/** So many candidates are put to a model. */
const MAX_CANDIDATES = 200;

/** With a model: everything if it can be read, otherwise what the model wants. It is not asked twice about an item. */
async function selectByModel(run: StageRun, input: SelectionInput): Promise<Selection> {
  const { state, items, most, search } = input;
  const settled = new Set(state.settled);
  const { documents: chosenBefore } = state;
  const open = items.filter((item) => !settled.has(itemKey(item)));
  const { candidates, duplicates, beyond, ofSeries } = await distinctItems(roundRobin(open), {
    ...{ most: MAX_CANDIDATES, documents: chosenBefore, pace: search.pace },
  });
  const { wanted, unwanted } = await judgeWanted(run, { ...input, candidates });
  const chosen = wanted.slice(0, most);
  const decided = new Set([...chosen.map(({ entry }) => entry), ...unwanted]);
  const inOrder = new Set([...wanted.map(({ entry }) => entry), ...candidates]);
  const remaining = [...[...inOrder].filter((candidate) => !decided.has(candidate)).map(({ item }) => item), ...beyond];
  return {
    documents: chosen.map(({ entry, score }, at) => toChosenDocument(entry, chosenBefore.length + at + 1, score)),
    remaining: itemsForLater(remaining),
    settled: [...decided].flatMap(({ item, duplicates: repeated }) => [item, ...repeated]),
    leftOut: { irrelevant: unwanted.length, duplicates, beyond_depth: remaining.length + ofSeries },
  };
}

type WantedCandidates = { wanted: Scored<StoryCandidate>[]; unwanted: StoryCandidate[] };

async function judgeWanted(
  run: StageRun,
  { state, most, search, candidates }: SelectionInput & { candidates: readonly StoryCandidate[] },
): Promise<WantedCandidates> {
  const inSearchOrder = (entries: readonly StoryCandidate[]) => searchOrder(entries, ({ item }) => item, search);
  if (candidates.length <= most) {
    // Which of them answers the question, the model that reads them will say.
    return { wanted: (await inSearchOrder(candidates)).map(({ entry }) => ({ entry, score: 1 })), unwanted: [] };
  }
  const judged = await judgeCandidates(run, { plan: state.plan, candidates });
  const scoreOf = (candidate: StoryCandidate) => judged?.judgements.get(candidate)?.score;
  const unwanted = candidates.filter((candidate) => scoreOf(candidate) === 0);
  if (!judged?.isWhole) {
    const unjudged = candidates.filter((candidate) => scoreOf(candidate) !== 0);
    return { wanted: await inSearchOrder(unjudged), unwanted };
  }
  const byScore = candidates
    .flatMap((entry) => ((scoreOf(entry) ?? 0) > 0 ? [{ entry, score: (scoreOf(entry) ?? 0) / BEST_SCORE }] : []))
    .sort((a, b) => b.score - a.score);
  // The best one of each sub-question comes first, so that a question about which much is written takes no other one's place.
  const best = openSubQuestions(state).flatMap(
    ({ sub_question: part }) => byScore.find(({ entry }) => judged.judgements.get(entry)?.serves.includes(part)) ?? [],
  );
  return { wanted: [...new Set([...best, ...byScore])], unwanted };
}

const selectItems = (run: StageRun, input: SelectionInput): Promise<Selection> =>
  run.request.hasModel ? selectByModel(run, input) : selectBySearch(input);

async function rankItems({ items, ...gathered }: GatheredState, run: StageRun): Promise<RankedState> {
  const { request } = run;
  checkAlive(gathered.sources);
  const search = searchFor(run, [request.query, ...request.places, ...gathered.plan.queries]);
  const selection = await selectItems(run, {
    state: { ...gathered, documents: [], settled: [] },
    items: withPrevious(gathered.previous, items),
    most: request.depth.documents,
    search,
  });
  const { documents, remaining, settled, leftOut } = selection;
  const chosen: RankedState = {
    ...gathered,
    work: { ...gathered.work, rounds: 1 },
    ...{ documents, left: remaining, leftOut, settled: settled.map(itemKey), roundFrom: 1 },
    points: pointsOf(items, documents),
    findings: [],
  };
  return addPreviousFindings(chosen, run);
}

/** How many texts of an earlier research wait for a further round. */
function notChosenBefore({ previous, settled }: RankedState): number {
  const keys = new Set(settled);
  return (previous?.items ?? []).filter((item) => !keys.has(itemKey(item))).length;
}

function withNewSeries(points: readonly FindingPoint[], more: readonly FindingPoint[]): FindingPoint[] {
  const kindOf = ({ source, label }: FindingPoint) => JSON.stringify([source, label]);
  const kinds = new Set(points.map(kindOf));
  return [...points, ...more.filter((point) => !kinds.has(kindOf(point)))].slice(0, MAX_POINTS);
}

const searchFor = ({ applyRule, work: { signal } }: StageRun, queries: readonly string[]): Search => ({
  ...{ query: queries.join('\n'), applyRule, pace: pacer(signal) },
});

const MAX_POINTS = 2_000;

/** Returns all figures with a label that a chosen document has, so that series are complete. */
function pointsOf(items: readonly GatheredItem[], documents: readonly ChosenDocument[]): FindingPoint[] {
  const kindOf = (source: string, label: string) => JSON.stringify([source, label]);
  const kinds = new Set(documents.flatMap(({ source, figures }) => figures.map(({ label }) => kindOf(source, label))));
  const numbers = new Map(
    documents.map((document) => [placeOf(document.source, document.address, document.title), document.document]),
  );
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
function repeatsAmong(documents: readonly ChosenDocument[]): (item: GatheredItem) => boolean {
  const chosenByDuplicate = new Map(
    documents.flatMap((document) =>
      document.duplicates.map(({ source, address, title }) => [placeOf(source, address, title), document] as const),
    ),
  );
  return (item) => {
    const chosen = chosenByDuplicate.get(placeOf(item.source, item.address, item.title));
    if (!chosen) return false;
    const { published_at: at, ...figures } = chosen;
    return repeatsFigures(item, { ...figures, ...(at === null ? {} : { publishedAt: at }) });
  };
}

const placeOf = (...parts: string[]): string => JSON.stringify(parts);
