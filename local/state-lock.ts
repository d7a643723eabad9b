/** Lets one product run on one state folder. The lock dies with its process, however that ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from '../shared/core/problem.ts';

const BUSY = 5;

/** An exclusive transaction that is never ended: the operating system frees it, so nothing stale can be left behind. */
export function lockState(folder: string): { release(): void } {
  const holder = join(folder, 'lock.pid');
  const db = new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new Problem(
      'badSetting',
      `Errand already runs on ${folder} (process ${holderOf(holder)}): stop it, or set ERRAND_STATE to another folder.`,
    );
  }
  writeFileSync(holder, String(process.pid));
  return { release: () => db.close() };
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
}
