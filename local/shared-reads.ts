/** Reads of one turn of the event loop share a transaction: SQLite locks its file once a turn and not at every read. */
import type { DatabaseSync } from 'node:sqlite';

/** What another process commits is seen in the next turn; what this one commits, at once. */
export function sharedReads(db: DatabaseSync) {
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  let open = false;

  /** Before every write, so that the next read sees it. */
  function end(): void {
    if (!open) return;
    open = false;
    if (db.isTransaction) commit.run(); // a fault of the disk may have ended it already
  }

  return {
    read<T>(work: () => T): T {
      if (!open) {
        begin.run();
        open = true;
        setImmediate(end);
      }
      return work();
    },
    end,
  };
}
