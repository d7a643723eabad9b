/** The SQL of the one table, prepared once. `now` is always the last parameter: an expired row is absent. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';

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
