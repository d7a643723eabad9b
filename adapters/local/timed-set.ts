/** Items that become due, each at its time. */

type Entry<T> = { at: number; item: T };
type Heap<T> = { push(entry: Entry<T>): void; first(): Entry<T> | undefined; pop(): void; size(): number };

/** A binary heap with the earliest entry first. */
export function heap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  const at = (place: number): number => entries[place]?.at ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [first, second] = [entries[a], entries[b]];
    if (first && second) [entries[a], entries[b]] = [second, first];
  }

  function rise(place: number): void {
    const parent = (place - 1) >> 1;
    if (place === 0 || at(parent) <= at(place)) return;
    swap(parent, place);
    rise(parent);
  }

  function sink(place: number): void {
    const left = 2 * place + 1;
    const child = at(left + 1) < at(left) ? left + 1 : left;
    if (at(place) <= at(child)) return;
    swap(place, child);
    sink(child);
  }

  return {
    push(entry) {
      entries.push(entry);
      rise(entries.length - 1);
    },
    first: () => entries[0],
    pop() {
      swap(0, entries.length - 1);
      entries.pop();
      sink(0);
    },
    size: () => entries.length,
  };
}

const STALE_ALLOWED = 1_000;

type TimedSet<T> = {
  /** Replaces the item's earlier time, if it has one. */
  set(item: T, at: number): void;
  has(item: T): boolean;
  delete(item: T): void;
  nextAt(): number;
  /** Removes and returns an item whose time has come. */
  take(now: number): T | undefined;
};

export function timedSet<T>(): TimedSet<T> {
  const times = new Map<T, number>();
  /** Also contains outdated entries, because a heap cannot remove an entry from its middle. */
  let order = heap<T>();

  function first() {
    for (let entry = order.first(); entry; entry = order.first()) {
      if (times.get(entry.item) === entry.at) return entry;
      order.pop();
    }
    return undefined;
  }

  function tidy(): void {
    if (order.size() <= 2 * times.size + STALE_ALLOWED) return;
    order = heap<T>();
    for (const [item, at] of times) order.push({ at, item });
  }

  return {
    set(item, at) {
      times.set(item, at);
      order.push({ at, item });
      tidy();
    },
    has: (item) => times.has(item),
    delete: (item) => void times.delete(item),
    nextAt: () => first()?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const entry = first();
      if (entry === undefined || entry.at > now) return undefined;
      times.delete(entry.item);
      order.pop();
      return entry.item;
    },
  };
}
