/** The table's contract on SQLite. */
import { join } from 'node:path';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import { ids } from '../../shared/core/ids.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { setClock } from './clock.ts';
import { tableContract } from './table.ts';

tableContract('SQLite', async () => {
  const clock = setClock();
  const folder = temporaryFolder();
  const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids: ids(clock) });
  return {
    table,
    flaky: table, // SQLite has no network
    clock,
    async close() {
      table.close();
      folder.remove();
    },
  };
});
