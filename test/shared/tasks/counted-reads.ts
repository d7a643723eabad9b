/** A table that counts the rows that `getMany` requests. */
import type { Key, Table } from '../../../shared/ports.ts';

export function countReads(table: Table): { table: Table; read(): number } {
  let read = 0;
  const getMany: Table['getMany'] = (keys: Key[]) => {
    read += keys.length;
    return table.getMany(keys);
  };
  return { table: { ...table, getMany }, read: () => read };
}
