/** The calls that most of the given requests make; other requests differ because of their instance's caches. */
import type { Call } from './recorder/recording.ts';
import { rowKind } from './row-kind.ts';

export type UsualWay = { requests: string[]; calls: Call[] };

/** `calls` are those of one such request, in the order in which they were made. */
export function usualWay(requests: string[], calls: Call[]): UsualWay {
  const byRequest = Map.groupBy(calls, ({ request }) => request);
  const ways = Map.groupBy(requests, (id) => namesOf(byRequest.get(id) ?? []));
  const [, those] = [...ways].reduce((most, each) => (each[1].length > most[1].length ? each : most));
  return { requests: those, calls: byRequest.get(those[0] ?? '') ?? [] };
}

const namesOf = (calls: Call[]): string =>
  calls
    .map(({ operation, rows = [] }) => `${operation} ${rows.map(rowKind)}`)
    .sort()
    .join();
