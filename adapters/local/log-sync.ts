/**
 * Syncs the database's log without blocking the event loop: SQLite commits without waiting, and callers with full
 * durability wait here.
 */
import { closeSync, existsSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

export type LogSync = {
  /** Resolves when everything committed so far is on disk. */
  sync(): Promise<void>;
  /** Syncs synchronously for the last time. */
  close(): void;
};

export function logSync(database: string): LogSync {
  let opened: number | undefined;
  let isClosed = false;
  let underWay = 0;
  const file = `${database}-wal`;
  /** Opens the log file, which exists from the first commit until the database is closed. */
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

/**
 * Syncs the folder once, because a new file is only durable when its directory entry is. SQLite would do this with its
 * own first sync.
 */
function syncFolderOf(file: string): void {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
