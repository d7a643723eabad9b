/** The costs of every scene of a recording. */
import type { Spent } from '../rehearsal/lambda/runtime.ts';
import type { Call, Invocation, Recording } from '../rehearsal/recorder/recording.ts';
import { usualWay } from '../rehearsal/usual-way.ts';
import { type Cost, costOf } from './cost-of.ts';
import { doorOf } from './scenes.ts';

/** `calls` are those of the most frequent way, and its costs are the median of the runs that took it: `times` of `of`. */
export type Entry = Cost & { name: string; way: Call[]; spent: Spent; times: number; of: number };

export function bill(recording: Recording): Entry[] {
  const entries = bills.get(recording) ?? entriesOf(recording);
  bills.set(recording, entries);
  return entries;
}

/** Each table and bound asks for the bill of the same complete recording, which has tens of thousands of calls. */
const bills = new WeakMap<Recording, Entry[]>();

function entriesOf({ scenes, functions, calls, invocations }: Recording): Entry[] {
  return scenes.map(({ name, requests }) => {
    const { requests: those, calls: way } = usualWay(requests, calls);
    const { memoryMegabytes = 0 } = functions.find((each) => each.name === way[0]?.function) ?? {};
    const spent = medianOf(invocations.filter(({ request = '' }) => those.includes(request)));
    const cost = costOf(way, { door: doorOf(name), memoryMegabytes, spent });
    return { name, way, spent, times: those.length, of: requests.length, ...cost };
  });
}

function medianOf(invocations: Invocation[]): Spent {
  const median = (figure: keyof Spent): number => {
    const sorted = invocations.map((each) => each[figure]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return { cpuMs: median('cpuMs'), logBytes: median('logBytes'), logLines: median('logLines') };
}
