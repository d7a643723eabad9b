/** Gathers from the sources of a research batch by batch, and searches the web. A source that gives nothing is named. */

import { STORED_FILES, WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-scope.ts';
import type { SourceState } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { GatheredItems, GatherRequest, SourceItem } from '../../shared/sources/source-item.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { isHit, itemKey } from './candidates.ts';
import {
  type GatheredState,
  type NotedState,
  type PlannedState,
  pendingSource,
  type StartedState,
} from './pipeline-states.ts';
import type { GatheredItem } from './research-request.ts';
import { type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

const MAX_FAULTS = 20;
const MAX_REASON = 300;
const MAX_ADDRESS = 2_048;
const MAX_TITLE = 500;
/** The maximum text of one item, and of all items of a task, which the sources share equally. */
const MAX_TEXT = 60_000;
const MAX_CHARACTERS = 12_000_000;

export const gatherStage = (setting: ResearchSetting, sources: readonly string[], isLast: boolean): Stage =>
  stageOf(setting, {
    name: 'gathering',
    // Queries to a search provider are paid for.
    mayRepeat: !isLast || (setting.input.asked.sources ?? []).length > 0,
    before: stagesTo('planning'),
    after: stagesTo(isLast ? 'gathering' : 'planning'),
    next: (state: PlannedState & Partial<GatheredState>, run) =>
      gatherBatch({ items: [], ...state }, run, { sources, isLast }),
    advice: (state) => ({ mayRepeat: !(isLast && hasSearched(state)) }),
  });

/** What a further round may choose from, which no state holds. */
export type FurtherItems = { state: NotedState; items: GatheredItem[] };

/** A further round: what the web and the sources that take queries have for new ones, and the items that were left before. */
export async function gatherMore(noted: NotedState, run: StageRun, queries: string[]): Promise<FurtherItems> {
  const { activity } = run;
  const remainingItems = await restoreLeftItems(noted, run);
  const maxItems = queries.length * HITS_OF_QUERY;
  const answers = queries.length > 0 ? await askAgain(noted, run, { queries, maxItems }) : [];
  if (answers.length === 0) return { state: noted, items: remainingItems };
  for (const query of queries) activity.record({ kind: 'query', query });
  const pages = new Set(noted.documents.map(({ address }) => address));
  const seenKeys = new Set([...noted.settled, ...remainingItems.map(itemKey)]);
  const newItems = (gatheredItems: SourceAnswer): SourceAnswer => ({
    ...gatheredItems,
    items: gatheredItems.items
      .map((item): GatheredItem => ({ ...boundedItem(item), isSample: gatheredItems.isSample }))
      .filter((item) => !(isHit(item) && pages.has(item.address)) && !seenKeys.has(itemKey(item))),
  });
  const limits = { most: maxItems, maxCharacters: MAX_CHARACTERS };
  const begun: NotedState & ItemsState = { ...noted, items: [] };
  const { items, ...state } = answers.reduce((before, answer) => {
    const after = withAnswer(before, run, newItems(inScope(run, answer)), limits);
    return { ...after, sources: after.sources.map((source, at) => withBothRounds(before.sources[at], source, answer)) };
  }, begun);
  const plan = { ...noted.plan, queries: [...noted.plan.queries, ...queries] };
  return { state: { ...state, plan }, items: [...items, ...remainingItems] };
}

/** An error message lists at most this many dead sources. */
const MAX_LISTED = 5;

/**
 * Fails the task if no source can be read. The stage after gathering calls this, so that the outcome of gathering is
 * stored and shown.
 */
export function checkAlive(sources: readonly SourceState[]): void {
  const dead = sources.filter(({ status }) => status === 'dead');
  if (dead.length < sources.length) return;
  const reasons = dead
    .slice(0, MAX_LISTED)
    .map(({ source, faults }) => `${source} (${faults[0]?.reason ?? 'gave nothing'})`)
    .join('; ');
  const more = dead.length > MAX_LISTED ? `, and ${dead.length - MAX_LISTED} more` : '';
  const which =
    dead.length === 1 ? 'The only source could not be read' : `None of the ${dead.length} sources could be read`;
  throw new TaskFailure(
    'PROCESSING_FAILED',
    `${which}: ${reasons}${more}. Name other sources, or ask your operator to look at these.`,
  );
}

type Batch = { sources: readonly string[]; isLast: boolean };

const hasSearched = ({ sources }: StartedState): boolean => sources.some(({ source }) => source === WEB_SEARCH);

async function gatherBatch(before: GatheredState, run: StageRun, { sources, isLast }: Batch): Promise<GatheredState> {
  const { ports, request, input, work } = run;
  const { signal, report } = work;
  const { organization } = work.address;
  const planned = before.plan.queries;
  const isAsked = asksSources(run, before);
  const sourcesToAsk = isAsked ? sources : [];
  let answeredCount = 0;
  const gathering = {
    queries: planned.length > 0 ? planned : [request.query],
    places: request.places,
    maxItems: request.depth.itemsOfSource,
    signal,
    ownHosts: input.ownHosts ?? [],
  };
  const gatherOne = async (source: string) => {
    const answer = await gatherFromSource(run, { organization, source, gathering });
    report(++answeredCount / sourcesToAsk.length);
    return answer;
  };
  const answers = await Promise.all(sourcesToAsk.map(gatherOne));
  const takingQueries = answers.filter(({ takesQueries }) => takesQueries).map(({ source }) => source);
  const maxCharacters = Math.floor(MAX_CHARACTERS / Math.max(1, request.sources.length));
  const limits = { most: request.depth.itemsOfSource, maxCharacters };
  const begun: GatheredState = {
    ...before,
    sources: isAsked
      ? before.sources
      : before.sources.map((state) => (sources.includes(state.source) ? { ...state, status: 'empty' } : state)),
    queryable: [...before.queryable, ...takingQueries],
  };
  const ofSources = answers.reduce((state, answer) => withAnswer(state, run, inScope(run, answer), limits), begun);
  if (!isLast) return ofSources;
  const hits = await searchWeb(run, { ...gathering, queries: planned });
  const ofWeb = hits ? withAnswer(withPendingSource(ofSources, hits), run, inScope(run, hits), limits) : ofSources;
  if (request.fileIds.length === 0) return ofWeb;
  const files = await ports.gatherFiles({ organization, fileIds: request.fileIds, signal });
  const fileLimits = { most: files.items.length, maxCharacters: MAX_CHARACTERS };
  return withAnswer(withPendingSource(ofWeb, files), run, files, fileLimits);
}

type SourceRequest = { organization: string; source: string; gathering: GatherRequest };

/** Few sources are asked at once. */
function gatherFromSource(
  { ports, gatherSlots: gatherings, taskGatherSlots: ownGatherings }: ResearchSetting,
  { organization, source, gathering }: SourceRequest,
): Promise<GatheredItems> {
  const slotRequest = { organization, signal: gathering.signal };
  const gather = () => ports.gather(organization, source, gathering);
  return ownGatherings.run(slotRequest, () => gatherings.run(slotRequest, gather));
}

/** Where an earlier research has everything already, only the sources that the request names are asked. */
const asksSources = ({ input }: ResearchSetting, { plan }: PlannedState): boolean =>
  plan.queries.length > 0 || (input.asked.sources ?? []).length > 0;

/** A source that the request does not name is added to those that it names. */
const withPendingSource = (state: GatheredState, { source }: SourceAnswer): GatheredState => ({
  ...state,
  sources: [...state.sources, pendingSource(source)],
});

/** Leaves out, and counts, what is from other domains or of other days than the request allows. */
function inScope({ ports, input }: ResearchSetting, gatheredItems: SourceAnswer): SourceAnswer {
  const scope = scopeOf(input.asked, ports.clock.now());
  const items = gatheredItems.items.filter(({ address: url, publishedAt }) => isInScope({ url, publishedAt }, scope));
  return { ...gatheredItems, items, outOfScope: gatheredItems.items.length - items.length };
}

const HITS_OF_QUERY = 10;

/** Of the source that has answered again, both rounds together. */
const withBothRounds = (before: SourceState | undefined, now: SourceState, { source }: SourceAnswer): SourceState =>
  before && now.source === source ? bothRounds(before, now) : now;

/** Nothing is asked again what it was asked before. */
async function askAgain(
  state: NotedState,
  run: StageRun,
  roundRequest: { queries: string[]; maxItems: number },
): Promise<SourceAnswer[]> {
  const { request, input, work } = run;
  const { signal } = work;
  const { organization } = work.address;
  const hits = hasSearched(state) ? await searchWeb(run, roundRequest) : undefined;
  const gathering = {
    ...roundRequest,
    signal,
    places: request.places,
    ownHosts: input.ownHosts ?? [],
    isFurther: true,
  };
  const answers = await Promise.all(
    state.queryable.map((source) => gatherFromSource(run, { organization, source, gathering })),
  );
  return [...(hits ? [hits] : []), ...answers];
}

/** The parts of files that are left get their text again, from the stored readings. */
async function restoreLeftItems({ left }: NotedState, { ports, request, work }: StageRun): Promise<GatheredItem[]> {
  const isPart = ({ source }: GatheredItem) => source === STORED_FILES;
  if (!left.some(isPart)) return left;
  const keys = new Set(left.filter(isPart).map(itemKey));
  const { signal } = work;
  const files = await ports.gatherFiles({ organization: work.address.organization, fileIds: request.fileIds, signal });
  const parts = files.items.map((item): GatheredItem => ({ ...boundedItem(item), isSample: files.isSample }));
  return [...left.filter((item) => !isPart(item)), ...parts.filter((item) => keys.has(itemKey(item)))];
}

function bothRounds(before: SourceState, now: SourceState): SourceState {
  const items = before.items + now.items;
  const byReason = new Map([...before.faults, ...now.faults].map((fault) => [fault.reason, fault]));
  const faults = [...byReason.values()].slice(0, MAX_FAULTS);
  return { ...now, items, faults, status: statusOf(items, faults), queries: before.queries + now.queries };
}

const statusOf = (items: number, faults: readonly unknown[]): SourceState['status'] =>
  items > 0 ? 'read' : faults.length > 0 ? 'dead' : 'empty';

/** Searches the web for each query of the plan, if the organization has a provider and the request names no sources. */
async function searchWeb(
  { ports, input, request, work: { address, signal } }: StageRun,
  { queries, maxItems }: Pick<GatherRequest, 'queries' | 'maxItems'>,
): Promise<SourceAnswer | undefined> {
  const connector = input.asked.sources?.length ? undefined : await ports.searchConnector?.(address.organization);
  if (!connector) return undefined;
  const count = Math.ceil(maxItems / queries.length);
  const filters = { ...scopeOf(input.asked, ports.clock.now()), ...definedFields({ language: request.language }) };
  const answers = await Promise.all(queries.map((text) => connector.search({ text, count, ...filters }, signal)));
  // The first hits of all queries, then the second ones: a search ranks what it finds.
  const longest = Math.max(0, ...answers.map((answer) => answer.hits.length));
  const byRank = Array.from({ length: longest }, (_, nth) =>
    answers.flatMap((answer) => answer.hits[nth] ?? []),
  ).flat();
  const hits = new Map(byRank.toReversed().map((hit) => [hit.url, hit]));
  const fromCache = answers.filter(({ isCached }) => isCached).length;
  const reasons = new Set(answers.flatMap(({ notes }) => notes));
  return {
    source: WEB_SEARCH,
    items: [...hits.values()].toReversed().map(({ url, title, snippet, text, publishedAt }) => ({
      source: WEB_SEARCH,
      address: url,
      title,
      text: text || snippet,
      ...(publishedAt ? { publishedAt } : {}),
    })),
    faults: [...reasons].map((reason) => ({ address: connector.name, reason })),
    queries: queries.length - fromCache,
    fromCache,
    isSample: false,
  };
}

/** `fromCache` are queries that were not sent again within a day; `outOfScope` are items that were left out. */
type SourceAnswer = GatheredItems & { fromCache?: number; outOfScope?: number };

type ItemLimits = { most: number; maxCharacters: number };

type ItemsState = StartedState & Pick<GatheredState, 'items' | 'outOfScope'>;

/** The state with what a source has answered. */
function withAnswer<State extends ItemsState>(
  before: State,
  { activity }: StageRun,
  { source, items, faults, queries, isSample, fromCache = 0, outOfScope = 0 }: SourceAnswer,
  { most, maxCharacters }: ItemLimits,
): State {
  let remainingCharacters = maxCharacters;
  const keptItems: GatheredItem[] = [];
  for (const item of items.slice(0, most)) {
    const keptItem = { ...boundedItem(item), isSample };
    remainingCharacters -= keptItem.text.length;
    if (remainingCharacters < 0) break;
    if (/[\p{L}\p{N}]/u.test(keptItem.text + keptItem.title)) keptItems.push(keptItem);
  }
  const answered: SourceState = {
    source,
    status: statusOf(keptItems.length, faults),
    items: keptItems.length,
    queries,
    sample_data: isSample,
    faults: faults.slice(0, MAX_FAULTS).map(({ address, reason }) => ({
      address: oneLine(address, MAX_ADDRESS),
      reason: oneLine(reason, MAX_REASON),
    })),
  };
  activity.record({
    kind: 'hits',
    source,
    count: keptItems.length,
    ...definedFields({ reason: answered.faults[0]?.reason }),
  });
  const { work } = before;
  return {
    ...before,
    sources: before.sources.map((state) => (state.source === source ? answered : state)),
    items: [...before.items, ...keptItems],
    outOfScope: (before.outOfScope ?? 0) + outOfScope,
    queries: before.queries + queries,
    work: {
      ...work,
      search_queries: work.search_queries + (source === WEB_SEARCH ? queries + fromCache : 0),
      queries_from_cache: work.queries_from_cache + fromCache,
    },
  };
}

const boundedItem = (item: SourceItem): SourceItem => {
  const title = oneLine(item.title, MAX_TITLE);
  return {
    ...item,
    address: oneLine(item.address, MAX_ADDRESS),
    title: title === '' ? oneLine(item.text, 80) : title,
    text: item.text.slice(0, MAX_TEXT).toWellFormed(),
  };
};

const oneLine = (text: string, maxLength: number): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
