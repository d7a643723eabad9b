import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/local/database.ts';
import { type LocalTable, sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = { pk: 'P', sk: 'S' };

let folder: ReturnType<typeof temporaryFolder>;
let table: LocalTable;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'table.db');
  table = sqliteTable({ file, clock: systemClock, ids: ids(systemClock) });
});

afterEach(() => {
  table.close();
  folder.remove();
});

/** Synchronously, as the command line of the operator does while this event loop is blocked. */
function elsewhere(sql: string): void {
  const db = openDatabase(file);
  db.exec(sql);
  db.close();
}

it('sees the write of another process at the next read, even in the same turn of the event loop', async () => {
  await table.insert({ ...KEY, value: 1 });
  expect((await table.get(KEY))?.value).toBe(1);
  elsewhere(`UPDATE rows SET value = '2'`);
  expect((await table.get(KEY))?.value).toBe(2);
  elsewhere('DELETE FROM rows');
  expect(await table.get(KEY)).toBeUndefined();
});

it('does not overwrite a row that another process changed since it was read', async () => {
  const row = await table.insert({ ...KEY, value: 1 });
  elsewhere(`UPDATE rows SET version = 'theirs'`);
  expect(row && (await table.replace(row, { value: 2 }))).toBeUndefined();
});
