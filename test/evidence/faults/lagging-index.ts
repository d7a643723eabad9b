/** An eventually consistent index in memory: a write shows after a delay, and each row's newest change wins. */
import { heap } from '../../../adapters/local/timed-set.ts';

type Change<E> = { name: string; at: number; entry: E | undefined };

export function laggingIndex<E>() {
  const coming = heap<Change<E>>();
  const shown = new Map<string, E>();
  /** Number of the change that is shown for each row: an older change that arrives later is ignored. */
  const newest = new Map<string, number>();
  let changes = 0;

  function show({ name, at, entry }: Change<E>): void {
    if ((newest.get(name) ?? -1) > at) return;
    newest.set(name, at);
    if (entry === undefined) shown.delete(name);
    else shown.set(name, entry);
  }

  return {
    put(name: string, entry: E | undefined, showsAt: number, now: number): void {
      const change = { name, at: changes++, entry };
      if (showsAt <= now) show(change);
      else coming.push({ at: showsAt, item: change });
    },
    entries(now: number): Iterable<E> {
      for (let first = coming.first(); first && first.at <= now; first = coming.first()) {
        coming.pop();
        show(first.item);
      }
      return shown.values();
    },
  };
}
