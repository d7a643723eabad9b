/** What most of some requests ask for; the others found more, or less, in the memory of their instance. */
import type { Call } from './recorder/recording.ts';
import { rowKind } from './row-kind.ts';

export type UsualWay = { requests: string[]; calls: Call[] };

/** The calls are those of one of them, in the order of their making. */
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
