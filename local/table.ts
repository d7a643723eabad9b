/** The one table on SQLite. Reads answer at once; writes go in groups. */
import type { Clock, Ids, Key, Stored, Table } from '../shared/ports.ts';
import { beforeClosing, integrityOf, openDatabase } from './database.ts';
import { groupedWrites } from './grouped-writes.ts';
import { logSync } from './log-sync.ts';
import { tableReads } from './table-reads.ts';
import { statements } from './table-statements.ts';
import { tableWrites } from './table-writes.ts';

export type LocalTable = Table & {
  /** Deletes up to that many expired rows; answers how many. */
  sweep(most: number): Promise<number>;
  /** Every row of that kind that waits for something, however far ahead. */
  dueKeys(sk: string): Key[];
  /** Compares every index with its rows; answers how many rows there are and what is wrong. */
  check(): { rows: number; faults: string[] };
  /** Expired ones included. */
  rowsHolding(text: string): Stored[];
  erase(keys: Key[]): Promise<void>;
  /** Empties the log: what was removed from the rows stands in it still. */
  forget(): void;
  /** Undefined = all that was read lasts already, but for what may fade. */
  settled(): Promise<void> | undefined;
  close(): void;
};

export function sqliteTable(o: { file: string; clock: Clock; ids: Ids }): LocalTable {
  const db = openDatabase(o.file);
  const sql = statements(db);
  const { write, settled, close } = groupedWrites(db, logSync(o.file));
  return {
    ...tableReads(sql, o.clock),
    ...tableWrites(sql, { write, clock: o.clock, ids: o.ids }),
    sweep: (most) => write(() => Number(sql.sweep.run(o.clock.now(), most).changes)),
    dueKeys: (sk) => sql.dueKeys.all(sk, o.clock.now()).map(({ pk }) => ({ pk: String(pk), sk })),
    settled,
    check: () => integrityOf(db),
    rowsHolding: (text) =>
      sql.holding
        .all(text, text)
        .map(({ pk, sk, value }) => ({ pk: String(pk), sk: String(sk), value: JSON.parse(String(value)) })),
    erase: (keys) =>
      write(() => {
        for (const { pk, sk } of keys) sql.erase.run(pk, sk);
      }),
    forget: () => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close() {
      beforeClosing(db);
      close();
      db.close();
    },
  };
}
