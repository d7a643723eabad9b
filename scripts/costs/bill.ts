/** The costs of every scene of a recording. */
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';
import { usualWay } from '../rehearsal/usual-way.ts';
import { type Cost, costOf } from './cost-of.ts';
import { doorOf } from './scenes.ts';

/** `calls` are those of the usual way; `times` of `of` went it. */
export type Entry = Cost & { name: string; way: Call[]; times: number; of: number };

export function bill({ scenes, functions, calls }: Recording): Entry[] {
  return scenes.map(({ name, requests }) => {
    const { times, calls: way } = usualWay(requests, calls);
    const { memoryMegabytes = 0 } = functions.find((each) => each.name === way[0]?.function) ?? {};
    return { name, way, times, of: requests.length, ...costOf(way, { door: doorOf(name), memoryMegabytes }) };
  });
}
