/** Virtual time that advances only when all work at the present instant is done. */
import { setImmediate as turn } from 'node:timers/promises';
import { heap } from '../../../adapters/local/timed-set.ts';

export type VirtualTime = ReturnType<typeof virtualTime>;

export function virtualTime(o: { startsAt: number; maxSteps: number }) {
  const waiting = heap<() => void>();
  let now = o.startsAt;
  let outside = 0;

  function at(when: number, run: () => void): void {
    waiting.push({ at: Math.max(when, now), item: run });
  }

  /** Starts all callbacks of one instant together; each runs as far as it can before the next instant. */
  function fire(): boolean {
    const first = waiting.first();
    if (!first) return false;
    now = first.at;
    const due: (() => void)[] = [];
    for (let next = waiting.first(); next?.at === now; next = waiting.first()) {
      due.push(next.item);
      waiting.pop();
    }
    for (const run of due) run();
    return true;
  }

  return {
    now: () => now,
    at,
    sleep: (ms: number): Promise<void> => new Promise((resolve) => at(now + ms, resolve)),
    /** Stops virtual time during real work, which takes real time. */
    async still<T>(go: () => Promise<T>): Promise<T> {
      outside++;
      try {
        return await go();
      } finally {
        outside--;
      }
    },
    /** Runs until no callback is left; `isBroken` stops it early. */
    async run(isBroken: () => boolean): Promise<void> {
      for (let steps = 0; !isBroken() && fire(); steps++) {
        if (steps > o.maxSteps) throw new Error(`It has not come to an end after ${steps} steps.`);
        do await turn();
        while (outside > 0);
      }
    },
  };
}
