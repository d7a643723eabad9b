/**
 * The calls that most of the given requests make; other requests differ because of their instance's caches. Of two ways
 * that are equally frequent, the one of fewer calls is usual: more of its data was cached.
 */
import type { Call } from './recorder/recording.ts';
import { rowKind } from './row-kind.ts';

export type UsualWay = { requests: string[]; calls: Call[] };

/** `calls` are those of one such request, in the order in which they were made. */
export function usualWay(requests: string[], calls: Call[]): UsualWay {
  const byRequest = Map.groupBy(calls, ({ request }) => request);
  const ways = Map.groupBy(requests, (id) => namesOf(byRequest.get(id) ?? []));
  const callsOf = ([id = '']: string[]): Call[] => byRequest.get(id) ?? [];
  const those = [...ways.values()].reduce((usual, other) => {
    const more = other.length - usual.length || callsOf(usual).length - callsOf(other).length;
    return more > 0 ? other : usual;
  });
  return { requests: those, calls: callsOf(those) };
}

const namesOf = (calls: Call[]): string =>
  calls
    .map(({ operation, rows = [] }) => `${operation} ${rows.map(rowKind)}`)
    .sort()
    .join();
