/** A part of the attacks: tries an attack many times and reports every failure. */
import type { Attacked } from './attack-target.ts';

/** `figures`: measurements for the row of the proof. */
export type Outcome = { what: string; tried: number; broken: string[]; figures?: string[] };
/** `size`: more than 1 in the nightly form. `isShort`: tries less, and leaves out the tests in process, which `npm test` runs. */
export type Given = { on: Attacked; seed: number; size: number; isShort: boolean };
/**
 * `isAlone`: the part measures the machine, so nothing else may run concurrently, and the short form leaves it out;
 * `isLong`: the short form leaves it out because it waits for minutes.
 */
export type Part = {
  name: string;
  promise: string;
  isAlone?: true;
  isLong?: true;
  run(given: Given): Promise<Outcome[]>;
};

/** Runs the items in order, in batches of `atOnce` concurrent calls. */
export async function inBatches<T>(all: readonly T[], atOnce: number, one: (each: T, at: number) => Promise<void>) {
  for (let from = 0; from < all.length; from += atOnce) {
    await Promise.all(all.slice(from, from + atOnce).map((each, at) => one(each, from + at)));
  }
}

export async function until<T>(what: () => Promise<T | undefined | false>, patienceMs = 30_000): Promise<T> {
  for (const end = Date.now() + patienceMs; ; ) {
    const found = await what();
    if (found) return found;
    if (Date.now() > end) throw new Error('It did not come about.');
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
