/** A table with something in the way of its calls: each row a call of its own, as in the cloud. */
import type { First, Table } from '../../shared/ports.ts';

export type Call = { name: keyof Table; isWrite: boolean; args: readonly unknown[] };
type Way = <T>(call: Call, go: () => Promise<T>) => Promise<T>;

const WRITES: readonly string[] = ['insert', 'replace', 'remove', 'spend'];
const NAMES = ['get', 'getMany', 'insert', 'replace', 'remove', 'rows', 'listed', 'due', 'spend'] as const;

export const around = (table: Table, way: Way): Table =>
  Object.fromEntries(
    NAMES.map((name) => {
      const call = table[name] as (...args: unknown[]) => Promise<unknown>;
      const isWrite = WRITES.includes(name);
      const on = (...args: unknown[]) => way({ name, isWrite, args }, () => call(...args));
      return [
        name,
        name in FIRST_AT ? behindOthers(table, way, { on, at: FIRST_AT[name as keyof typeof FIRST_AT] }) : on,
      ];
    }),
  ) as unknown as Table;

/** Where a write's rows that come first are given. */
const FIRST_AT = { insert: 1, replace: 2 };

type Behind = { on: (...args: unknown[]) => Promise<unknown>; at: number };

const behindOthers =
  (table: Table, way: Way, { on, at }: Behind) =>
  async (...args: unknown[]) => {
    for (const one of (args[at] ?? []) as First) {
      await way({ name: 'insert', isWrite: true, args: [one] }, () => table.insert(one));
    }
    return on(...args.slice(0, at));
  };
