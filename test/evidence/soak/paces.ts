/** Each action starts on schedule even if the one before it has not ended, so a slow service gets no relief. */
import type { Ledger } from './ledger.ts';
import { DEEDS, type Deed, type Person } from './people.ts';

/** The limit of concurrent actions of one kind and organization; further ones are skipped and counted. */
const MAX_AT_ONCE = 20;
const MINUTE = 60_000;

export function paces(people: readonly Person[], ledger: Ledger) {
  const going = new Set<Promise<void>>();
  let left = 0;

  function begin(person: Person, { name, run }: Deed, o: { turn: number; atOnce: Set<unknown> }): void {
    if (o.atOnce.size >= MAX_AT_ONCE) return void left++;
    const gone: Promise<void> = run(person, o.turn)
      .catch((error: Error) => void ledger.broken.push(`${name}: ${error}`))
      .finally(() => {
        going.delete(gone);
        o.atOnce.delete(gone);
      });
    going.add(gone);
    o.atOnce.add(gone);
  }

  const all = people.flatMap((person) => DEEDS.map((deed) => ({ person, deed })));
  const stops = all.map(({ person, deed }, at) => {
    const atOnce = new Set<unknown>();
    const ms = MINUTE / deed.aMinute;
    let turn = person.organization;
    // Spread out, or all would start at the same moments.
    return every(ms, () => begin(person, deed, { turn: turn++, atOnce }), (ms * at) / all.length);
  });
  return {
    left: () => left,
    stop(): void {
      for (const stop of stops) stop();
    },
    async idle(): Promise<void> {
      while (going.size > 0) await Promise.all(going);
    },
  };
}

export function every(ms: number, run: () => void, afterMs = 0): () => void {
  let timer = setTimeout(() => {
    run();
    timer = setInterval(run, ms);
  }, afterMs);
  return () => clearInterval(timer);
}
