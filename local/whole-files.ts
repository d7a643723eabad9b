/** Writes files that nobody sees in part: whole and on the disk before they have their name. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../shared/core/problem.ts';
import type { Bytes } from '../shared/ports.ts';
import { clearing } from './clearing.ts';
import { syncFolder } from './durable.ts';
import { partialFolder } from './partial-blobs.ts';

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
