/** A table in memory, for tests with hundreds of thousands of writes per minute; its indexes can lag. */

import { cursorOf, parseCursor } from '../../../shared/core/cursor.ts';
import {
  checkedJson,
  checkInstant,
  checkLimit,
  checkRowKey,
  checkRowKeys,
  checkSpend,
  checkText,
  isKeyText,
  ROW_LIMITS,
} from '../../../shared/core/row-limits.ts';
import { DUE_SHARDS, shardOf } from '../../../shared/core/shard.ts';
import type {
  Clock,
  Counts,
  Draft,
  Durability,
  Ids,
  Key,
  ListEntry,
  Page,
  Paging,
  Row,
  Spend,
  Table,
} from '../../../shared/ports.ts';
import { laggingIndex } from './lagging-index.ts';

type Kept = Omit<Draft<unknown>, 'value'> & { version: string; text: string; isCounter: boolean };
type Due = Key & { dueAt: number; expiresAt: number };
type Place = { listed: ListEntry; expiresAt: number };

export type MemoryStore = ReturnType<typeof memoryStore>;

/** The shared store of several tables, each with its own clock. `lagMs` returns the delay until an index shows a write. */
export function memoryStore(o: { ids: Pick<Ids, 'mark'>; now: () => number; lagMs?: () => number }) {
  const partitions = new Map<string, Map<string, Kept>>();
  const due = Array.from({ length: DUE_SHARDS }, () => laggingIndex<Due>());
  const places = new Map<string, ReturnType<typeof laggingIndex<Place>>>();
  /** The previous rows of writes that are not synced to disk yet, in the order of the writes. */
  let unsynced: { key: Key; before: Kept | undefined }[] = [];

  function placesOf(list: string) {
    const index = places.get(list) ?? laggingIndex<Place>();
    places.set(list, index);
    return index;
  }

  function show(key: Key, before: Kept | undefined, after: Kept | undefined): void {
    const { pk, sk } = key;
    const now = o.now();
    const showsAt = now + (o.lagMs?.() ?? 0);
    const name = `${pk}\n${sk}`;
    const expiresAt = after?.expiresAt ?? Number.POSITIVE_INFINITY;
    if (before?.dueAt !== undefined || after?.dueAt !== undefined) {
      const entry = after?.dueAt === undefined ? undefined : { pk, sk, dueAt: after.dueAt, expiresAt };
      due[shardOf(key)]?.put(name, entry, showsAt, now);
    }
    const [was, is] = [before?.listed, after?.listed];
    if (was && was.list !== is?.list) placesOf(was.list).put(name, undefined, showsAt, now);
    if (is) placesOf(is.list).put(name, { listed: is, expiresAt }, showsAt, now);
  }

  function set({ pk, sk }: Key, before: Kept | undefined, after: Kept | undefined): void {
    const rows = partitions.get(pk) ?? new Map<string, Kept>();
    partitions.set(pk, rows);
    if (after) rows.set(sk, after);
    else rows.delete(sk);
    show({ pk, sk }, before, after);
  }

  return {
    mark: o.ids.mark,
    now: o.now,
    partition: (pk: string): ReadonlyMap<string, Kept> => partitions.get(pk) ?? new Map(),
    due: (shard: number) => due[shard]?.entries(o.now()) ?? [],
    places: (list: string) => placesOf(list).entries(o.now()),
    /** A durable write also syncs the relaxed writes before it, because the log is one file. */
    put(kept: Kept, durability: Durability = 'full'): void {
      const before = partitions.get(kept.pk)?.get(kept.sk);
      if (durability === 'relaxed') unsynced.push({ key: kept, before });
      else unsynced = [];
      set(kept, before, kept);
    },
    remove(kept: Kept): void {
      unsynced = [];
      set(kept, kept, undefined);
    },
    /** Undoes unsynced writes and returns their keys, the newest first. */
    cutPower(): Key[] {
      const undone = unsynced.toReversed();
      unsynced = [];
      for (const { key, before } of undone) set(key, partitions.get(key.pk)?.get(key.sk), before);
      return undone.map(({ key }) => key);
    },
  };
}

const inBytes = (a: string, b: string): number => (isPlain(a) && isPlain(b) ? plainly(a, b) : bytewise(a, b));
const isPlain = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const plainly = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const rowOf = <T>({ text, isCounter: _counter, ...kept }: Kept): Row<T> => ({ ...kept, value: JSON.parse(text) as T });

/** A table whose machine can lose power. */
export type Mortal = Table & { cutPower(): Key[] };

export function memoryTable({ store, clock }: { store: MemoryStore; clock: Clock }): Mortal {
  const isLive = ({ expiresAt }: { expiresAt?: number }): boolean => expiresAt === undefined || expiresAt > clock.now();

  function live({ pk, sk }: Key): Kept | undefined {
    const kept = store.partition(pk).get(sk);
    return kept && isLive(kept) ? kept : undefined;
  }

  function read<T>(key: Key): Row<T> | undefined {
    checkRowKey(key);
    const kept = live(key);
    return kept && rowOf<T>(kept);
  }

  function keep<T>(draft: Draft<T>, text: string, durability: Durability = 'full'): Row<T> {
    const { value, ...rest } = draft;
    const version = store.mark();
    store.put({ ...structured(rest), version, text, isCounter: false }, durability);
    return { ...draft, version };
  }

  return {
    cutPower: store.cutPower,
    get: async (key) => read(key),
    async getMany<T>(keys: Key[]) {
      checkRowKeys(keys);
      return keys.map((key) => read<T>(key));
    },
    async insert(draft, prerequisites = []) {
      const texts = [...prerequisites, draft].map(checkedJson);
      prerequisites.forEach((one, at) => {
        if (!live(one)) keep(one, texts[at] as string);
      });
      return live(draft) ? undefined : keep(draft, texts.at(-1) as string);
    },
    async replace({ pk, sk, version }, next, { prerequisites = [], durability = 'full' } = {}) {
      const draft = { ...next, pk, sk };
      const text = checkedJson(draft);
      const texts = prerequisites.map(checkedJson);
      prerequisites.forEach((one, at) => {
        if (!live(one)) keep(one, texts[at] as string);
      });
      return live(draft)?.version === version ? keep(draft, text, durability) : undefined;
    },
    async remove(held) {
      checkRowKey(held);
      const kept = live(held);
      if (kept?.version !== held.version) return false;
      store.remove(kept);
      return true;
    },
    async spend(key, spend) {
      checkRowKey(key);
      checkSpend(spend);
      return spendOn(store, { key, spend, found: live(key) });
    },
    ...tablePages(store, isLive),
  };
}

/** Copies the list entry, so that later changes by the caller are not stored. */
const structured = <T extends { listed?: ListEntry }>(draft: T): T =>
  draft.listed ? { ...draft, listed: { ...draft.listed } } : { ...draft };

function spendOn(store: MemoryStore, { key, spend, found }: { key: Key; spend: Spend; found: Kept | undefined }) {
  if (found && !found.isCounter) throw new Error(`${key.pk} / ${key.sk} is a row, not a counter.`);
  const counts: Counts = found ? (JSON.parse(found.text) as Counts) : {};
  const sums = new Map(Object.entries(counts));
  for (const [name, amount] of Object.entries(spend.by)) sums.set(name, (sums.get(name) ?? 0) + amount);
  const within = Object.entries(spend.atMost).every(([name, most]) => (sums.get(name) ?? 0) <= most);
  if (!within) return { spent: false, now: counts };
  const now: Counts = Object.fromEntries(sums);
  const expiresAt = found?.expiresAt ?? spend.expiresAt;
  store.put(
    { pk: key.pk, sk: key.sk, version: store.mark(), text: JSON.stringify(now), isCounter: true, expiresAt },
    'relaxed',
  );
  return { spent: true, now };
}

function tablePages(
  store: MemoryStore,
  isLive: (kept: { expiresAt?: number }) => boolean,
): Pick<Table, 'rows' | 'listed' | 'due'> {
  return {
    async rows<T>(pk: string, prefix: string, paging: Paging): Promise<Page<Row<T>>> {
      checkText(pk, ROW_LIMITS.pkBytes, 'pk');
      const after = positionIn(paging, (position) => position.startsWith(prefix));
      const found = [...store.partition(pk).values()].filter((kept) => kept.sk.startsWith(prefix) && isLive(kept));
      const page = pageOf(found, { paging, after, positionOf: ({ sk }) => sk, order: inBytes });
      return { ...page, rows: page.rows.map((kept) => rowOf<T>(kept)) };
    },
    async listed(list, paging) {
      checkText(list, ROW_LIMITS.pkBytes, 'list');
      const after = positionIn(paging, (position) => /^\d{1,16}#/.test(position));
      const found = [...store.places(list)].filter(isLive).map(({ listed }) => ({ ...listed }));
      return pageOf(found, { paging, after, positionOf: ({ at, id }) => `${at}#${id}`, order: inTime });
    },
    async due(shard, before, limit) {
      checkInstant(before, 'before');
      checkLimit(limit);
      const found: Due[] = [];
      for (const entry of store.due(shard)) if (entry.dueAt <= before && isLive(entry)) found.push(entry);
      found.sort((a, b) => a.dueAt - b.dueAt);
      return found.slice(0, limit).map(({ pk, sk }) => ({ pk, sk }));
    },
  };
}

/** Compares the timestamps as numbers, then the ids. */
function inTime(a: string, b: string): number {
  const [one, other] = [a.indexOf('#'), b.indexOf('#')];
  return Number(a.slice(0, one)) - Number(b.slice(0, other)) || inBytes(a.slice(one), b.slice(other));
}

function positionIn({ after, limit }: Paging, isPosition: (position: string) => boolean): string | undefined {
  checkLimit(limit);
  if (after === undefined) return undefined;
  return parseCursor(after, (position) => isKeyText(position, ROW_LIMITS.skBytes) && isPosition(position));
}

type Order<R> = {
  paging: Paging;
  after: string | undefined;
  positionOf: (row: R) => string;
  order: (a: string, b: string) => number;
};

function pageOf<R>(found: R[], { paging, after, positionOf: at, order }: Order<R>): Page<R> {
  const way = paging.newestFirst ? -1 : 1;
  const sorted = found
    .map((row) => ({ row, position: at(row) }))
    .filter(({ position }) => after === undefined || way * order(position, after) > 0)
    .sort((a, b) => way * order(a.position, b.position));
  const shown = sorted.slice(0, paging.limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ row }) => row),
    ...(sorted.length > paging.limit && last ? { next: cursorOf(last.position) } : {}),
  };
}
