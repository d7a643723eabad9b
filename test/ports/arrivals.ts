/** The contract of uploads: each put is a version of its own, and a kept version never changes or disappears. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArrivedUpload, Blobs } from '../../shared/ports.ts';
import type { BlobsHarness } from './blobs.ts';
import { breakingStream, noise, stream, textOf } from './streams.ts';

const HOURS = 'arrivals/2026-11-22T14/';
const limit = { maxBytes: 10_000_000 };
const HEAD = 65_536;

export function arrivalsContract(name: string, open: () => Promise<BlobsHarness>): void {
  const KEY = `${HOURS}org/file`;
  const OTHERS = `${HOURS}org2/file`;
  describe(name, () => {
    let harness: BlobsHarness;
    let blobs: Blobs;
    beforeEach(async () => {
      harness = await open();
      blobs = harness.blobs;
    });
    afterEach(() => harness.close());

    const arrive = (text: string, key = KEY) => blobs.put(key, stream(text), limit);
    const text = async (at: string) => textOf(await blobs.read(at));
    const upload = async (body: string) => fetch(await blobs.uploadAddress(KEY, 60), { method: 'PUT', body });

    async function newest(key = KEY): Promise<ArrivedUpload> {
      const arrival = await blobs.arrived(key, HEAD);
      if (!arrival) throw new Error('Nothing arrived.');
      return arrival;
    }

    async function keepNewest(body: string): Promise<string> {
      await arrive(body);
      const { at } = await newest();
      expect(await blobs.keep(at)).toBe(true);
      return at;
    }

    it('tells the newest: how long it is, how it begins, and by which name it is read', async () => {
      expect(await blobs.arrived(KEY, HEAD)).toBeUndefined();
      await arrive('first');
      await arrive('the second one');
      const { at, size, head } = (await blobs.arrived(KEY, 6)) as ArrivedUpload;
      expect([size, Buffer.from(head).toString(), await text(at)]).toEqual([14, 'the se', 'the second one']);
      expect([await blobs.size(at), await textOf(await blobs.read(at, { from: 4, to: 9 }))]).toEqual([14, 'second']);
      expect([await text(KEY), await blobs.size(KEY)]).toEqual(['the second one', 14]);
    });

    it('tells of what came through the address, large or small', async () => {
      expect((await upload('sent')).status).toBe(200);
      expect((await newest()).head).toHaveLength(4);
      await blobs.put(KEY, noise(3_000_000), limit);
      expect(await newest()).toMatchObject({ size: 3_000_000, head: { byteLength: HEAD } });
    });

    it('tells of nothing as of nothing', async () => {
      await arrive('');
      const { at, size, head } = await newest();
      expect([size, head.byteLength, await text(at)]).toEqual([0, 0, '']);
      await arrive('more');
      expect(await newest()).toMatchObject({ size: 4 });
    });

    it('changes nothing of a version that is kept, whatever comes later', async () => {
      const at = await keepNewest('hello');
      await arrive('HELLO, longer');
      await upload('by the address');
      await blobs.put(KEY, breakingStream(70_000), limit).catch(() => undefined);
      expect([await text(at), await blobs.size(at), await text(KEY)]).toEqual(['hello', 5, 'by the address']);
      const address = await blobs.downloadAddress(at, { fileName: 'a.txt', contentType: 'text/plain' }, 60);
      const answer = await fetch(address);
      expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.txt"');
      expect((await fetch(address, { headers: { range: 'bytes=1-2' } })).status).toBe(206);
      expect([await blobs.keep(at), await text(at)]).toEqual([true, 'hello']);
    });

    it('keeps what it says it keeps, and says when something newer took its place', async () => {
      await arrive('one');
      const { at } = await newest();
      await arrive('two');
      const isKept = await blobs.keep(at);
      await arrive('three');
      expect(await text(at)).toBe(isKept ? 'one' : undefined);
      expect(await text((await newest()).at)).toBe('three');
    });

    it('loses none that was kept while others arrived', async () => {
      for (let round = 0; round < 10; round++) {
        await arrive(`round ${round}`);
        const { at } = await newest();
        const [first, second] = await Promise.all([blobs.keep(at), blobs.keep(at), arrive('x'), arrive('y')]);
        expect(await text(at)).toBe(first || second ? `round ${round}` : undefined);
        expect(['x', 'y']).toContain(await text((await newest()).at));
      }
    });

    it('removes one version and no other', async () => {
      const at = await keepNewest('first');
      await arrive('second');
      await blobs.remove((await newest()).at);
      expect([(await newest()).at, await text(at)]).toEqual([at, 'first']);
      await blobs.remove(at);
      expect([await blobs.arrived(KEY, HEAD), await blobs.size(at)]).toEqual([undefined, undefined]);
      await expect(blobs.remove(at)).resolves.toBeUndefined();
    });

    it('removes every version, kept or not, and none of another upload', async () => {
      await arrive('other', `${KEY}2`);
      await arrive('another', OTHERS);
      const places = [await keepNewest('a'), await keepNewest('b')];
      await arrive('c');
      await blobs.remove(KEY);
      expect([await blobs.arrived(KEY, HEAD), await blobs.size(KEY), await text(KEY)]).toEqual(
        Array(3).fill(undefined),
      );
      expect(await Promise.all(places.map(text))).toEqual([undefined, undefined]);
      expect([await text(`${KEY}2`), await text(OTHERS)]).toEqual(['other', 'another']);
      await expect(blobs.remove(KEY)).resolves.toBeUndefined();
      await arrive('again');
      expect(await text((await newest()).at)).toBe('again');
    });

    it('gives no bytes by a version that never was', async () => {
      const at = await keepNewest('mine');
      await arrive('theirs', `${KEY}2`);
      const { at: otherPlace } = await newest(`${KEY}2`);
      const wrong = at.split('#')[0] + otherPlace.slice(otherPlace.indexOf('#'));
      expect([await text(wrong), await blobs.size(wrong)]).toEqual([undefined, undefined]);
    });

    it('tells the newest of many that arrive at once, whole', async () => {
      const bodies = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(200_000 + n));
      await Promise.all(bodies.map((body) => arrive(body)));
      const { at, size } = await newest();
      const stored = await text(at);
      expect(bodies).toContain(stored);
      expect(size).toBe(stored?.length);
    });

    const [hour, next] = [HOURS, 'arrivals/2026-11-22T15/'];
    const keys = [`${hour}org/a`, `${hour}org/b`, `${hour}org-2/a`, `${next}org/a`];
    const listUploads = async (prefix: string) => (await blobs.uploads(prefix, { limit: 1_000 })).rows;
    const keyOf = (at = '') => at.split('#')[0];
    const keysListed = async (prefix: string) => [...new Set((await listUploads(prefix)).map(keyOf))];

    it('lists the versions of the uploads of an hour, of each at least the newest and the kept ones', async () => {
      expect(await blobs.uploads(hour, { limit: 5 })).toEqual({ rows: [] });
      for (const key of [...keys, ...keys]) await arrive('x', key);
      await arrive('x', 'arrivals/org/of-the-release-before');
      await blobs.put('files/org/a', stream('x'), limit);
      expect(await keysListed(hour)).toEqual(keys.slice(0, 3).toSorted());
      expect(await keysListed(next)).toEqual([`${next}org/a`]);
      expect(await keysListed(`${hour}org/`)).toEqual([`${hour}org/a`, `${hour}org/b`]);
      const { at } = await newest(keys[0]);
      await blobs.keep(at);
      await arrive('y', keys[0]);
      expect(await listUploads(hour)).toEqual(expect.arrayContaining([at, (await newest(keys[0])).at]));
      await blobs.remove(keys[1] ?? '');
      expect(await keysListed(hour)).toEqual([keys[0], keys[2]].toSorted());
    });

    it('lists by names that remove one version each, until the kept one is left', async () => {
      const at = await keepNewest('first');
      for (const body of ['second', 'third']) await arrive(body);
      const otherUploads = (await listUploads(HOURS)).filter((name) => name !== at);
      expect(otherUploads).toContain((await newest()).at);
      await Promise.all(otherUploads.map((name) => blobs.remove(name)));
      expect([await listUploads(HOURS), await text(KEY)]).toEqual([[at], 'first']);
    });

    it('lists page by page, also behind an upload that was removed', async () => {
      for (const key of keys) await arrive('x', key);
      const uploads = await listUploads(hour);
      const [first, second, third] = keys.slice(0, 3).toSorted();
      expect(uploads.map(keyOf)).toEqual([first, second, third]);
      expect(await blobs.uploads(hour, { limit: 2 })).toEqual({ rows: uploads.slice(0, 1), next: first });
      expect(await blobs.uploads(hour, { limit: 2, after: first ?? '' })).toEqual({ rows: uploads.slice(1) });
      expect(await blobs.uploads(hour, { limit: 2, after: second ?? '' })).toEqual({ rows: [uploads[2]] });
      await blobs.remove(uploads[0] ?? '');
      if (!harness.losesPlaceOfRemoved)
        expect(await blobs.uploads(hour, { limit: 2, after: first ?? '' })).toEqual({ rows: uploads.slice(1) });
      expect(await blobs.uploads(hour, { limit: 2 })).toEqual({ rows: uploads.slice(1) });
      expect(await blobs.uploads(hour, { limit: 1, after: third ?? '' })).toEqual({ rows: [] });
    });

    it('lists an upload of more versions than a page again, until it has fewer', async () => {
      const versions = [await keepNewest('first'), await keepNewest('second')];
      await arrive('x', `${KEY}2`);
      const page = await blobs.uploads(HOURS, { limit: 1 });
      expect(page).toEqual({ rows: [expect.toSatisfy((at) => versions.includes(at))], next: HOURS });
      await blobs.remove(page.rows[0] ?? '');
      const remaining = versions.filter((at) => at !== page.rows[0]);
      const listed = await listUploads(HOURS);
      expect(listed.slice(0, 1)).toEqual(remaining);
      if (!harness.losesPlaceOfRemoved)
        expect(await blobs.uploads(HOURS, { limit: 2, after: HOURS })).toEqual({ rows: listed });
    });
  });
}
