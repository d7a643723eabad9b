/** The contract of tables: one conditional write on one row at a time, and an expired row is absent. */
import { afterEach, beforeEach, describe } from 'vitest';
import { dueCases } from './table/due.ts';
import type { TableHarness } from './table/harness.ts';
import { insertCases } from './table/insert.ts';
import { keyCases } from './table/keys.ts';
import { listCases } from './table/lists.ts';
import { prerequisiteCases } from './table/prerequisites.ts';
import { readCases } from './table/reads.ts';
import { removeCases } from './table/remove.ts';
import { replaceCases } from './table/replace.ts';
import { rowsCases } from './table/rows.ts';
import { spendCases } from './table/spend.ts';
import { spendExpiryCases } from './table/spend-expiry.ts';
import { valueCases } from './table/values.ts';

export type { TableHarness } from './table/harness.ts';

const groups = {
  insert: insertCases,
  replace: replaceCases,
  remove: removeCases,
  'rows that come first': prerequisiteCases,
  'get and getMany': readCases,
  rows: rowsCases,
  listed: listCases,
  due: dueCases,
  spend: spendCases,
  'spend and time': spendExpiryCases,
  values: valueCases,
  keys: keyCases,
};

export function tableContract(name: string, open: () => Promise<TableHarness>): void {
  describe(name, () => {
    let harness: TableHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(() => harness.close());

    for (const [group, cases] of Object.entries(groups)) describe(group, () => cases(() => harness));
  });
}
