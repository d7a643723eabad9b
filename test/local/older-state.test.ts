import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/local/database.ts';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import { ids } from '../../shared/core/ids.ts';
import { shardOf } from '../../shared/core/port-limits.ts';
import { systemClock } from '../../shared/core/time.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';

/** As version 1 laid it out. */
const OLDER = `
  DROP TABLE rows;
  CREATE TABLE rows (
    pk TEXT NOT NULL, sk TEXT NOT NULL, version TEXT NOT NULL, value TEXT NOT NULL, counter INTEGER NOT NULL,
    list TEXT, at INTEGER, id TEXT, state TEXT, type TEXT, priority INTEGER, ended INTEGER,
    shard INTEGER, due INTEGER, expires INTEGER, PRIMARY KEY (pk, sk)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX rows_listed ON rows (list, at, id, state, type, priority, ended, expires) WHERE list IS NOT NULL;
  CREATE INDEX rows_due ON rows (shard, due, expires) WHERE due IS NOT NULL;
  CREATE INDEX rows_expires ON rows (expires) WHERE expires IS NOT NULL;
  PRAGMA user_version = 1;`;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('takes over a state of the version before, row for row', async () => {
  const file = join(folder.path, 'table.db');
  const older = openDatabase(file);
  older.exec(OLDER);
  const insert = older.prepare(
    `INSERT INTO rows VALUES ('P', ?, 'v', ?, 0, 'L', ?, 'a', 'queued', 'report', 5, NULL, ?, ?, NULL)`,
  );
  const keys = ['a', 'b', 'c'].map((sk) => ({ pk: 'P', sk }));
  for (const [at, key] of keys.entries()) insert.run(key.sk, JSON.stringify({ at }), at, shardOf(key), 10 + at);
  older.close();

  const table = sqliteTable({ file, clock: systemClock, ids: ids(systemClock) });
  expect((await table.getMany(keys)).map((row) => row?.value)).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }]);
  const listed = { list: 'L', at: 2, id: 'a', state: 'queued', type: 'report', priority: 5 };
  expect(await table.get({ pk: 'P', sk: 'c' })).toMatchObject({ version: 'v', listed, dueAt: 12 });
  expect((await table.listed('L', { limit: 10 })).rows).toHaveLength(3);
  expect(await table.due(shardOf({ pk: 'P', sk: 'b' }), 11, 10)).toContainEqual({ pk: 'P', sk: 'b' });
  expect(table.check()).toEqual({ rows: 3, faults: [] });
  table.close();
  const after = new DatabaseSync(file);
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
  after.close();
});
