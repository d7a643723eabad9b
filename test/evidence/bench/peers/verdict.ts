/** Summarizes the rounds of the four sides: their medians, and the product's ratio to each of the others. */
import { type Found, PEERS, type Peer, type Round } from './peers.ts';

export const NAMES: Record<Peer, string> = {
  errand: 'Errand',
  redis: 'BullMQ, Redis as installed',
  redisSynced: 'BullMQ, Redis syncing always',
  postgres: 'pg-boss, PostgreSQL',
};

type All = Record<Peer, Found>;
type Figure = (round: Round) => number;

const median = (figures: number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

const RATE: Figure = ({ rate }) => rate.tasksASecond;
const ALONE: Figure = ({ alone }) => alone.p50;
const AMONG: Figure = ({ among }) => among.p50;
const PROCESSOR: Figure = ({ rate }) => rate.processorMs;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const tenths = (value: number): string => value.toFixed(1);
const hundredths = (value: number): string => value.toFixed(2);

const LINES: [string, Figure, (value: number) => string][] = [
  ['throughput, tasks/s', RATE, whole],
  ['one in flight, p50, ms', ALONE, tenths],
  ['one in flight, p99, ms', ({ alone }) => alone.p99, tenths],
  ['16 callers, p50, ms', AMONG, tenths],
  ['16 callers, p99, ms', ({ among }) => among.p99, tenths],
  ['processor time of a task, ms', PROCESSOR, hundredths],
  ['memory under the load, MB', ({ rate }) => rate.memoryMb, whole],
];

/** One row for each figure, one column for each side. */
export function ratiosOf(found: All): string[][] {
  const lines = LINES.map(([what, figure, shown]) => [
    what,
    ...PEERS.map((peer) => shown(median(found[peer].rounds.map(figure)))),
  ]);
  const memory = ['memory at rest, MB', ...PEERS.map((peer) => whole(found[peer].atRestMb))];
  const lasts = ['what it has accepted is on the disk', 'yes', 'within minutes', 'yes', 'yes'];
  return [lasts, ...lines, memory];
}

export type Wish = { over: Peer; what: string; ratio: number; least?: number; most?: number };

export function wishes(found: All): Wish[] {
  const over = (peer: Peer, figure: Figure): number =>
    median(found.errand.rounds.map((round, at) => figure(round) / figure(found[peer].rounds[at] as Round)));
  const of = (peer: Peer, least: number, most: number): Wish[] => [
    { over: peer, what: 'throughput', ratio: over(peer, RATE), least },
    { over: peer, what: 'one in flight, p50', ratio: over(peer, ALONE), most },
    { over: peer, what: '16 callers, p50', ratio: over(peer, AMONG), most },
    { over: peer, what: 'processor time of a task', ratio: over(peer, PROCESSOR), most },
  ];
  return [
    ...of('redis', 1, 2),
    ...of('redisSynced', 1.2, 2),
    { over: 'redisSynced', what: 'one in flight, p99', ratio: over('redisSynced', ({ alone }) => alone.p99), most: 1 },
    ...of('postgres', 3.2, 1),
  ];
}

export function proofsOf(found: All): { promise: string; figure: string }[] {
  const shown = wishes(found)
    .filter(({ what }) => what === 'throughput' || what.startsWith('one'))
    .map(({ over, what, ratio }) => `${what} ${ratio.toFixed(2)} of ${NAMES[over]}`);
  return [
    {
      promise: 'The local product keeps up with BullMQ and pg-boss',
      figure: `${whole(median(found.errand.rounds.map(RATE)))} tasks a second; ${shown.join('; ')}`,
    },
  ];
}

/** The product's CPU milliseconds per task. */
export const processorOf = (found: All): number => median(found.errand.rounds.map(PROCESSOR));
