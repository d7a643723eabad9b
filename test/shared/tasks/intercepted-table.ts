/** A table that runs a test's callback around each call. Prerequisites become separate inserts, as on DynamoDB. */
import type { Prerequisites, ReplaceOptions, Table } from '../../../shared/ports.ts';

export type TableCall = { name: keyof Table; isWrite: boolean; args: readonly unknown[] };
type Interceptor = <T>(call: TableCall, go: () => Promise<T>) => Promise<T>;

const WRITES: readonly string[] = ['insert', 'replace', 'remove', 'spend'];
const NAMES = ['get', 'getMany', 'insert', 'replace', 'remove', 'rows', 'listed', 'due', 'spend'] as const;

export const interceptedTable = (table: Table, intercept: Interceptor): Table =>
  Object.fromEntries(
    NAMES.map((name) => {
      const call = table[name] as (...args: unknown[]) => Promise<unknown>;
      const isWrite = WRITES.includes(name);
      const on = (...args: unknown[]) => intercept({ name, isWrite, args }, () => call(...args));
      const prerequisitesOf = FIRST_OF[name];
      return [name, prerequisitesOf ? afterPrerequisites(table, intercept, { on, prerequisitesOf }) : on];
    }),
  ) as unknown as Table;

/** Finds the prerequisites among a write's arguments. */
const FIRST_OF: { [name in keyof Table]?: (args: readonly unknown[]) => Prerequisites | undefined } = {
  insert: ([, prerequisites]) => prerequisites as Prerequisites | undefined,
  replace: ([, , o]) => (o as ReplaceOptions | undefined)?.prerequisites,
};

type InsertsFirst = {
  on: (...args: unknown[]) => Promise<unknown>;
  prerequisitesOf: (args: readonly unknown[]) => Prerequisites | undefined;
};

const afterPrerequisites =
  (table: Table, intercept: Interceptor, { on, prerequisitesOf }: InsertsFirst) =>
  async (...args: unknown[]) => {
    for (const draft of prerequisitesOf(args) ?? []) {
      await intercept({ name: 'insert', isWrite: true, args: [draft] }, () => table.insert(draft));
    }
    return on(...args.filter((arg) => arg !== prerequisitesOf(args)).map(withoutPrerequisites));
  };

const withoutPrerequisites = (arg: unknown): unknown => {
  if (typeof arg !== 'object' || arg === null || !('prerequisites' in arg)) return arg;
  const { prerequisites: _prerequisites, ...fields } = arg;
  return fields;
};
