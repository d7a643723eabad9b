/** A row of which every version will do: it is taken however old the look, and only what is not found is looked for again. */
import type { Key, Row, Table } from '../ports.ts';

export const getEventually = async <T>(table: Table, key: Key): Promise<Row<T> | undefined> =>
  (await table.get<T>(key, { consistency: 'eventual' })) ?? table.get<T>(key);
