/** The kind of a row, as the design names it, from its keys in the recording. */

/** Where the first part of the sort key is not what people say. */
const SPOKEN: Record<string, string> = { HOUR: 'RATE', AGES: 'LANES' };

/** `TASK`, `RESULT`; of a page of an index `FILES`, `TASKS`, and `due` for a shard. */
export function rowKind(row: string): string {
  const space = row.lastIndexOf(' ');
  const [first = ''] = row.slice(space + 1).split('#');
  if (first === '') return row.slice(0, space).split('#')[2] ?? 'due';
  return SPOKEN[first] ?? first;
}
