/** Things that wait for their time, each at most once. */
import { heap } from './heap.ts';

const STALE_ALLOWED = 1_000;

export type TimedSet<T> = {
  /** A new time takes the place of the old one. */
  set(item: T, at: number): void;
  has(item: T): boolean;
  delete(item: T): void;
  nextAt(): number;
  /** One whose time has come; it waits no longer. */
  take(now: number): T | undefined;
};

export function timedSet<T>(): TimedSet<T> {
  const times = new Map<T, number>();
  /** Also holds times that no longer count, because nothing can be taken out of a heap's middle. */
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
