/** A table with something in the way of its calls: each row a call of its own, as in the cloud. */
import type { First, Replacing, Table } from '../../shared/ports.ts';

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
      const firstOf = FIRST_OF[name];
      return [name, firstOf ? behindOthers(table, way, { on, firstOf }) : on];
    }),
  ) as unknown as Table;

/** Where a write's rows that come first are given. */
const FIRST_OF: { [name in keyof Table]?: (args: readonly unknown[]) => First | undefined } = {
  insert: ([, first]) => first as First | undefined,
  replace: ([, , o]) => (o as Replacing | undefined)?.first,
};

type Behind = {
  on: (...args: unknown[]) => Promise<unknown>;
  firstOf: (args: readonly unknown[]) => First | undefined;
};

const behindOthers =
  (table: Table, way: Way, { on, firstOf }: Behind) =>
  async (...args: unknown[]) => {
    for (const one of firstOf(args) ?? []) {
      await way({ name: 'insert', isWrite: true, args: [one] }, () => table.insert(one));
    }
    return on(...args.filter((arg) => arg !== firstOf(args)).map(withoutFirst));
  };

const withoutFirst = (arg: unknown): unknown => {
  if (typeof arg !== 'object' || arg === null || !('first' in arg)) return arg;
  const { first: _first, ...rest } = arg;
  return rest;
};
