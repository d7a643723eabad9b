/** Writes that outlive a power cut: a new name in a folder is only safe once the folder itself is on the disk. */
import { open } from 'node:fs/promises';

export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** For a catch: that value when the file is not there; any other failure goes on. */
export const absentAs =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
