/** A table with something in the way of its calls. */
import type { Table } from '../../shared/ports.ts';

export type Call = { name: keyof Table; isWrite: boolean; args: readonly unknown[] };
type Way = <T>(call: Call, go: () => Promise<T>) => Promise<T>;

const WRITES: readonly string[] = ['insert', 'replace', 'remove', 'spend'];
const NAMES = ['get', 'getMany', 'insert', 'replace', 'remove', 'rows', 'listed', 'due', 'spend'] as const;

export const around = (table: Table, way: Way): Table =>
  Object.fromEntries(
    NAMES.map((name) => {
      const call = table[name] as (...args: unknown[]) => Promise<unknown>;
      const isWrite = WRITES.includes(name);
      return [name, (...args: unknown[]) => way({ name, isWrite, args }, () => call(...args))];
    }),
  ) as unknown as Table;
