/** The benchmarks that `npm run bench` runs: the files of this folder that end in `.bench.ts`, by their names before it. */
import { readdirSync } from 'node:fs';
import type { Bench } from './side-by-side.ts';

const ENDING = '.bench.ts';

export const benchmarkNames = (): string[] =>
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();

export async function loadBenchmark(name: string): Promise<Bench> {
  const { bench } = (await import(`./${name}${ENDING}`)) as { bench: Bench };
  return bench;
}
