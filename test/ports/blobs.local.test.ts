/** The blob store in a folder: the contract, and faults of files. */
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearOldBlobs, clearPartialBlobs } from '../../adapters/local/clear-blobs.ts';
import { addressesContract } from './addresses.ts';
import { arrivalsContract } from './arrivals.ts';
import { blobsContract } from './blobs.ts';
import { openLocalBlobs } from './local-blobs.ts';
import { breakingStream, stream, textOf } from './streams.ts';

blobsContract('the blobs in a folder', openLocalBlobs);
arrivalsContract('uploads in a folder', openLocalBlobs);
addressesContract('the signed addresses of blobs in a folder', openLocalBlobs);

describe('the folder of blobs', () => {
  let local: Awaited<ReturnType<typeof openLocalBlobs>>;
  beforeEach(async () => {
    local = await openLocalBlobs();
  });
  afterEach(() => local.close());

  const limit = { maxBytes: 1_000_000 };
  const keep = (key: string, text: string) => local.blobs.put(key, stream(text), limit);
  const files = () =>
    readdirSync(local.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const openFiles = () => readdirSync('/proc/self/fd').length;

  it('holds nothing but the bytes, under names that say nothing of the keys', async () => {
    await keep('o/secret-org/report.pdf', 'bytes');
    expect(files()).toHaveLength(1);
    expect(files().join()).not.toMatch(/secret|report/);
    expect(readFileSync(files()[0] ?? '', 'utf8')).toBe('bytes');
  });

  it('never leaves its folder, whatever the key', async () => {
    for (const key of ['../../outside', '/etc/outside', '..', '.', 'a\u0000b']) {
      await keep(key, key);
      expect(await textOf(await local.blobs.read(key))).toBe(key);
    }
    expect(files()).toHaveLength(5);
  });

  it('is for its owner only', async () => {
    await keep('k', 'x');
    for (const file of files()) expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('keeps no leftovers of puts that failed', async () => {
    await keep('k', 'x');
    await expect(local.blobs.put('k', breakingStream(300_000), limit)).rejects.toThrow();
    await expect(local.blobs.put('other', stream('xx'), { maxBytes: 1 })).rejects.toThrow();
    expect(files()).toHaveLength(1);
  });

  it('shows nothing of a blob that is still being written, and keeps the old one until it is whole', async () => {
    await keep('k', 'old');
    async function* watched() {
      yield Buffer.from('new ');
      expect(await textOf(await local.blobs.read('k'))).toBe('old');
      yield Buffer.from('bytes');
    }
    await local.blobs.put('k', watched(), limit);
    expect(await textOf(await local.blobs.read('k'))).toBe('new bytes');
  });

  it('holds one version of an upload in addition to pinned ones, however often its URL is used', async () => {
    const arrivedAt = async () => (await local.blobs.arrived('arrivals/k', 1))?.at ?? '';
    for (const text of ['a', 'b', 'c']) await keep('arrivals/k', text);
    const newest = await arrivedAt();
    expect([files().length, await local.blobs.keep(newest)]).toEqual([1, true]);
    for (const text of ['d', 'e', 'f']) await keep('arrivals/k', text);
    expect(files()).toHaveLength(2);
    await Promise.all(Array.from({ length: 20 }, (_, n) => keep('arrivals/k', `${n}`)));
    await keep('arrivals/k', 'last');
    expect(files()).toHaveLength(2);
    expect([await textOf(await local.blobs.read(newest)), await local.blobs.size(await arrivedAt())]).toEqual(['c', 4]);
  });

  it('gives out no part of a version that is still arriving', async () => {
    async function* watched() {
      yield Buffer.from('new ');
      expect(await local.blobs.arrived('arrivals/k', 9)).toMatchObject({ size: 3 });
      yield Buffer.from('bytes');
    }
    await keep('arrivals/k', 'old');
    await local.blobs.put('arrivals/k', watched(), limit);
    expect(await local.blobs.arrived('arrivals/k', 9)).toMatchObject({ size: 9, head: Buffer.from('new bytes') });
  });

  it('lets a reader finish the blob that was removed or replaced under it', async () => {
    const large = 'x'.repeat(900_000);
    await keep('k', large);
    const [first, second] = [await local.blobs.read('k'), await local.blobs.read('k')];
    await keep('k', 'short');
    await local.blobs.remove('k');
    expect([await textOf(first), await textOf(second)]).toEqual([large, large]);
  });

  it.runIf(process.platform === 'linux')('closes every file it opened', async () => {
    await keep('k', 'x'.repeat(900_000));
    const before = openFiles();
    for (let round = 0; round < 30; round++) {
      for await (const _ of (await local.blobs.read('k')) ?? []) break;
      await textOf(await local.blobs.read('k', { from: 5, to: 9 }));
      await textOf(await local.blobs.read('k', { from: 2_000_000 }));
      await local.blobs.put('broken', breakingStream(10), limit).catch(() => undefined);
      await local.blobs.read('k', { from: 3, to: 1 }).catch(() => undefined);
    }
    expect(openFiles()).toBeLessThan(before + 5);
  });

  it('says of a folder that is closed to it that the storage is missing, never that a blob is absent', async () => {
    writeFileSync(local.folder, 'a file where the folder should be');
    const missing = { code: 'noStorage', message: 'Local storage configuration missing' };
    await expect(keep('k', 'x')).rejects.toMatchObject(missing);
    await expect(local.blobs.read('k')).rejects.toMatchObject(missing);
    await expect(local.blobs.size('k')).rejects.toMatchObject(missing);
    await expect(local.blobs.arrived('arrivals/k', 1)).rejects.toMatchObject(missing);
    await expect(keep('arrivals/k', 'x')).rejects.toMatchObject(missing);
    await expect(local.blobs.remove('arrivals/k')).rejects.toMatchObject(missing);
    await expect(local.blobs.remove('k')).rejects.toMatchObject(missing);
  });

  describe('its clearing of leftovers', () => {
    const leave = (name: string, ageMs: number) => {
      const partial = join(local.folder, 'partial');
      mkdirSync(partial, { recursive: true });
      writeFileSync(join(partial, name), 'half a blob');
      const at = (local.clock.now() - ageMs) / 1_000;
      utimesSync(join(partial, name), at, at);
    };
    const DAY_MS = 86_400_000;

    it('removes those older than a day and no younger one, and no blob', async () => {
      await keep('k', 'kept');
      leave('old', DAY_MS);
      leave('older', 10 * DAY_MS);
      leave('young', DAY_MS - 1_000);
      expect(await clearPartialBlobs(local)).toBe(2);
      expect(readdirSync(join(local.folder, 'partial'))).toEqual(['young']);
      expect(await textOf(await local.blobs.read('k'))).toBe('kept');
    });

    it('removes blobs, and whole hours of uploads, that are older than anything is kept', async () => {
      await keep('k', 'old');
      await keep('arrivals/2026-05-31T12/o/f', 'an upload of the day before');
      const now = Date.parse('2026-06-01T12:00:00Z');
      for (const file of files()) utimesSync(file, now / 1_000, now / 1_000);
      const clearAt = (at: number) => clearOldBlobs({ folder: local.folder, clock: { now: () => at } });
      expect([await clearAt(now + 32 * DAY_MS - 1), files().length]).toEqual([0, 2]);
      expect([await clearAt(now + 32 * DAY_MS), files().length]).toEqual([1, 1]);
      expect([await clearAt(now + 33 * DAY_MS), files().length]).toEqual([1, 0]);
      expect(readdirSync(local.folder)).not.toContain('2026-05-31T12');
    });

    it('finds nothing to do in a folder that was never written', async () => {
      expect(await clearPartialBlobs(local)).toBe(0);
    });
  });
});
