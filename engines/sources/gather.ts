/** Gathers items from a source of an organization: its own, else the one that the product brings along. */

import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Clock, Outbound, Table } from '../../shared/ports.ts';
import {
  chooseItems,
  type Gather,
  type GatheredItems,
  type GatherRequest,
  parseInstant,
  type SourceFault,
  type SourceItem,
} from '../../shared/sources/gathered.ts';
import { type ResearchSource, sourceOf } from '../../shared/sources/source.ts';
import type { Documents } from '../documents/documents.ts';
import type { Bundled } from './bundled.ts';
import { patience, type Wait } from './patience.ts';
import { planOf } from './plan.ts';
import { type ReadPorts, readAddress } from './read-address.ts';
import { sampleItems } from './sample.ts';

type Ports = {
  table: Table;
  clock: Clock;
  outbound: Outbound;
  documents: Documents;
  bundled: Bundled;
  wait?: Wait;
};

/** Answers held in memory at once: of an organization in this process, and of one gathering. */
const AT_ONCE = 8;
const AT_ONCE_EACH = 3;
const MOST_ITEMS = 1_000;
/** Of all items of one gathering together. */
const MOST_TEXT = 5_000_000;
const MOST_FAULTS = 50;

export function gatherer({ table, clock, outbound, documents, bundled, wait }: Ports): Gather {
  const requests = semaphore({ name: 'sourceRequests', capacity: capacityFor(AT_ONCE) });
  const ports = { outbound, documents, turn: patience({ clock, ...(wait ? { wait } : {}) }), requests };

  return async (organization, name, ask) => {
    ask.signal.throwIfAborted();
    const own = await sourceOf(table, organization, name);
    const found = own ? { source: own } : await bundled(name);
    if (!found) return gathered(name, ask, { faults: [{ address: name, reason: 'is no source any more' }] });
    if ('source' in found) return fromSource(ports, found.source, { ...ask, organization });
    const items = sampleItems(found.sample, clock.now());
    return gathered(name, ask, { items, queries: 1, isSample: true });
  };
}

async function fromSource(
  ports: ReadPorts,
  source: ResearchSource,
  ask: GatherRequest & { organization: string },
): Promise<GatheredItems> {
  const items: SourceItem[] = [];
  const faults: SourceFault[] = [];
  let queries = 0;
  const own = semaphore({ capacity: AT_ONCE_EACH, maxEach: AT_ONCE_EACH });
  const readOne = async ({
    address,
    connector,
  }: {
    address: string;
    connector: ResearchSource['connectors'][number];
  }) => {
    const read = await own.run(ask, () => readAddress(ports, { address, connector, ask }));
    if (read.isAsked) queries++;
    if ('reason' in read) faults.push({ address, reason: read.reason });
    else items.push(...read.entries.map((entry) => ({ source: source.name, ...entry })));
  };
  items.push(...ownItems(source));
  const plan = planOf(source, ask);
  faults.push(...plan.faults);
  await Promise.all(plan.requests.map(readOne));
  ask.signal.throwIfAborted();
  return gathered(source.name, ask, { items, faults, queries });
}

/** What stands in the source itself; without an address of its own it is named, and leads nowhere. */
const ownItems = ({ name, entries }: ResearchSource): SourceItem[] =>
  entries.map(({ title, text, published, address, figures }, at) => {
    const publishedAt = published === undefined ? undefined : parseInstant(published);
    return {
      source: name,
      address: address ?? `source:${name}#${at + 1}`,
      title,
      text,
      ...(publishedAt ? { publishedAt } : {}),
      ...(figures.length > 0 ? { figures: figures.map(({ unit, ...own }) => (unit ? { ...own, unit } : own)) } : {}),
    };
  });

type Brought = Partial<Pick<GatheredItems, 'items' | 'faults' | 'queries' | 'isSample'>>;

function gathered(source: string, { queries: about, mostItems }: GatherRequest, brought: Brought): GatheredItems {
  const { items = [], faults = [], queries = 0, isSample = false } = brought;
  const different = new Map(items.map((item) => [JSON.stringify([item.address, item.title, item.text]), item]));
  const chosen = chooseItems([...different.values()], { about, most: Math.min(mostItems, MOST_ITEMS) });
  return { source, items: within(chosen), faults: faults.slice(0, MOST_FAULTS), queries, isSample };
}

function within(items: SourceItem[]): SourceItem[] {
  let left = MOST_TEXT;
  return items.filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
}
