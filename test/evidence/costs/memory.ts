/** What the memory of a function that answers requests does to its time and its price. */
import { markdownTable } from '../promises/markdown-table.ts';
import type { Entry } from './bill.ts';
import { waitingMs } from './cost-of.ts';
import { MEGABYTES_OF_A_PROCESSOR, PRICES } from './prices.ts';
import { doorOf } from './scenes.ts';

const SIZES = [256, 512, 768, 1_024, MEGABYTES_OF_A_PROCESSOR];

type Request = { cpuMs: number; waitMs: number };

/** Milliseconds of a request at this memory: a share of a processor for the work, and the wait, which no size changes. */
const durationAt = (memoryMegabytes: number, { cpuMs, waitMs }: Request): number =>
  (cpuMs * MEGABYTES_OF_A_PROCESSOR) / memoryMegabytes + waitMs;

const dollarsAt = (memoryMegabytes: number, request: Request): number =>
  (durationAt(memoryMegabytes, request) / 1_000) * (memoryMegabytes / 1_024) * PRICES['Lambda, arm64: a GB-second'];

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean over the routes of both APIs, each counted once. */
export function memoryTable(entries: Entry[]): string {
  const requests = entries
    .filter(({ name }) => doorOf(name) === 'gateway')
    .map(({ way, spent }): Request => ({ cpuMs: spent.cpuMs, waitMs: waitingMs(way) }));
  return markdownTable(
    ['MB', 'Milliseconds of a request', 'of it at work', 'Dollars per million'],
    SIZES.map((size) => {
      const duration = mean(requests.map((request) => durationAt(size, request)));
      const work = duration - mean(requests.map(({ waitMs }) => waitMs));
      return [
        size.toLocaleString('en-US'),
        duration.toFixed(0),
        work.toFixed(0),
        mean(requests.map((request) => dollarsAt(size, request))).toFixed(2),
      ];
    }),
  );
}
