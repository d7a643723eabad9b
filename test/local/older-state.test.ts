import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteTable } from '../../local/table.ts';
import { systemClock } from '../../shared/core/clock.ts';
import { ids } from '../../shared/core/ids.ts';
import { shardOf } from '../../shared/core/shard.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';

const KEY = { pk: 'P', sk: 'S' };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('takes over a state whose due rows were indexed by shard first', async () => {
  const file = join(folder.path, 'table.db');
  const open = () => sqliteTable({ file, clock: systemClock, ids: ids(systemClock) });
  const made = open();
  await made.insert({ ...KEY, value: 1, dueAt: 5 });
  made.close();
  const before = new DatabaseSync(file);
  before.exec('DROP INDEX rows_due; CREATE INDEX rows_due ON rows (shard, due, expires) WHERE due IS NOT NULL;');
  before.exec('PRAGMA user_version = 1');
  before.close();

  const table = open();
  expect(await table.due(shardOf(KEY), 10, 1)).toEqual([KEY]);
  expect(table.check()).toEqual({ rows: 1, faults: [] });
  table.close();
  const after = new DatabaseSync(file);
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
  expect(after.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'rows_due'`).get()?.sql).toContain('(due, shard');
  after.close();
});
