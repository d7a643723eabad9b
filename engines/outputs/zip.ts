/** A ZIP of a few files, the same bytes for the same files. */
import { zipSync } from 'fflate';

/** A ZIP holds local times without a zone; the earliest it knows tells nothing of the machine. */
const EARLIEST = new Date(1980, 0, 1);

export function zipFiles(files: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  return zipSync(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])), { mtime: EARLIEST, level: 6 });
}
