/** A line for every group, served in turn: a group with a backlog does not hold up the others. */
import { type Fifo, fifo } from './fifo.ts';

export type FairLine<T> = {
  add(group: string, item: T): void;
  /** Passes over the groups that may not take; they keep their items. */
  take(mayTake?: (group: string) => boolean): T | undefined;
};

export function fairLine<T>(): FairLine<T> {
  /** A group without items has neither line nor turn. */
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
