/** Writes whole files that survive a power cut. */

import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../../shared/core/problem.ts';
import type { Bytes } from '../../shared/ports.ts';

/** Writes that outlive a power cut: a new name in a folder is only safe once the folder itself is on the disk. */
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

/** Writes files that are never seen in part: complete and on the disk before they get their name. */
type Writing = { folder: string; body: Bytes; maxBytes: number };

/** `placeFor` is asked when the bytes are on the disk. Answers their length. */
export async function writeWhole({ folder, ...writing }: Writing, placeFor: () => Promise<string>): Promise<number> {
  const partial = join(partialFolder(folder), randomUUID());
  await mkdir(dirname(partial), { recursive: true, mode: 0o700 });
  try {
    const size = await write(partial, writing);
    await settle(folder, partial, await placeFor());
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function settle(folder: string, partial: string, place: string): Promise<void> {
  const parent = dirname(place);
  const made = await mkdir(parent, { recursive: true, mode: 0o700 });
  await rename(partial, place);
  await syncFolder(parent);
  if (made === undefined) return;
  await syncFolder(dirname(parent));
  await syncFolder(folder);
}

async function write(partial: string, { body, maxBytes }: Omit<Writing, 'folder'>): Promise<number> {
  let size = 0;
  async function* counted(): Bytes {
    for await (const chunk of clearing(body)) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Problem('tooLarge', `There are more than ${maxBytes} bytes.`);
      yield chunk;
    }
  }
  const handle = await open(partial, 'wx', 0o600);
  try {
    await writeFile(handle, counted());
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/**
 * Bytes lie outside V8's heap and are freed when it clears its young generation, which a stream alone does not fill:
 * docs/adr/0007. Without `--expose-gc` they wait for that.
 */
export async function* clearing(body: Bytes): Bytes {
  let passed = 0;
  for await (const chunk of body) {
    passed += chunk.byteLength;
    yield chunk;
    if (passed < EVERY_BYTES) continue;
    passed = 0;
    globalThis.gc?.({ type: 'minor' });
  }
}

/** In the same file system as the blobs, so that a rename is one step. */
export const partialFolder = (folder: string): string => join(folder, 'partial');

/** Passes streamed bytes on, and has those that have passed forgotten before there are many. */
const EVERY_BYTES = 8_388_608;
