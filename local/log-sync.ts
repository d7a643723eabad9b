/** Syncs the database's log beside the event loop: SQLite commits without waiting, and whoever was promised it waits here. */
import { closeSync, existsSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

export type LogSync = {
  /** Resolves when all that is committed by now is on the disk. */
  sync(): Promise<void>;
  /** The same at once, and never again. */
  close(): void;
};

export function logSync(database: string): LogSync {
  let opened: number | undefined;
  let isClosed = false;
  let underWay = 0;
  const file = `${database}-wal`;
  /** It is there from the first commit on until the database is closed. */
  function log(): number {
    opened ??= openSync(file, 'r+');
    return opened;
  }
  const release = () => {
    if (isClosed && underWay === 0 && opened !== undefined) closeSync(opened);
  };

  return {
    sync: () =>
      new Promise((resolve, reject) => {
        const open = log();
        underWay++;
        fdatasync(open, (error) => {
          underWay--;
          release();
          if (error) reject(error);
          else resolve();
        });
      }),
    close() {
      isClosed = true;
      if (existsSync(file)) fdatasyncSync(log());
      release();
    },
  };
}
