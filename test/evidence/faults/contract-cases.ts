/** The table's contract as plain functions, so that it can be run against a mutant. */
import { expect, vi } from 'vitest';
import type { TableHarness } from '../../ports/table.ts';
import { loaderOf } from '../../shared/tasks/loader.ts';

type Case = (...given: unknown[]) => unknown;
type Contract = { tableContract(name: string, open: () => Promise<TableHarness>): void };

/** A test runner that collects the contract's cases instead of running them. */
function listening() {
  const cases: (() => unknown)[] = [];
  const [before, after]: (() => unknown)[][] = [[], []];
  const it = (_name: string, run: Case) => cases.push(() => run());
  it.each = (rows: readonly unknown[]) => (_name: string, run: Case) => {
    for (const row of rows) cases.push(() => run(...(Array.isArray(row) ? row : [row])));
  };
  const runner = {
    ...{ it, expect, vi },
    describe: (_name: string, cases: () => void) => cases(),
    beforeEach: (run: () => unknown) => before?.push(run),
    afterEach: (run: () => unknown) => after?.push(run),
  };
  return { runner, cases, before: before ?? [], after: after ?? [] };
}

export type Opening = () => Promise<TableHarness>;

/** Each case opens a new table. */
export async function contractCases() {
  const { runner, cases, before, after } = listening();
  const load = await loaderOf(['test/ports/table.ts'], undefined, {
    room: 'test/ports',
    packages: { vitest: runner },
  });
  let open: Opening = () => Promise.reject(new Error('There is no table.'));
  load<Contract>('test/ports/table.ts').tableContract('mutant', () => open());
  return cases.map((run) => ({
    async check(opening: Opening): Promise<void> {
      open = opening;
      for (const prepare of before) await prepare();
      try {
        await run();
      } finally {
        for (const clean of after) await clean();
      }
    },
  }));
}
