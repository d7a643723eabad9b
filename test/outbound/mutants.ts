/** A copy of the guard with one edit in its source. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const GUARD = join(import.meta.dirname, '../../engines/outbound');

/** Which of the promises are expected to notice; the others are asked only if these do not. */
export type Noticer = 'judging' | 'connections' | 'redirects' | 'messages' | 'limits' | 'names' | 'tls';
export type Edit = { file: string; at: number; find: string; put: string; by: Noticer };

export const sourceOf = (file: string): string => readFileSync(join(GUARD, file), 'utf8');

export async function asMutant<T>({ file, at, find, put }: Edit, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-mutant-'));
  const source = sourceOf(file);
  try {
    cpSync(GUARD, folder, { recursive: true });
    writeFileSync(join(folder, file), source.slice(0, at) + put + source.slice(at + find.length));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
