/** Syncs the database's log beside the event loop: SQLite commits without waiting, and whoever was promised it waits here. */
import { closeSync, existsSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

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
    if (opened === undefined) {
      opened = openSync(file, 'r+');
      syncFolderOf(file);
    }
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

/** Once: SQLite would with its own first sync, as a new file is only safe when its name is. */
function syncFolderOf(file: string): void {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
