/** Sets of data that replace or enlarge those of a proof: files in the folder that `--sets DIR` names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the folder reaches the processes that run tests. */
export const SETS = 'PROOF_SETS';

/** Undefined if no folder is named, or the folder does not have the file. */
export function setOf<T>(name: string): T | undefined {
  const folder = process.env[SETS];
  const file = folder === undefined ? undefined : join(folder, name);
  return file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}
