/** A copy of the guard with one edit in its source, beside the one shared file that it imports. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
export const GUARD = join(ROOT, 'engines/outbound');
const SHARED = 'shared/core/cache.ts';

/** The promises that are expected to notice; the others run only if these do not. */
export type Noticer = 'judging' | 'connections' | 'redirects' | 'messages' | 'limits' | 'names' | 'tls';
export type Edit = { file: string; at: number; find: string; put: string; by: Noticer };

export const sourceOf = (file: string): string => readFileSync(join(GUARD, file), 'utf8');

export async function asMutant<T>({ file, at, find, put }: Edit, use: (folder: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'errand-mutant-'));
  const folder = join(root, 'engines/outbound');
  const source = sourceOf(file);
  try {
    cpSync(GUARD, folder, { recursive: true });
    cpSync(join(ROOT, SHARED), join(root, SHARED), { recursive: true });
    writeFileSync(join(folder, file), source.slice(0, at) + put + source.slice(at + find.length));
    return await use(folder);
  } finally {
    rmSync(root, { recursive: true });
  }
}
