/** The kind of a row, as the design names it, from its keys in the recording. */

/** Sort keys whose first part differs from the name in the documentation. */
const SPOKEN: Record<string, string> = { HOUR: 'RATE', AGES: 'LANES' };

/** Rows whose sort key is a hash; their kind is in the partition key. */
const HASHED = 'BREAKERS';

/** `TASK`, `RESULT`; for a page of an index `FILES`, `TASKS`, and `due` for a shard. */
export function rowKind(row: string): string {
  const space = row.lastIndexOf(' ');
  const [first = ''] = row.slice(space + 1).split('#');
  const place = row.slice(0, space).split('#')[2];
  if (first === '' || place === HASHED) return place ?? 'due';
  return SPOKEN[first] ?? first;
}
