/** The kind of a row, as the design names it, from its keys in the recording. */

/** Where the first part of the sort key is not what people say. */
const SPOKEN: Record<string, string> = { HOUR: 'RATE', AGES: 'LANES' };

/** Where the sort key tells nothing to people. */
const HASHED = 'BREAKERS';

/** `TASK`, `RESULT`; of a page of an index `FILES`, `TASKS`, and `due` for a shard. */
export function rowKind(row: string): string {
  const space = row.lastIndexOf(' ');
  const [first = ''] = row.slice(space + 1).split('#');
  const place = row.slice(0, space).split('#')[2];
  if (first === '' || place === HASHED) return place ?? 'due';
  return SPOKEN[first] ?? first;
}
