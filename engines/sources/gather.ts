/** Gathers items from a source of an organization, or from the bundled source of that name. */

import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Clock, Outbound, Table } from '../../shared/ports.ts';
import { chooseItems } from '../../shared/sources/choose-items.ts';
import { parseInstant } from '../../shared/sources/parse-instant.ts';
import type {
  Gather,
  GatheredItems,
  GatherRequest,
  SourceFault,
  SourceItem,
} from '../../shared/sources/source-item.ts';
import type { Connector, ResearchSource } from '../../shared/sources/source-schema.ts';
import { sourceOf } from '../../shared/sources/stored-sources.ts';
import type { Documents } from '../documents/documents.ts';
import { type FindBundledSource, sampleItems } from './bundled-sources.ts';
import { hostThrottle, type ReadPorts, readUrl, type WaitWithSignal } from './read-url.ts';

type PlannedRequest = { address: string; connector: Connector };
type Plan = { requests: PlannedRequest[]; faults: SourceFault[] };

const MAX_PART_LENGTH = 200;
const QUERY = '{query}';
const PLACE = '{place}';

/** Fills every URL template with each query and each place, up to the limit of its connector. */
export function planRequests(
  { connectors }: Pick<ResearchSource, 'connectors'>,
  ask: Pick<GatherRequest, 'queries' | 'places' | 'isFurther'>,
): Plan {
  const requests: PlannedRequest[] = [];
  const faults: SourceFault[] = [];
  for (const connector of connectors) {
    const { limits } = connector;
    const templates = connector.address.filter((template) => !ask.isFurther || template.includes(QUERY));
    const addresses = [...new Set(templates.flatMap((template) => fillTemplate(template, ask)))];
    requests.push(...addresses.slice(0, limits.requests).map((address) => ({ address, connector })));
    const [unasked] = addresses.slice(limits.requests);
    if (unasked !== undefined) {
      faults.push({ address: unasked, reason: `was left out: at most ${limits.requests} URLs are requested at once` });
    }
    for (const template of templates) {
      if (fillTemplate(template, ask).length === 0) faults.push({ address: template, reason: 'needs a query' });
    }
  }
  return { requests, faults };
}

/** A template without places covers all of them; without a query, nothing can be requested. */
function fillTemplate(template: string, { queries, places }: Pick<GatherRequest, 'queries' | 'places'>): string[] {
  const queryParts = template.includes(QUERY) ? queries.map(encodePart).filter((text) => text !== '') : [''];
  const placeParts = template.includes(PLACE) && places.length > 0 ? places.map(encodePart) : [''];
  return queryParts.flatMap((query) =>
    placeParts
      .filter((place) => !namesOtherPlace(query, place, placeParts))
      .map((place) => template.replaceAll(QUERY, query).replaceAll(PLACE, place)),
  );
}

/** A query may name a place itself: one about Poland is not combined with Latvia. */
const namesOtherPlace = (query: string, place: string, places: readonly string[]): boolean =>
  !names(query, place) && places.some((otherPlace) => otherPlace !== '' && names(query, otherPlace));

const names = (query: string, place: string): boolean => query.toLowerCase().includes(place.toLowerCase());

/** Encodes text so that it stays one segment of the URL. Text of dots only is dropped, as it would change the path. */
function encodePart(text: string): string {
  const plain = text.slice(0, MAX_PART_LENGTH).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  if (/^\.+$/.test(plain)) return '';
  return encodeURIComponent(plain).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

type GathererPorts = {
  table: Table;
  clock: Clock;
  outbound: Outbound;
  documents: Documents;
  bundled: FindBundledSource;
  wait?: WaitWithSignal;
};

/** The maximum number of responses held in memory at once: per organization in this process, and per gathering. */
const MAX_CONCURRENT = 8;
const MAX_CONCURRENT_EACH = 3;
const MAX_ITEMS = 1_000;
/** The limit for all items of one gathering together. */
const MAX_TEXT = 5_000_000;
const MAX_FAULTS = 50;

/** Prefers the organization's own source over the bundled one of the same name. */
export function gatherer({ table, clock, outbound, documents, bundled, wait }: GathererPorts): Gather {
  const requests = semaphore({ name: 'sourceRequests', capacity: capacityFor(MAX_CONCURRENT) });
  const ports = { outbound, documents, waitForHost: hostThrottle({ clock, ...(wait ? { wait } : {}) }), requests };

  return async (organization, name, ask) => {
    ask.signal.throwIfAborted();
    const ownSource = await sourceOf(table, organization, name);
    const resolved = ownSource ? { source: ownSource } : await bundled(name);
    if (!resolved) return toGathered(name, ask, { faults: [{ address: name, reason: 'no longer exists' }] });
    if ('source' in resolved) return gatherFromSource(ports, resolved.source, { ...ask, organization });
    const items = sampleItems(resolved.sample, clock.now());
    return toGathered(name, ask, { items, queries: 1, isSample: true });
  };
}

async function gatherFromSource(
  ports: ReadPorts,
  source: ResearchSource,
  ask: GatherRequest & { organization: string },
): Promise<GatheredItems> {
  const items: SourceItem[] = [];
  const faults: SourceFault[] = [];
  let queries = 0;
  const sourceSlots = semaphore({ capacity: MAX_CONCURRENT_EACH, maxEach: MAX_CONCURRENT_EACH });
  const readOne = async ({
    address,
    connector,
  }: {
    address: string;
    connector: ResearchSource['connectors'][number];
  }) => {
    const read = await sourceSlots.run(ask, () => readUrl(ports, { address, connector, ask }));
    if (read.wasRequested) queries++;
    if ('reason' in read) faults.push({ address, reason: read.reason });
    else items.push(...read.entries.map((entry) => ({ source: source.name, ...entry })));
  };
  if (!ask.isFurther) items.push(...ownItems(source));
  const plan = planRequests(source, ask);
  faults.push(...plan.faults);
  await Promise.all(plan.requests.map(readOne));
  ask.signal.throwIfAborted();
  const takesQueries = source.connectors.some(({ address }) => address.some((template) => template.includes(QUERY)));
  return { ...toGathered(source.name, ask, { items, faults, queries }), ...(takesQueries ? { takesQueries } : {}) };
}

/**
 * Returns the entries that the source itself contains. An entry without a URL gets an identifier that leads nowhere.
 */
const ownItems = ({ name, entries }: ResearchSource): SourceItem[] =>
  entries.map(({ title, text, published, address, figures }, at) => {
    const publishedAt = published === undefined ? undefined : parseInstant(published);
    return {
      source: name,
      address: address ?? `source:${name}#${at + 1}`,
      title,
      text,
      ...(publishedAt ? { publishedAt } : {}),
      ...(figures.length > 0
        ? { figures: figures.map(({ unit, ...figure }) => (unit ? { ...figure, unit } : figure)) }
        : {}),
    };
  });

type PartialResult = Partial<Pick<GatheredItems, 'items' | 'faults' | 'queries' | 'isSample'>>;

function toGathered(source: string, { queries: about, maxItems }: GatherRequest, result: PartialResult): GatheredItems {
  const { items = [], faults = [], queries = 0, isSample = false } = result;
  const different = new Map(items.map((item) => [JSON.stringify([item.address, item.title, item.text]), item]));
  const chosen = chooseItems([...different.values()], { about, max: Math.min(maxItems, MAX_ITEMS) });
  return { source, items: withinTextLimit(chosen), faults: faults.slice(0, MAX_FAULTS), queries, isSample };
}

function withinTextLimit(items: SourceItem[]): SourceItem[] {
  let remaining = MAX_TEXT;
  return items.filter(({ text }) => {
    remaining -= text.length;
    return remaining >= 0;
  });
}
