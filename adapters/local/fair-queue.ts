/** One queue for each group, served round-robin: a group with a backlog does not delay the others. */
import { type Fifo, fifo } from './fifo.ts';

type FairLine<T> = {
  add(group: string, item: T): void;
  /** Skips groups for which `mayTake` is false; they keep their items. */
  take(mayTake?: (group: string) => boolean): T | undefined;
};

export function fairLine<T>(): FairLine<T> {
  /** Groups without items are removed from both. */
  const lines = new Map<string, Fifo<T>>();
  const turns = fifo<string>();

  function nextGroup(mayTake: (group: string) => boolean): string | undefined {
    for (let passed = 0; passed < lines.size; passed++) {
      const group = turns.shift();
      if (group === undefined || mayTake(group)) return group;
      turns.push(group);
    }
    return undefined;
  }

  return {
    add(group, item) {
      const line = lines.get(group) ?? fifo<T>();
      if (!lines.has(group)) {
        lines.set(group, line);
        turns.push(group);
      }
      line.push(item);
    },
    take(mayTake = () => true) {
      const group = nextGroup(mayTake);
      if (group === undefined) return undefined;
      const line = lines.get(group);
      const item = line?.shift();
      if (line?.empty()) lines.delete(group);
      else turns.push(group);
      return item;
    },
  };
}
