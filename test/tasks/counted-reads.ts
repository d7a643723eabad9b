/** A table that counts the rows it is asked for, many at once. */
import type { Key, Table } from '../../shared/ports.ts';

export function countedReads(table: Table): { table: Table; read(): number } {
  let read = 0;
  const getMany: Table['getMany'] = (keys: Key[]) => {
    read += keys.length;
    return table.getMany(keys);
  };
  return { table: { ...table, getMany }, read: () => read };
}
