/** A first-in-first-out queue. */

const SHORTENED_FROM = 1_000;

export type Fifo<T> = { push(item: T): void; shift(): T | undefined; empty(): boolean };

/** The cost is constant at any length: an array's shift() gets slower, and a Map keeps deleted entries in front. */
export function fifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let next = 0;

  return {
    push: (item) => void items.push(item),
    shift() {
      if (next === items.length) return undefined;
      const item = items[next];
      items[next++] = undefined;
      if (next >= SHORTENED_FROM && next * 2 >= items.length) [items, next] = [items.slice(next), 0];
      return item;
    },
    empty: () => next === items.length,
  };
}
