/** The SQLite database of the local table: how it is opened, its schema, and its prepared statements. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { Problem } from '../../shared/core/problem.ts';

const APPLICATION = 0x45_72_72_61; // 'Erra'
const SCHEMA = 2;
/** At the start somebody else may be at it; later only writers wait, and not here. */
const PATIENT_MS = 5_000;
const BUSY_MS = 20;
const SQLITE_MAGIC = 'SQLite format 3\0';
/** Where a database file names its application. */
const APPLICATION_AT = 68;
const HEAD_BYTES = 100;

/**
 * Laid out for few pages a commit. Rows lie in the order they were made in, so that tasks under way share pages (in the
 * order of their keys each would lie alone); due rows lie by time, whatever their shard. A page of tasks is read from
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
 * A commit waits for no disk: who was promised that it lasts waits for `logSync`. The log is moved into the file seldom
 * enough for pages that many tasks share to be moved once. Removed data is overwritten: erasing an organization
 * has it gone. The cache of pages stays as small as SQLite makes it: many commits search the whole of it.
 */
const SETTINGS = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
  PRAGMA wal_autocheckpoint = 4000;`;

/** What brings a file from each version to the newest; an empty file has version 0. */
const STEPS: Record<number, string> = { 0: TABLES };

export function openDatabase(file: string): DatabaseSync {
  checkOurs(file);
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

/** The last writes wait as long as the first. */
export const beforeClosing = (db: DatabaseSync): void => waitFor(db, PATIENT_MS);

function prepare(db: DatabaseSync, file: string): void {
  // Looked at before anything is set, so that a file we refuse stays as it was.
  const found = versionOf(db);
  if (found.application !== APPLICATION && (found.application !== 0 || found.tables > 0)) throw foreign(file);
  if (found.schema > SCHEMA) throw newer(file, found.schema);
  db.exec(SETTINGS);
  if (found.schema === SCHEMA) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it between our look and our lock.
    const { schema } = versionOf(db);
    if (schema < SCHEMA) {
      const step = STEPS[schema];
      if (step === undefined) throw foreign(file);
      db.exec(`${step} PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA};`);
    }
    db.exec('COMMIT');
  } catch (error) {
    // A full disk has undone it already.
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

/** Looks at the file itself, so that one we refuse stays as it was. An empty one was never written. */
export function checkOurs(file: string): void {
  if (!existsSync(file)) return;
  const head = Buffer.alloc(HEAD_BYTES);
  const opened = openSync(file, 'r');
  const length = readSync(opened, head);
  closeSync(opened);
  const application = head.readUInt32BE(APPLICATION_AT);
  // Until its first checkpoint a database of ours has its name in the log beside it.
  const isNamed = application === APPLICATION || (application === 0 && existsSync(`${file}-wal`));
  if (length > 0 && !(head.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC && isNamed)) throw foreign(file);
}

const foreign = (file: string) =>
  new Problem('badSetting', `${file} is not an Errand state file: set ERRAND_STATE to another folder.`);

const newer = (file: string, schema: number) =>
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
/** In the order that `rowOf` and `listedOf` take. */
const ROW = `SELECT ${LISTED}, sk, version, value, due, expires FROM rows WHERE pk = ?`;
const ENTRY = `SELECT ${LISTED} FROM rows WHERE list = ?`;

export type StoredRow = SQLOutputValue[];
/** Answers its columns in order, without names: that takes half the time of an object. */
type Select = { get(...values: SQLInputValue[]): StoredRow | undefined; all(...values: SQLInputValue[]): StoredRow[] };

export type Statements = ReturnType<typeof statements>;

function select(db: DatabaseSync, sql: string): Select {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Select; // its types know nothing of arrays
}

export function statements(db: DatabaseSync) {
  const values = COLUMNS.map(() => '?').join(', ');
  const update = COLUMNS.map((column) => `${column} = ?`).join(', ');
  const taken = COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');
  const page = (order: string) => `AND ${LIVE} ORDER BY ${order} LIMIT ?`;

  return {
    get: select(db, `${ROW} AND sk = ? AND ${LIVE}`),
    counter: db.prepare(`SELECT version, value, counter FROM rows WHERE pk = ? AND sk = ? AND ${LIVE}`),
    // Over an absent key it inserts, over an expired row it updates, over a live row it does nothing.
    insert: db.prepare(
      `INSERT INTO rows (pk, sk, ${COLUMNS.join(', ')}) VALUES (?, ?, ${values})
       ON CONFLICT (pk, sk) DO UPDATE SET ${taken} WHERE rows.expires <= ?`,
    ),
    replace: db.prepare(`UPDATE rows SET ${update} WHERE ${HELD}`),
    // SQLite rewrites an index for every column that is named, changed or not.
    replaceInPlace: db.prepare(`UPDATE rows SET version = ?, value = ?, shard = ?, due = ? WHERE ${HELD}`),
    count: db.prepare(`UPDATE rows SET version = ?, value = ? WHERE ${HELD}`),
    remove: db.prepare(`DELETE FROM rows WHERE ${HELD}`),
    rows: {
      forward: select(db, `${ROW} AND sk >= ? AND sk < ? ${page('sk')}`),
      back: select(db, `${ROW} AND sk >= ? AND sk < ? ${page('sk DESC')}`),
    },
    // A row value comparison starts right behind the position, however many rows lie before it.
    listed: {
      forward: select(db, `${ENTRY} AND (at, id) > (?, ?) ${page('at, id')}`),
      back: select(db, `${ENTRY} AND (at, id) < (?, ?) ${page('at DESC, id DESC')}`),
    },
    due: db.prepare(`SELECT pk, sk FROM rows WHERE shard = ? AND due <= ? AND ${LIVE} ORDER BY due LIMIT ?`),
    dueKeys: db.prepare(`SELECT pk FROM rows WHERE due IS NOT NULL AND sk = ? AND ${LIVE} ORDER BY due`),
    holding: db.prepare('SELECT pk, sk, value FROM rows WHERE instr(pk, ?) > 0 OR instr(value, ?) > 0'),
    erase: db.prepare('DELETE FROM rows WHERE pk = ? AND sk = ?'),
    sweep: db.prepare(
      'DELETE FROM rows WHERE (pk, sk) IN (SELECT pk, sk FROM rows WHERE expires <= ? ORDER BY expires LIMIT ?)',
    ),
  };
}
