/** A binary heap: the earliest in front. */

type Entry<T> = { at: number; item: T };
export type Heap<T> = { push(entry: Entry<T>): void; first(): Entry<T> | undefined; pop(): void; size(): number };

export function heap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  const at = (place: number): number => entries[place]?.at ?? Number.POSITIVE_INFINITY;

  function swap(one: number, other: number): void {
    const [first, second] = [entries[one], entries[other]];
    if (first && second) [entries[one], entries[other]] = [second, first];
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
