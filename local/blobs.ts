/** Blobs in a folder. A crash leaves the old bytes or the new ones under a key, never a part of them. */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkKey } from '../shared/core/blob-key.ts';
import { checkRange } from '../shared/core/byte-range.ts';
import { Problem } from '../shared/core/problem.ts';
import type { Blobs, ByteRange, Bytes } from '../shared/ports.ts';
import { clearing } from './clearing.ts';
import { absentAs, syncFile, syncFolder } from './durable.ts';
import { partialFolder } from './partial-blobs.ts';
import type { SignedAddresses } from './signed-addresses.ts';
import { storageFault } from './storage-fault.ts';

const READ_BYTES = 262_144;

export function folderBlobs({ folder, addresses }: { folder: string; addresses: SignedAddresses }): Blobs {
  return {
    put: async (key, body, { maxBytes }) =>
      replace(folder, placeOf(folder, key), (partial) => writeWhole(partial, body, maxBytes)).catch(storageFault),
    read: async (key, range) => readRange(placeOf(folder, key), range).catch(storageFault),
    async size(key) {
      const found = await stat(placeOf(folder, key)).catch(absentAs(undefined)).catch(storageFault);
      return found?.size;
    },
    async copy(from, to) {
      const source = placeOf(folder, from);
      const copied = await replace(folder, placeOf(folder, to), (partial) => copyWhole(source, partial)).catch(
        storageFault,
      );
      return copied !== undefined;
    },
    async remove(key) {
      const place = placeOf(folder, key);
      await unlink(place)
        .then(() => syncFolder(dirname(place)), absentAs(undefined))
        .catch(storageFault);
    },
    uploadAddress: (key, seconds) => addresses.sign({ method: 'PUT', key, seconds }),
    downloadAddress: (key, as, seconds) => addresses.sign({ method: 'GET', key, seconds, as }),
  };
}

function placeOf(folder: string, key: string): string {
  checkKey(key);
  const name = createHash('sha256').update(key, 'utf8').digest('hex');
  return join(folder, name.slice(0, 2), name.slice(2, 4), name.slice(4));
}

/** `fill` writes a file that nobody looks at, or answers undefined; once whole and on the disk it takes the place. */
async function replace<T>(folder: string, place: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const partial = join(partialFolder(folder), randomUUID());
  await mkdir(dirname(partial), { recursive: true, mode: 0o700 });
  try {
    const filled = await fill(partial);
    if (filled !== undefined) await settle(folder, partial, place);
    return filled;
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

async function writeWhole(partial: string, body: Bytes, maxBytes: number): Promise<number> {
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

/** A blob's file is never written again, only replaced, so a second name for it is a copy that costs nothing. */
async function copyWhole(source: string, partial: string): Promise<true | undefined> {
  return link(source, partial)
    .then(() => true as const, absentAs(undefined))
    .catch(() => copyBytes(source, partial));
}

/** Where the file system knows no second names. */
async function copyBytes(source: string, partial: string): Promise<true | undefined> {
  const copied = await copyFile(source, partial).then(() => true as const, absentAs(undefined));
  if (copied) await syncFile(partial);
  return copied;
}

async function readRange(place: string, range: ByteRange = { from: 0 }): Promise<Bytes | undefined> {
  checkRange(range);
  const handle = await open(place, 'r').catch(absentAs(undefined));
  if (handle === undefined) return undefined;
  const to = range.to === undefined ? {} : { end: range.to };
  return clearing(handle.createReadStream({ start: range.from, highWaterMark: READ_BYTES, ...to }));
}
