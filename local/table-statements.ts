/** The SQL of the one table, prepared once. `now` is always the last parameter: an expired row is absent. */
import type { DatabaseSync } from 'node:sqlite';

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
const LISTED = `SELECT list, at, id, state, type, priority, ended FROM rows WHERE list = ?`;

export type Statements = ReturnType<typeof statements>;

export function statements(db: DatabaseSync) {
  const values = COLUMNS.map(() => '?').join(', ');
  const update = COLUMNS.map((column) => `${column} = ?`).join(', ');
  const taken = COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');
  const page = (order: string) => `AND ${LIVE} ORDER BY ${order} LIMIT ?`;

  return {
    get: db.prepare(`SELECT * FROM rows WHERE pk = ? AND sk = ? AND ${LIVE}`),
    // Over an absent key it inserts, over an expired row it updates, over a live row it does nothing.
    insert: db.prepare(
      `INSERT INTO rows (pk, sk, ${COLUMNS.join(', ')}) VALUES (?, ?, ${values})
       ON CONFLICT (pk, sk) DO UPDATE SET ${taken} WHERE rows.expires <= ?`,
    ),
    replace: db.prepare(`UPDATE rows SET ${update} WHERE pk = ? AND sk = ? AND version = ? AND ${LIVE}`),
    remove: db.prepare(`DELETE FROM rows WHERE pk = ? AND sk = ? AND version = ? AND ${LIVE}`),
    rows: {
      forward: db.prepare(`SELECT * FROM rows WHERE pk = ? AND sk >= ? AND sk < ? ${page('sk')}`),
      back: db.prepare(`SELECT * FROM rows WHERE pk = ? AND sk >= ? AND sk < ? ${page('sk DESC')}`),
    },
    // A row value comparison starts right behind the position, however many rows lie before it.
    listed: {
      forward: db.prepare(`${LISTED} AND (at, id) > (?, ?) ${page('at, id')}`),
      back: db.prepare(`${LISTED} AND (at, id) < (?, ?) ${page('at DESC, id DESC')}`),
    },
    due: db.prepare(`SELECT pk, sk FROM rows WHERE shard = ? AND due <= ? AND ${LIVE} ORDER BY due LIMIT ?`),
    dueKeys: db.prepare(`SELECT pk FROM rows WHERE due IS NOT NULL AND sk = ? AND ${LIVE} ORDER BY due`),
    sweep: db.prepare(
      'DELETE FROM rows WHERE (pk, sk) IN (SELECT pk, sk FROM rows WHERE expires <= ? ORDER BY expires LIMIT ?)',
    ),
  };
}
