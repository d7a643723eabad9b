/** The table's contract on the table in memory that the fault harness stands on. */
import { ids } from '../../shared/core/ids.ts';
import { memoryStore, memoryTable } from '../evidence/faults/memory-table.ts';
import { setClock } from './clock.ts';
import { tableContract } from './table.ts';

tableContract('memory', async () => {
  const clock = setClock();
  const table = memoryTable({ store: memoryStore({ ids: ids(clock), now: clock.now }), clock });
  return { table, flaky: table, clock, close: async () => undefined };
});
