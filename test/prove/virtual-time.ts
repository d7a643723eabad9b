/** Time that passes only when nobody has anything left to do at its present moment. */
import { setImmediate as turn } from 'node:timers/promises';
import { heap } from '../../adapters/local/memory-queue.ts';

export type VirtualTime = ReturnType<typeof virtualTime>;

export function virtualTime(o: { startsAt: number; maxSteps: number }) {
  const waiting = heap<() => void>();
  let now = o.startsAt;
  let outside = 0;

  function at(when: number, run: () => void): void {
    waiting.push({ at: Math.max(when, now), item: run });
  }

  /** Everything of one moment begins together, and is done as far as it comes before the next moment begins. */
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
    /** Time stands still while what is really done takes its real time. */
    async still<T>(go: () => Promise<T>): Promise<T> {
      outside++;
      try {
        return await go();
      } finally {
        outside--;
      }
    },
    /** Until nothing is left that could ever happen. `isBroken` stops it early. */
    async run(isBroken: () => boolean): Promise<void> {
      for (let steps = 0; !isBroken() && fire(); steps++) {
        if (steps > o.maxSteps) throw new Error(`It has not come to an end after ${steps} steps.`);
        do await turn();
        while (outside > 0);
      }
    },
  };
}
