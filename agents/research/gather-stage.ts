/** Plans the queries of a research, and gathers from its sources batch by batch. A source that gives nothing is named. */

import * as v from 'valibot';
import { QUESTION_WORDS, STOP_WORDS, wordsOf } from '../../engines/models/extractive/words.ts';
import { isOffline, OFFLINE } from '../../engines/models/offline.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { GatheredItems, GatherRequest, SourceItem } from '../../shared/sources/source.ts';
import { type Stage, TaskFailure } from '../../shared/tasks/agent.ts';
import { planRules } from '../prompts/research.ts';
import { ask, checkpoint, type ResearchSetting, resume } from './stages.ts';
import type { Gathering, ResearchRequest, ResearchState, SourceState } from './state.ts';

const MAX_WORDS = 12;
const MAX_QUERY_LENGTH = 200;
const PARTS =
  /[?;\n]+|(?<=[.!])\s+|,?\s+(?:and|as well as|und|et|y)\s+(?=how|what|who|which|why|when|where|whether)/giu;

/**
 * Builds the queries by rules: the question, its parts, and combinations with places and facets. The most specific come
 * first, as a shallow research sends only those.
 */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const subject = telling(query);
  const parts = query.split(PARTS).map(telling);
  const made = [
    subject,
    ...places.map((place) => joined(subject, place)),
    ...(parts.length > 1 ? parts : []),
    ...facets.map((facet) => joined(subject, facet)),
    ...facets.flatMap((facet) => places.map((place) => joined(subject, `${facet} ${place}`))),
  ];
  const queries = [...new Set(made.filter((text) => text !== ''))].slice(0, depth.queries);
  return queries.length > 0 ? queries : [query.slice(0, MAX_QUERY_LENGTH)];
}

/** Removes question words and stop words. Text that consists of nothing else stays as it is. */
function telling(text: string): string {
  const words = text.match(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}.'&/-]*/gu) ?? [];
  const kept = words.map((word) => word.replace(/['.]+$/, '')).filter(isTelling);
  return (kept.length > 0 ? kept : words).slice(0, MAX_WORDS).join(' ').slice(0, MAX_QUERY_LENGTH);
}

const isTelling = (word: string): boolean =>
  !wordsOf(word).every((folded) => STOP_WORDS.has(folded) || QUESTION_WORDS.has(folded));

const joined = (subject: string, more: string): string =>
  subject.toLowerCase().includes(more.toLowerCase()) ? subject : `${subject} ${more}`.slice(0, MAX_QUERY_LENGTH);

const ANSWER_TOKENS = 1_000;

const answers = v.object({ queries: v.array(v.string()) });

export const planStage = (setting: ResearchSetting): Stage => ({
  name: 'planning',
  mayRepeat: isOffline(setting.input.model),
  async run(work, carried) {
    const { address, signal } = work;
    const { ports, wish, input } = setting;
    const known = await resume(setting, carried);
    const model = await ports.modelOf(input.cheapModel ?? input.model, work, input.asked.reasoning_effort);
    const own = queriesFor(wish);
    known.plan = { queries: own, by: 'rules' };
    if (model.provider !== OFFLINE) {
      const { query, researchType, scope, depth } = wish;
      const wished = {
        question: query,
        kind: researchType,
        places: scope,
        most_queries: depth.queries,
        ...definedFields({ published: input.asked.time_range ?? undefined, language: wish.language }),
      };
      const messages = [JSON.stringify(wished)];
      const question = { model, rules: planRules(ports.clock.now()).join('\n'), messages, schema: answers, signal };
      const answer = await ask(known, { ...question, answerTokens: ANSWER_TOKENS });
      const queries = distinct([own[0] ?? query, ...(answer?.queries ?? [])]).slice(0, depth.queries);
      if (queries.length > 1) known.plan = { queries, by: 'model' };
    }
    for (const query of known.plan.queries) known.activity.tell({ kind: 'query', query });
    return checkpoint(setting, address, { known, stages: ['planning'] });
  },
});

function distinct(queries: readonly string[]): string[] {
  const clean = queries.map((query) =>
    query
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_QUERY_LENGTH),
  );
  return [...new Map(clean.filter((query) => query !== '').map((query) => [query.toLowerCase(), query])).values()];
}

const MAX_FAULTS = 20;
const MAX_REASON = 300;
const MAX_ADDRESS = 2_048;
const MAX_TITLE = 500;
/** The maximum text of one item, and of all items of a task, which the sources share equally. */
const MAX_TEXT = 60_000;
const MAX_CHARACTERS = 12_000_000;

export const gatherStage = (setting: ResearchSetting, batch: readonly string[], isLast: boolean): Stage => ({
  name: 'gathering',
  mayRepeat: true,
  async run({ address, signal, report }, carried) {
    const { ports, wish, input, gatherings, ownGatherings } = setting;
    const known = await resume(setting, carried);
    let done = 0;
    const gathering = {
      queries: known.plan?.queries ?? [wish.query],
      places: wish.places,
      maxItems: wish.depth.itemsOfSource,
      signal,
      ownHosts: input.ownHosts ?? [],
    };
    const { organization } = address;
    const slotRequest = { organization, signal };
    const gatherOne = async (source: string) => {
      const gather = () => ports.gather(organization, source, gathering);
      const gathered = await ownGatherings.run(slotRequest, () => gatherings.run(slotRequest, gather));
      report(++done / batch.length);
      return gathered;
    };
    const all = await Promise.all(batch.map(gatherOne));
    const maxCharacters = Math.floor(MAX_CHARACTERS / Math.max(1, wish.sources.length));
    const inScope = inScopeOf(setting, known);
    for (const gathered of all) take(known, inScope(gathered), { most: wish.depth.itemsOfSource, maxCharacters });
    const hits = isLast ? await searchWeb(setting, organization, gathering) : undefined;
    if (hits) takeMore(known, inScope(hits), { most: wish.depth.itemsOfSource, maxCharacters });
    if (isLast && wish.fileIds.length > 0) {
      const files = await ports.gatherFiles({ organization, fileIds: wish.fileIds, signal });
      takeMore(known, files, { most: files.items.length, maxCharacters: MAX_CHARACTERS });
    }
    return checkpoint(setting, address, { known, stages: isLast ? ['planning', 'gathering'] : ['planning'] });
  },
});

/** A source that the request does not name is added to those that it names. */
function takeMore(known: ResearchState, gathered: GatheredItems, most: Most): void {
  const { source } = gathered;
  known.sources.push({ source, status: 'pending', items: 0, queries: 0, sample_data: false, faults: [] });
  take(known, gathered, most);
}

/** Leaves out, and counts, what is from other domains or of other days than the request allows. */
function inScopeOf({ ports, input }: ResearchSetting, known: ResearchState) {
  const scope = scopeOf(input.asked, ports.clock.now());
  return (gathered: GatheredItems): GatheredItems => {
    const items = gathered.items.filter(({ address: url, publishedAt }) => isInScope({ url, publishedAt }, scope));
    known.outOfScope = (known.outOfScope ?? 0) + gathered.items.length - items.length;
    return { ...gathered, items };
  };
}

/** The source of the hits of a search provider. Names of other sources have no space. */
export const WEB_SEARCH = 'web search';

/** Searches the web for more than the plan asked, and adds the hits to the items. */
export async function searchMore(
  setting: ResearchSetting,
  known: ResearchState,
  { organization, ...request }: { organization: string; queries: string[]; maxItems: number; signal: AbortSignal },
): Promise<void> {
  const before = known.sources.find(({ source }) => source === WEB_SEARCH);
  const found = before ? await searchWeb(setting, organization, request) : undefined;
  if (!before || !found) return;
  for (const query of request.queries) known.activity.tell({ kind: 'query', query });
  const seen = new Set(known.documents.map(({ address }) => address));
  const items = inScopeOf(setting, known)(found).items.filter(({ address }) => !seen.has(address));
  take(known, { ...found, items }, { most: request.maxItems, maxCharacters: MAX_CHARACTERS });
  known.sources = known.sources.map((one) =>
    one.source === WEB_SEARCH
      ? {
          ...before,
          items: before.items + one.items,
          queries: before.queries + one.queries,
          faults: [...before.faults, ...one.faults].slice(0, MAX_FAULTS),
        }
      : one,
  );
  known.plan?.queries.push(...request.queries);
}

/** Searches the web for each query of the plan, if the organization has a provider and the request names no sources. */
async function searchWeb(
  { ports, input, wish }: ResearchSetting,
  organization: string,
  { queries, maxItems, signal }: Pick<GatherRequest, 'queries' | 'maxItems' | 'signal'>,
): Promise<GatheredItems | undefined> {
  const connector = input.asked.sources?.length ? undefined : await ports.searchConnector?.(organization);
  if (!connector) return undefined;
  const count = Math.ceil(maxItems / queries.length);
  const filters = { ...scopeOf(input.asked, ports.clock.now()), ...definedFields({ language: wish.language }) };
  const answers = await Promise.all(queries.map((text) => connector.search({ text, count, ...filters }, signal)));
  const hits = new Map(answers.flatMap((answer) => answer.hits).map((hit) => [hit.url, hit]));
  const reasons = new Set(answers.flatMap(({ notes }) => notes));
  return {
    source: WEB_SEARCH,
    items: [...hits.values()].map(({ url, title, snippet, text, publishedAt }) => ({
      source: WEB_SEARCH,
      address: url,
      title,
      text: text || snippet,
      ...(publishedAt ? { publishedAt } : {}),
    })),
    faults: [...reasons].map((reason) => ({ address: connector.name, reason })),
    queries: queries.length,
    isSample: false,
  };
}

type Most = { most: number; maxCharacters: number };

function take(
  known: ResearchState,
  { source, items, faults, queries, isSample }: GatheredItems,
  { most, maxCharacters }: Most,
) {
  let left = maxCharacters;
  const kept: Gathering[] = [];
  for (const item of items.slice(0, most)) {
    const own = { ...bounded(item), isSample };
    left -= own.text.length;
    if (left < 0) break;
    if (/[\p{L}\p{N}]/u.test(own.text + own.title)) kept.push(own);
  }
  const state: SourceState = {
    source,
    status: kept.length > 0 ? 'read' : faults.length > 0 ? 'dead' : 'empty',
    items: kept.length,
    queries,
    sample_data: isSample,
    faults: faults.slice(0, MAX_FAULTS).map(({ address, reason }) => ({
      address: oneLine(address, MAX_ADDRESS),
      reason: oneLine(reason, MAX_REASON),
    })),
  };
  known.sources = known.sources.map((one) => (one.source === source ? state : one));
  known.items.push(...kept);
  known.queries += queries;
  known.activity.tell({ kind: 'hits', source, count: kept.length, reason: state.faults[0]?.reason });
}

const bounded = (item: SourceItem): SourceItem => {
  const title = oneLine(item.title, MAX_TITLE);
  return {
    ...item,
    address: oneLine(item.address, MAX_ADDRESS),
    title: title === '' ? oneLine(item.text, 80) : title,
    text: item.text.slice(0, MAX_TEXT).toWellFormed(),
  };
};

const oneLine = (text: string, most: number): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();

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
