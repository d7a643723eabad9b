/** Files that are replaced while others read them. */
import { renameSync, writeFileSync } from 'node:fs';

/** Writes a temporary file and renames it, so that readers see the whole file or none. */
export function writeWhole(file: string, content: unknown): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}
