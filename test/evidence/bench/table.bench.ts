/** The local table against plain node:sqlite: the same rows, the same transactions, the same durability. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../adapters/local/database.ts';
import { sqliteTable } from '../../../adapters/local/sqlite-table.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';
import type { Draft } from '../../../shared/ports.ts';
import { type Bench, sideBySide } from './side-by-side.ts';

const GROUP = 100;
const GROUPS = 40;
const ROWS = GROUP * GROUPS;

const makeIds = ids(systemClock);

/** A task's row as the product stores it: listed, due, under 1 KB. */
function draft(): Draft<unknown> {
  const id = makeIds.uuid();
  const listed = { list: 'O#bench#A', at: Date.now(), id, state: 'queued', type: 'chat', priority: 5 };
  const value = {
    state: 'queued',
    attempt: 0,
    failures: 0,
    deadlineAt: Date.now() + 3_600_000,
    seq: 1,
    note: 'x'.repeat(300),
  };
  return { pk: `O#bench#T#${id}`, sk: 'TASK', value, listed, dueAt: Date.now() };
}

const INSERT = `INSERT INTO rows (pk, sk, version, value, counter, list, at, id, state, type, priority, ended, shard, due, expires)
  VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, NULL, 0, ?, NULL)`;

function bare(folder: string) {
  const db = openDatabase(join(folder, 'bare.db'));
  const insert = db.prepare(INSERT);
  const select = db.prepare('SELECT * FROM rows WHERE pk = ? AND sk = ?');
  const write = (rows: Draft<unknown>[]) => {
    db.exec('BEGIN IMMEDIATE');
    for (const { pk, sk, value, listed: l, dueAt } of rows) {
      if (!l || dueAt === undefined) throw new Error('The rows of this bench are listed and due.');
      insert.run(pk, sk, 'v', JSON.stringify(value), l.list, l.at, l.id, l.state, l.type, l.priority, dueAt);
    }
    db.exec('COMMIT');
  };
  return {
    write,
    read: (pk: string, sk: string) => JSON.parse(String(select.get(pk, sk)?.value)),
    close: () => db.close(),
  };
}

const groups = (): Draft<unknown>[][] => Array.from({ length: GROUPS }, () => Array.from({ length: GROUP }, draft));

export const bench: Bench = {
  title: 'Local table',
  about: `Rows of a task (about 400 bytes, in both indexes), WAL, ${GROUP} rows a transaction on both sides; the reference commits with synchronous FULL, ours syncs the log itself.`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    const table = sqliteTable({ file: join(folder, 'ours.db'), clock: systemClock, ids: makeIds });
    const other = bare(folder);
    const sample = groups().flat();
    await Promise.all(sample.map((row) => table.insert(row)));
    other.write(sample);

    let fresh = groups();
    const writes = await sideBySide({
      what: 'durable writes, grouped',
      unit: 'rows/s',
      amount: ROWS,
      atLeast: 0.6,
      ours: async () => {
        for (const group of fresh) await Promise.all(group.map((row) => table.insert(row)));
      },
      reference: () => {
        for (const group of fresh) other.write(group);
        fresh = groups();
      },
    });
    const reads = await sideBySide({
      what: 'reads by key',
      unit: 'rows/s',
      amount: ROWS,
      atLeast: 0.5,
      ours: async () => {
        for (const row of sample) await table.get(row);
      },
      reference: () => {
        for (const row of sample) other.read(row.pk, row.sk);
      },
    });
    table.close();
    other.close();
    rmSync(folder, { recursive: true });
    return [writes, reads];
  },
};
