/** The contract of blob stores. Signed URLs and versions have suites of their own, in addresses.ts and arrivals.ts, with the same harness. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from '../../shared/ports.ts';
import { breakingStream, bytesOf, growthDuring, hashBody, hexOf, noise, stream, textOf } from './streams.ts';

export type BlobsHarness = {
  /** The store is empty. */
  blobs: Blobs;
  /** The S3 emulator omits the first version of a deleted key, which S3 lists. */
  losesPlaceOfRemoved?: true;
  /** Moves the clock so far that a URL signed for less has expired. */
  expire(ms: number): Promise<void>;
  close(): Promise<void>;
};

const MB = 1_000_000;
const limit = { maxBytes: 10 * MB };

const STRANGE_KEYS = [
  'with space/and  two',
  'hash#mark?query=1&b=2',
  'percent%20%zz%',
  'plus+plus',
  'emoji 🎉/日本語',
  `quotes"'\``,
  'a/b/../c',
  'a/b/./c',
  'back\\slash',
  '\u00e4',
  'a\u0308', // the same letter in two code points
  `long/${'x'.repeat(895)}`,
];

const LIKE_KEYS = ['a/b', 'a/B', 'A/b', 'a//b', 'a/b/', 'a/b.', 'a/b ', 'ab', 'a%2Fb', 'a/b+', 'a/b%20'];

export function blobsContract(name: string, open: () => Promise<BlobsHarness>): void {
  describe(name, () => {
    let harness: BlobsHarness;
    let blobs: Blobs;
    beforeEach(async () => {
      harness = await open();
      blobs = harness.blobs;
    });
    afterEach(() => harness.close());

    const keep = (key: string, text: string) => blobs.put(key, stream(text), limit);
    const text = async (key: string) => textOf(await blobs.read(key));

    describe('storing and reading', () => {
      it('gives back the bytes that were put, and their length', async () => {
        const bytes = await bytesOf(noise(300_001));
        expect(await blobs.put('k', stream(bytes as Buffer), limit)).toBe(300_001);
        expect(await blobs.size('k')).toBe(300_001);
        expect((await bytesOf(await blobs.read('k')))?.equals(bytes as Buffer)).toBe(true);
      });

      it('keeps an empty blob, which is not an absent one', async () => {
        expect(await blobs.put('none', stream(), limit)).toBe(0);
        expect(await blobs.put('empty chunks', stream('', ''), limit)).toBe(0);
        expect([await blobs.size('none'), await text('none')]).toEqual([0, '']);
        expect([await blobs.size('empty chunks'), await text('empty chunks')]).toEqual([0, '']);
      });

      it('keeps the order of the chunks, the empty ones among them', async () => {
        expect(await blobs.put('k', stream('one ', '', 'two ', 'three'), limit)).toBe(13);
        expect(await text('k')).toBe('one two three');
      });

      it('says undefined of a blob that is not there', async () => {
        expect(await blobs.read('missing')).toBeUndefined();
        expect(await blobs.read('missing', { from: 0, to: 5 })).toBeUndefined();
        expect(await blobs.size('missing')).toBeUndefined();
      });

      it('puts a new blob in the place of the old one', async () => {
        await keep('k', 'a rather long first text');
        await keep('k', 'second');
        expect([await text('k'), await blobs.size('k')]).toEqual(['second', 6]);
      });

      it('takes keys of any characters, up to 900 bytes', async () => {
        for (const key of STRANGE_KEYS) await keep(key, `body of ${key}`);
        for (const key of STRANGE_KEYS) expect([await text(key), key]).toEqual([`body of ${key}`, key]);
      });

      it('never takes one key for another', async () => {
        for (const key of LIKE_KEYS) {
          expect([key, await blobs.size(key)]).toEqual([key, undefined]);
          await keep(key, key);
        }
        for (const key of LIKE_KEYS) expect(await text(key)).toBe(key);
      });

      it.each(['', 'ä'.repeat(513)])('refuses an empty key and one over 1,024 bytes', async (key) => {
        const calls = await Promise.allSettled([
          keep(key, 'x'),
          blobs.read(key),
          blobs.size(key),
          blobs.remove(key),
          blobs.uploadAddress(key, 60),
          blobs.downloadAddress(key, { fileName: 'a', contentType: 'text/plain' }, 60),
        ]);
        for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
      });
    });

    describe('removing', () => {
      it('removes a blob and no other', async () => {
        await keep('a', 'a');
        await keep('a/b', 'b');
        await blobs.remove('a');
        expect([await text('a'), await blobs.size('a'), await text('a/b')]).toEqual([undefined, undefined, 'b']);
      });

      it('does not mind removing what is not there', async () => {
        await expect(blobs.remove('missing')).resolves.toBeUndefined();
      });
    });

    describe('ranges', () => {
      const range = async (from: number, to?: number) =>
        textOf(await blobs.read('k', to === undefined ? { from } : { from, to }));

      it('gives the part that was asked for', async () => {
        await keep('k', '0123456789');
        expect(await range(0, 0)).toBe('0');
        expect(await range(3, 6)).toBe('3456');
        expect(await range(9, 9)).toBe('9');
        expect(await range(7)).toBe('789');
        expect(await range(0)).toBe('0123456789');
      });

      it('clips at the end', async () => {
        await keep('k', '0123456789');
        expect(await range(8, 99)).toBe('89');
        expect(await range(0, 10)).toBe('0123456789');
      });

      it('gives an empty stream at the end and behind it', async () => {
        await keep('k', '0123456789');
        expect([await range(10), await range(10, 20), await range(1_000)]).toEqual(['', '', '']);
        await keep('k', '');
        expect([await range(0), await range(0, 0)]).toEqual(['', '']);
      });

      it.each([
        [5, 2],
        [-1, 5],
        [0, -1],
        [1.5, 3],
        [Number.NaN, undefined],
      ])('rejects an invalid range: %s to %s', async (from, to) => {
        await keep('k', '0123456789');
        await expect(range(from, to)).rejects.toBeInstanceOf(RangeError);
      });

      it('leaves a stream that is not read to its end', async () => {
        await blobs.put('k', noise(3 * MB), limit);
        for (let round = 0; round < 20; round++) {
          for await (const _ of (await blobs.read('k')) ?? []) break;
        }
        expect(await blobs.size('k')).toBe(3 * MB);
      });
    });

    describe('failures', () => {
      it.each([0, 70_000, 12 * MB])('leaves nothing of a source that breaks after %d bytes', async (after) => {
        await expect(blobs.put('k', breakingStream(after), { maxBytes: 20 * MB })).rejects.toThrow('the source broke');
        expect([await blobs.size('k'), await blobs.read('k')]).toEqual([undefined, undefined]);
      });

      it('keeps the old blob when the source of the new one breaks', async () => {
        await keep('k', 'old');
        await expect(blobs.put('k', breakingStream(70_000), limit)).rejects.toThrow('the source broke');
        expect([await text('k'), await blobs.size('k')]).toEqual(['old', 3]);
      });

      it('takes exactly maxBytes and refuses one more', async () => {
        expect(await blobs.put('k', stream('12345', '67890'), { maxBytes: 10 })).toBe(10);
        await expect(blobs.put('over', stream('12345', '678901'), { maxBytes: 10 })).rejects.toMatchObject({
          name: 'Problem',
          code: 'tooLarge',
        });
        expect([await blobs.size('over'), await text('k')]).toEqual([undefined, '1234567890']);
      });

      it('keeps the old blob when the new one is too large', async () => {
        await keep('k', 'old');
        await expect(blobs.put('k', noise(7 * MB), { maxBytes: 6 * MB })).rejects.toMatchObject({ code: 'tooLarge' });
        expect(await text('k')).toBe('old');
      });

      it('stops an endless source at the limit and closes it', async () => {
        let closed = false;
        async function* endless() {
          try {
            while (true) yield Buffer.alloc(100_000);
          } finally {
            closed = true;
          }
        }
        await expect(blobs.put('k', endless(), { maxBytes: MB })).rejects.toMatchObject({ code: 'tooLarge' });
        expect([closed, await blobs.size('k')]).toEqual([true, undefined]);
      });
    });

    describe('many at once', () => {
      it('ends concurrent puts to one key with one whole body', async () => {
        const bodies = Array.from({ length: 8 }, (_, n) => Buffer.alloc(2 * MB + n * 1_000, n));
        await Promise.all(bodies.map((body) => blobs.put('k', stream(body.subarray(0, MB), body.subarray(MB)), limit)));
        const stored = (await bytesOf(await blobs.read('k'))) as Buffer;
        expect(bodies.filter((body) => body.equals(stored))).toHaveLength(1);
        expect(await blobs.size('k')).toBe(stored.length);
      });

      it('shows a reader one whole body while others overwrite it', async () => {
        const bodies = ['a', 'b', 'c'].map((letter) => letter.repeat(MB));
        await keep('k', bodies[0] as string);
        const reads = Array.from({ length: 6 }, async () => text('k'));
        await Promise.all(bodies.map((body) => keep('k', body)));
        for (const read of await Promise.all(reads)) expect(bodies).toContain(read);
      });

      it('keeps every one of fifty blobs put at once', async () => {
        const keys = Array.from({ length: 50 }, () => randomUUID());
        await Promise.all(keys.map((key) => keep(key, key)));
        expect(await Promise.all(keys.map(text))).toEqual(keys);
      });
    });

    it('stores and reads 200 MB in bounded memory', { timeout: 120_000 }, async () => {
      const source = hashBody(noise(200 * MB));
      const growth = await growthDuring(async () => {
        expect(await blobs.put('large', source.body, { maxBytes: 300 * MB })).toBe(200 * MB);
        expect(await blobs.size('large')).toBe(200 * MB);
        const body = await blobs.read('large');
        expect(body && (await hexOf(body))).toBe(source.hex());
      });
      expect(growth).toBeLessThan(64 * MB);
    });
  });
}
