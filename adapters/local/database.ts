/** The SQLite database of the local table: how it is opened, its schema, and its prepared statements. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { Problem } from '../../shared/core/problem.ts';

const APPLICATION = 0x45_72_72_61; // 'Erra'
const SCHEMA = 2;
/** At the start another process may hold the database, so we wait; later only writers wait, by retrying. */
const PATIENT_MS = 5_000;
const BUSY_MS = 20;
const SQLITE_MAGIC = 'SQLite format 3\0';
/** The offset of the application id in a SQLite file. */
const APPLICATION_AT = 68;
const HEAD_BYTES = 100;

/**
 * Laid out so that a commit touches few pages. Rows are stored in order of insertion, so that running tasks share pages
 * (in key order each would have its own); due rows are ordered by time across all shards. A page of tasks is read from
 * its index alone.
 */
const TABLES = `
  CREATE TABLE rows (
    pk TEXT NOT NULL, sk TEXT NOT NULL, version TEXT NOT NULL, value TEXT NOT NULL, counter INTEGER NOT NULL,
    list TEXT, at INTEGER, id TEXT, state TEXT, type TEXT, priority INTEGER, ended INTEGER,
    shard INTEGER, due INTEGER, expires INTEGER,
    PRIMARY KEY (pk, sk)
  ) STRICT;
  CREATE INDEX rows_listed ON rows (list, at, id, state, type, priority, ended, expires) WHERE list IS NOT NULL;
  CREATE INDEX rows_due ON rows (due, shard, expires) WHERE due IS NOT NULL;
  CREATE INDEX rows_expires ON rows (expires) WHERE expires IS NOT NULL;`;

/**
 * A commit does not wait for the disk: `logSync` waits where durability was promised. Checkpoints are rare, so that a
 * page that many tasks share is moved once. Deleted data is overwritten, so that an erased organization is gone. The
 * page cache keeps SQLite's default size, because many commits search all of it.
 */
const SETTINGS = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
  PRAGMA wal_autocheckpoint = 4000;`;

/** The migration from each schema version; an empty file has version 0. */
const STEPS: Record<number, string> = { 0: TABLES };

export function openDatabase(file: string): DatabaseSync {
  checkStateFile(file);
  // Created here, so that other users cannot read it; SQLite gives its log the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file, { timeout: PATIENT_MS });
  try {
    prepare(db, file);
    waitFor(db, BUSY_MS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const waitFor = (db: DatabaseSync, ms: number): void => db.exec(`PRAGMA busy_timeout = ${ms}`);

/** Restores the long timeout for the last writes. */
export const beforeClosing = (db: DatabaseSync): void => waitFor(db, PATIENT_MS);

function prepare(db: DatabaseSync, file: string): void {
  // Checked before any setting, so that a file that we reject is not changed.
  const current = versionOf(db);
  if (current.application !== APPLICATION && (current.application !== 0 || current.tables > 0))
    throw foreignFileError(file);
  if (current.schema > SCHEMA) throw newerFileError(file, current.schema);
  db.exec(SETTINGS);
  if (current.schema === SCHEMA) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated the file before we got the lock.
    const { schema } = versionOf(db);
    if (schema < SCHEMA) {
      const step = STEPS[schema];
      if (step === undefined) throw foreignFileError(file);
      db.exec(`${step} PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA};`);
    }
    db.exec('COMMIT');
  } catch (error) {
    // On a full disk SQLite has rolled back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

export function integrityOf(db: DatabaseSync): { rows: number; faults: string[] } {
  const lines = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check));
  return { rows: number(db, 'SELECT count(*) FROM rows'), faults: lines.filter((line) => line !== 'ok') };
}

const number = (db: DatabaseSync, sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0]);

const versionOf = (db: DatabaseSync) => ({
  application: number(db, 'PRAGMA application_id'),
  schema: number(db, 'PRAGMA user_version'),
  tables: number(db, 'SELECT count(*) FROM sqlite_schema'),
});

/** Reads the file's header directly, so that a file that we reject is not changed. An empty file is accepted. */
export function checkStateFile(file: string): void {
  if (!existsSync(file)) return;
  const head = Buffer.alloc(HEAD_BYTES);
  const opened = openSync(file, 'r');
  const length = readSync(opened, head);
  closeSync(opened);
  const application = head.readUInt32BE(APPLICATION_AT);
  // Before its first checkpoint the application id is in the log file, not in the database file.
  const isNamed = application === APPLICATION || (application === 0 && existsSync(`${file}-wal`));
  if (length > 0 && !(head.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC && isNamed))
    throw foreignFileError(file);
}

const foreignFileError = (file: string) =>
  new Problem('badSetting', `${file} is not an Errand state file: set ERRAND_STATE to another folder.`);

const newerFileError = (file: string, schema: number) =>
  new Problem(
    'badSetting',
    `${file} was written by a newer Errand (state ${schema}, this one knows ${SCHEMA}): ` +
      'start that version, or set ERRAND_STATE to another folder.',
  );

const COLUMNS = [
  'version',
  'value',
  'counter',
  'list',
  'at',
  'id',
  'state',
  'type',
  'priority',
  'ended',
  'shard',
  'due',
  'expires',
];
const LIVE = '(expires IS NULL OR expires > ?)';
const HELD = `pk = ? AND sk = ? AND version = ? AND ${LIVE}`;
const LISTED = 'list, at, id, state, type, priority, ended';
/** The columns in the order that `rowOf` and `listedOf` expect. */
const ROW = `SELECT ${LISTED}, sk, version, value, due, expires FROM rows WHERE pk = ?`;
const ENTRY = `SELECT ${LISTED} FROM rows WHERE list = ?`;

export type StoredRow = SQLOutputValue[];
/** Returns rows as arrays: that takes half the time of objects. */
type Select = { get(...values: SQLInputValue[]): StoredRow | undefined; all(...values: SQLInputValue[]): StoredRow[] };

export type Statements = ReturnType<typeof statements>;

function select(db: DatabaseSync, sql: string): Select {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Select; // the types of node:sqlite do not include arrays
}

export function statements(db: DatabaseSync) {
  const values = COLUMNS.map(() => '?').join(', ');
  const update = COLUMNS.map((column) => `${column} = ?`).join(', ');
  const overwrites = COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');
  const page = (order: string) => `AND ${LIVE} ORDER BY ${order} LIMIT ?`;

  return {
    get: select(db, `${ROW} AND sk = ? AND ${LIVE}`),
    counter: db.prepare(`SELECT version, value, counter FROM rows WHERE pk = ? AND sk = ? AND ${LIVE}`),
    // Inserts if the key is absent, updates an expired row, and does nothing to a live row.
    insert: db.prepare(
      `INSERT INTO rows (pk, sk, ${COLUMNS.join(', ')}) VALUES (?, ?, ${values})
       ON CONFLICT (pk, sk) DO UPDATE SET ${overwrites} WHERE rows.expires <= ?`,
    ),
    replace: db.prepare(`UPDATE rows SET ${update} WHERE ${HELD}`),
    // SQLite rewrites an index for every column that is named, even if its value stays the same.
    replaceInPlace: db.prepare(`UPDATE rows SET version = ?, value = ?, shard = ?, due = ? WHERE ${HELD}`),
    count: db.prepare(`UPDATE rows SET version = ?, value = ? WHERE ${HELD}`),
    remove: db.prepare(`DELETE FROM rows WHERE ${HELD}`),
    rows: {
      forward: select(db, `${ROW} AND sk >= ? AND sk < ? ${page('sk')}`),
      back: select(db, `${ROW} AND sk >= ? AND sk < ? ${page('sk DESC')}`),
    },
    // A row value comparison seeks directly to the position, however many rows precede it.
    listed: {
      forward: select(db, `${ENTRY} AND (at, id) > (?, ?) ${page('at, id')}`),
      back: select(db, `${ENTRY} AND (at, id) < (?, ?) ${page('at DESC, id DESC')}`),
    },
    due: db.prepare(`SELECT pk, sk FROM rows WHERE shard = ? AND due <= ? AND ${LIVE} ORDER BY due LIMIT ?`),
    dueKeys: db.prepare(`SELECT pk FROM rows WHERE due IS NOT NULL AND sk = ? AND ${LIVE} ORDER BY due`),
    containing: db.prepare(
      `SELECT pk, sk, value FROM rows WHERE (pk, sk) > (?, ?) AND (instr(pk, ?) > 0 OR instr(value, ?) > 0)
       ORDER BY pk, sk LIMIT ?`,
    ),
    erase: db.prepare('DELETE FROM rows WHERE pk = ? AND sk = ?'),
    sweep: db.prepare(
      'DELETE FROM rows WHERE (pk, sk) IN (SELECT pk, sk FROM rows WHERE expires <= ? ORDER BY expires LIMIT ?)',
    ),
  };
}
