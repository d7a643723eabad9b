/** First in, first out, at the same cost however long it is (an array's own shift is not, and a Map keeps holes in front). */

const SHORTENED_FROM = 1_000;

export type Fifo<T> = { push(item: T): void; shift(): T | undefined; empty(): boolean };

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
