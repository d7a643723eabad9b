/** The contract of signed URLs, over real HTTP. Needs a server that verifies signatures, which not every emulator does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attachment, Blobs } from '../../shared/ports.ts';
import type { BlobsHarness } from './blobs.ts';
import { noise, stream, textOf } from './streams.ts';

const plain: Attachment = { fileName: 'report.txt', contentType: 'text/plain; charset=utf-8' };
const limit = { maxBytes: 10_000_000 };
/** The content is read without a version, as not every emulator has versions. */
const ARRIVING = 'arrivals/o/k';

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string };

async function ask(address: string, o: RequestOptions = {}) {
  const body = o.body === undefined ? {} : { body: Buffer.from(o.body) };
  const answer = await fetch(address, { method: o.method ?? 'GET', headers: o.headers ?? {}, ...body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Variants of the URL, each with one parameter changed by `change`. Works on the text, so that the rest stays unchanged. */
function variants(address: string, change: (value: string) => string | undefined): { name: string; address: string }[] {
  const [path, query = ''] = address.split('?');
  const parameters = query.split('&').map((parameter) => parameter.split('=') as [string, string]);
  return parameters.map(([name, value]) => {
    const next = change(value);
    const changed = parameters.flatMap(([otherName, otherValue]) => {
      if (otherName !== name) return `${otherName}=${otherValue}`;
      return next === undefined ? [] : `${name}=${next}`;
    });
    return { name, address: `${path}?${changed.join('&')}` };
  });
}

const lastCharacterChanged = (value: string) => value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');

/** The file name that a browser uses: filename* before filename (RFC 6266). */
function nameIn(header: string): string {
  expect(header).toMatch(/^attachment; /);
  expect(header).toMatch(/^[\x20-\x7e]+$/);
  const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return (/filename="((?:[^"\\]|\\.)*)"/.exec(header)?.[1] ?? '').replace(/\\(.)/g, '$1');
}

export const UPLOAD_TYPES = [
  undefined,
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'image/svg+xml; a="b"',
];

export function addressesContract(name: string, open: () => Promise<BlobsHarness>, uploadTypes = UPLOAD_TYPES): void {
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

    describe('an upload address', () => {
      it.each(uploadTypes)('takes the bytes of one PUT of type %s and needs no credential', async (type) => {
        const address = await blobs.uploadAddress(ARRIVING, 60);
        const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
        const answer = await ask(address, { method: 'PUT', headers, body: 'sent=bytes&é' });
        expect([answer.status, answer.text, await text(ARRIVING)]).toEqual([200, '', 'sent=bytes&é']);
      });

      it('takes an empty body', async () => {
        const answer = await ask(await blobs.uploadAddress(ARRIVING, 60), { method: 'PUT', body: '' });
        expect([answer.status, await blobs.size(ARRIVING)]).toEqual([200, 0]);
      });

      it('takes some megabytes', async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of noise(8_000_000)) chunks.push(chunk);
        const answer = await fetch(await blobs.uploadAddress(ARRIVING, 60), { method: 'PUT', body: new Blob(chunks) });
        await answer.arrayBuffer();
        expect([answer.status, await blobs.size(ARRIVING)]).toEqual([200, 8_000_000]);
      });

      it.each([
        'with space',
        'a#b?c&d=e',
        '100%',
        'a+b',
        '日本語 🎉',
        `q"'`,
        'a//b',
        'o/r/2026-01-01T00:00:00.000Z-x.pdf',
      ])('writes to its very key %s', async (key) => {
        const up = await ask(await blobs.uploadAddress(key, 60), { method: 'PUT', body: key });
        expect([up.status, await text(key)]).toEqual([200, key]);
        expect((await ask(await blobs.downloadAddress(key, plain, 60))).text).toBe(key);
      });

      it.each(['GET', 'HEAD', 'DELETE'])('does not serve %s', async (method) => {
        await keep(ARRIVING, 'a secret text');
        const answer = await ask(await blobs.uploadAddress(ARRIVING, 60), { method });
        expect([answer.status, await text(ARRIVING)]).toEqual([403, 'a secret text']);
        expect(answer.text).not.toContain('secret');
      });

      it('dies at its time and then stores nothing', async () => {
        const address = await blobs.uploadAddress(ARRIVING, 1);
        await harness.expire(2_500);
        expect([(await ask(address, { method: 'PUT', body: 'late' })).status, await blobs.size(ARRIVING)]).toEqual([
          403,
          undefined,
        ]);
      });

      it('stores nothing once any part of it was changed', async () => {
        const address = await blobs.uploadAddress(ARRIVING, 60);
        const moved = new URL(address);
        moved.pathname = new URL(await blobs.uploadAddress('arrivals/o/other', 60)).pathname;
        const changed = variants(address, lastCharacterChanged).map((variant) => variant.address);
        for (const bad of [...changed, moved.href]) {
          expect([400, 403]).toContain((await ask(bad, { method: 'PUT', body: 'x' })).status);
        }
        expect([await blobs.size(ARRIVING), await blobs.size('arrivals/o/other')]).toEqual([undefined, undefined]);
        expect((await ask(address, { method: 'PUT', body: 'x' })).status).toBe(200);
      });
    });

    describe('a download address', () => {
      it('answers with the bytes as an attachment, and needs no credential', async () => {
        await keep('k', 'some bytes');
        const { status, headers, text: body } = await ask(await blobs.downloadAddress('k', plain, 60));
        expect([status, body]).toEqual([200, 'some bytes']);
        expect(headers.get('content-disposition')).toBe('attachment; filename="report.txt"');
        expect(headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/);
        expect(headers.get('content-length')).toBe('10');
      });

      it.each([
        'plain.txt',
        'two words; and=more.txt',
        `quo"te's.txt`,
        'back\\slash.txt',
        '100%41+.txt',
        'naïve – 日本語 🎉 (1)*.txt',
      ])('gives the file the name %s', async (fileName) => {
        await keep('k', 'x');
        const answer = await ask(await blobs.downloadAddress('k', { ...plain, fileName }, 60));
        expect(nameIn(answer.headers.get('content-disposition') ?? '')).toBe(fileName);
      });

      it('answers an empty blob', async () => {
        await keep('k', '');
        const { status, headers, text: body } = await ask(await blobs.downloadAddress('k', plain, 60));
        expect([status, headers.get('content-length'), body]).toEqual([200, '0', '']);
      });

      it.each([
        ['bytes=0-0', '0', 'bytes 0-0/10'],
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=8-99', '89', 'bytes 8-9/10'],
        ['bytes=-3', '789', 'bytes 7-9/10'],
      ])('answers the range %s', async (range, body, contentRange) => {
        await keep('k', '0123456789');
        const answer = await ask(await blobs.downloadAddress('k', plain, 60), { headers: { range } });
        expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([206, body, contentRange]);
        expect(answer.headers.get('content-length')).toBe(String(body.length));
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
      });

      it('answers 416 to a range behind the end', async () => {
        await keep('k', '0123456789');
        const answer = await ask(await blobs.downloadAddress('k', plain, 60), { headers: { range: 'bytes=10-' } });
        expect(answer.status).toBe(416);
        expect(answer.text).not.toContain('0123456789');
      });

      it('answers 404 when the blob is not there', async () => {
        expect((await ask(await blobs.downloadAddress('missing', plain, 60))).status).toBe(404);
      });

      it.each(['PUT', 'DELETE'])('does not serve %s', async (method) => {
        await keep('k', 'mine');
        const request = method === 'PUT' ? { method, body: 'theirs' } : { method };
        const answer = await ask(await blobs.downloadAddress('k', plain, 60), request);
        expect([answer.status, await text('k')]).toEqual([403, 'mine']);
      });

      it('dies at its time', async () => {
        await keep('k', 'a secret text');
        const address = await blobs.downloadAddress('k', plain, 1);
        await harness.expire(2_500);
        const answer = await ask(address);
        expect(answer.status).toBe(403);
        expect(answer.text).not.toContain('secret');
      });

      it('gives nothing once a parameter of it was changed or left out', async () => {
        await keep('k', 'a secret text');
        const address = await blobs.downloadAddress('k', plain, 60);
        const changed = [...variants(address, lastCharacterChanged), ...variants(address, () => undefined)];
        for (const variant of changed) {
          const answer = await ask(variant.address);
          expect([400, 403], variant.name).toContain(answer.status);
          expect(answer.text).not.toContain('secret');
        }
        expect((await ask(address)).status).toBe(200);
      });

      it('answers 403 once its signature, expiry, file name or type was changed', async () => {
        await keep('k', 'x');
        const address = await blobs.downloadAddress('k', plain, 60);
        const covered = variants(address, lastCharacterChanged).filter(({ name }) =>
          /signature$|expires$|name$|disposition$|type$/i.test(name),
        );
        expect(covered).toHaveLength(4);
        for (const variant of covered)
          expect([variant.name, (await ask(variant.address)).status]).toEqual([variant.name, 403]);
      });

      it('does not open another key with its signature', async () => {
        await keep('k', 'x');
        await keep('other', 'a secret text');
        const moved = new URL(await blobs.downloadAddress('k', plain, 60));
        moved.pathname = new URL(await blobs.downloadAddress('other', plain, 60)).pathname;
        const answer = await ask(moved.href);
        expect(answer.status).toBe(403);
        expect(answer.text).not.toContain('secret');
      });
    });

    it('signs for 7 days at most', async () => {
      await expect(blobs.downloadAddress('k', plain, 604_801)).rejects.toThrow();
      await expect(blobs.uploadAddress('k', 604_801)).rejects.toThrow();
    });
  });
}
