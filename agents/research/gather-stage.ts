/** Gathers from the sources of a research batch by batch, and searches the web. A source that gives nothing is named. */

import { WEB_SEARCH } from '../../shared/agents/agent-input.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { GatheredItems, GatherRequest, SourceItem } from '../../shared/sources/source.ts';
import { type Stage, TaskFailure } from '../../shared/tasks/agent.ts';
import { checkpoint, type ResearchSetting, resume } from './stages.ts';
import type { Gathering, ResearchState, SourceState } from './state.ts';

const MAX_FAULTS = 20;
const MAX_REASON = 300;
const MAX_ADDRESS = 2_048;
const MAX_TITLE = 500;
/** The maximum text of one item, and of all items of a task, which the sources share equally. */
const MAX_TEXT = 60_000;
const MAX_CHARACTERS = 12_000_000;

export const gatherStage = (setting: ResearchSetting, batch: readonly string[], isLast: boolean): Stage => ({
  name: 'gathering',
  // Queries to a search provider are paid for.
  mayRepeat: !isLast || (setting.input.asked.sources ?? []).length > 0,
  async run({ address, signal, report }, carried) {
    const { ports, wish, input, gatherings, ownGatherings } = setting;
    const known = await resume(setting, carried);
    const planned = known.plan?.queries ?? [wish.query];
    const asked = askedOf(setting, known, batch);
    let done = 0;
    const gathering = {
      queries: planned.length > 0 ? planned : [wish.query],
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
    const all = await Promise.all(asked.map(gatherOne));
    const maxCharacters = Math.floor(MAX_CHARACTERS / Math.max(1, wish.sources.length));
    const inScope = inScopeOf(setting, known);
    for (const gathered of all) take(known, inScope(gathered), { most: wish.depth.itemsOfSource, maxCharacters });
    const hits = isLast ? await searchWeb(setting, organization, { ...gathering, queries: planned }) : undefined;
    if (hits) takeMore(known, inScope(hits), { most: wish.depth.itemsOfSource, maxCharacters });
    if (isLast && wish.fileIds.length > 0) {
      const files = await ports.gatherFiles({ organization, fileIds: wish.fileIds, signal });
      takeMore(known, files, { most: files.items.length, maxCharacters: MAX_CHARACTERS });
    }
    const kept = await checkpoint(setting, address, {
      known,
      stages: isLast ? ['planning', 'gathering'] : ['planning'],
    });
    return { ...kept, mayRepeat: hits === undefined };
  },
});

/** Where an earlier research has everything already, only the sources that the request names are asked. */
function askedOf({ input }: ResearchSetting, { plan, sources }: ResearchState, batch: readonly string[]) {
  if (plan?.queries.length !== 0 || input.asked.sources?.length) return batch;
  for (const one of sources) if (batch.includes(one.source)) one.status = 'empty';
  return [];
}

/** A source that the request does not name is added to those that it names. */
function takeMore(known: ResearchState, gathered: Found, most: Most): void {
  const { source } = gathered;
  known.sources.push({ source, status: 'pending', items: 0, queries: 0, sample_data: false, faults: [] });
  take(known, gathered, most);
}

/** Leaves out, and counts, what is from other domains or of other days than the request allows. */
function inScopeOf({ ports, input }: ResearchSetting, known: ResearchState) {
  const scope = scopeOf(input.asked, ports.clock.now());
  return (gathered: Found): Found => {
    const items = gathered.items.filter(({ address: url, publishedAt }) => isInScope({ url, publishedAt }, scope));
    known.outOfScope = (known.outOfScope ?? 0) + gathered.items.length - items.length;
    return { ...gathered, items };
  };
}

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
  known.sources = known.sources.map((one) => (one.source === WEB_SEARCH ? bothRounds(before, one) : one));
  known.plan?.queries.push(...request.queries);
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
  { ports, input, wish }: ResearchSetting,
  organization: string,
  { queries, maxItems, signal }: Pick<GatherRequest, 'queries' | 'maxItems' | 'signal'>,
): Promise<Found | undefined> {
  const connector = input.asked.sources?.length ? undefined : await ports.searchConnector?.(organization);
  if (!connector) return undefined;
  const count = Math.ceil(maxItems / queries.length);
  const filters = { ...scopeOf(input.asked, ports.clock.now()), ...definedFields({ language: wish.language }) };
  const answers = await Promise.all(queries.map((text) => connector.search({ text, count, ...filters }, signal)));
  const hits = new Map(answers.flatMap((answer) => answer.hits).map((hit) => [hit.url, hit]));
  const fromCache = answers.filter(({ isCached }) => isCached).length;
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
    queries: queries.length - fromCache,
    fromCache,
    isSample: false,
  };
}

/** `fromCache` are queries that were not sent again within a day. */
type Found = GatheredItems & { fromCache?: number };

type Most = { most: number; maxCharacters: number };

function take(
  known: ResearchState,
  { source, items, faults, queries, isSample, fromCache = 0 }: Found,
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
    status: statusOf(kept.length, faults),
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
  if (source === WEB_SEARCH) known.work.search_queries += queries + fromCache;
  known.work.queries_from_cache += fromCache;
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
