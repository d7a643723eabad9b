/** A ZIP of a few files; equal files give equal bytes. */
import { zipSync } from 'fflate';

/** ZIP stores local times without a zone. The earliest possible time reveals nothing about the machine. */
const EARLIEST = new Date(1980, 0, 1);

export function zipFiles(files: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  return zipSync(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])), { mtime: EARLIEST, level: 6 });
}
