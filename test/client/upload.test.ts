/** Uploads whose storage, file or stream fails. */
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { filesAndTasks } from '../../client/src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answering, json } from './server.ts';

const FILE_ID = '01900000-0000-7000-8000-00000000abcd';
const over = (baseUrl: string, more: object = {}) => filesAndTasks({ baseUrl, apiKey: 'errand_a_b', ...more });
const offerOf = (url: string) => ({ uploadUrl: `${url}/put`, fileId: FILE_ID, storagePath: 'p' });

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('an upload', () => {
  it('sends its length, as storage requires, and reports no falling progress after a broken connection', async () => {
    await using storage = await answering(['cut', { status: 503 }, { status: 200 }]);
    await using server = await answering([json(200, offerOf(storage.url)), json(201, { fileId: FILE_ID })]);
    const bytes = new Uint8Array(300_000).fill(65);
    const told: number[] = [];
    const onProgress = ({ sentBytes }: { sentBytes: number }) => told.push(sentBytes);
    await over(server.url).files.upload(bytes, { fileName: 'a.txt', onProgress });
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBe(300_000);
    for (const { method, headers, body } of storage.got) {
      expect(method).toBe('PUT');
      expect(headers).toMatchObject({ 'content-length': '300000', 'content-type': 'text/plain' });
      expect(headers).not.toHaveProperty('transfer-encoding');
      expect(headers).not.toHaveProperty('authorization');
      expect(body.length).toBe(300_000);
    }
    expect(storage.got).toHaveLength(3);
    expect(JSON.parse(server.got[1]?.body ?? '')).toMatchObject({ size: 300_000, mimeType: 'text/plain' });
  });

  it('that storage rejects fails with the reason', async () => {
    await using storage = await answering([{ status: 403, body: '<Error/>' }]);
    await using server = await answering([json(200, offerOf(storage.url))]);
    const upload = over(server.url).files.upload(new Blob(['a']), { fileName: 'a.txt' });
    await expect(upload).rejects.toMatchObject({ code: 'UPLOAD_FAILED', status: 403 });
    expect([storage.got.length, server.got.length]).toEqual([1, 1]);
  });

  it('of a stream is not retried, because the stream was consumed', async () => {
    await using storage = await answering(['cut']);
    await using server = await answering([json(200, offerOf(storage.url))]);
    const stream = new Blob(['abc']).stream();
    const upload = over(server.url).files.upload(stream, { fileName: 'a.txt', size: 3 });
    await expect(upload).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
    expect(storage.got).toHaveLength(1);
  });

  it('of a stream that is shorter or longer than its size does not succeed', async () => {
    for (const [size, had] of [
      [2, '3 bytes or more'],
      [4, '3 bytes'],
    ] as const) {
      await using storage = await answering([{ status: 200 }]);
      await using server = await answering([json(200, offerOf(storage.url))]);
      const upload = over(server.url).files.upload(new Blob(['abc']).stream(), { fileName: 'a.txt', size });
      const message = `The stream had ${had} instead of ${size}.`;
      await expect(upload).rejects.toMatchObject({ code: 'UPLOAD_FAILED', message });
    }
    const odd = over('http://127.0.0.1:9').files.upload(new Blob(['a']).stream(), { fileName: 'a.txt', size: 1.5 });
    await expect(odd).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it.each([{}, { size: 6 }])('accepts a stream of text like bytes, with %j', async (o) => {
    await using storage = await answering([{ status: 200 }]);
    await using server = await answering([json(200, offerOf(storage.url)), json(201, { fileId: FILE_ID })]);
    const path = join(folder.path, 'text.txt');
    writeFileSync(path, 'Größe!'.slice(1, 5));
    const source = createReadStream(path, 'utf8');
    await over(server.url).files.upload(source, { fileName: 'a.txt', ...o });
    expect(storage.got[0]?.body).toBe('röße');
    expect(JSON.parse(server.got[1]?.body ?? '')).toMatchObject({ size: 6 });
  });

  it.each([{}, { size: 1 }])(
    'of a stream that fails, or yields no bytes, is rejected with the reason, with %j',
    async (o) => {
      await using storage = await answering([{ status: 200 }]);
      await using server = await answering([json(200, offerOf(storage.url))]);
      const { files } = over(server.url);
      const broken = files.upload(createReadStream(join(folder.path, 'none')), { fileName: 'a', ...o });
      await expect(broken).rejects.toMatchObject({ code: 'UPLOAD_FAILED', message: 'The stream cannot be read.' });
      const numbers = files.upload(Readable.from([1]) as never, { fileName: 'a', ...o });
      await expect(numbers).rejects.toMatchObject({ code: 'BAD_OPTION' });
    },
  );

  it('that stalls is retried up to the maximum number of attempts', async () => {
    await using storage = await answering(['hang']);
    await using server = await answering([json(200, offerOf(storage.url))]);
    const upload = over(server.url, { timeoutMs: 100 }).files.upload(new Blob(['abc']), { fileName: 'a.txt' });
    await expect(upload).rejects.toMatchObject({ code: 'UPLOAD_FAILED', message: 'No bytes were sent for 100 ms.' });
    expect(storage.got).toHaveLength(3);
  });

  it('of a file that is deleted meanwhile, or of a folder, is rejected with the reason', async () => {
    await using server = await answering([json(200, offerOf('http://127.0.0.1:9'))]);
    const { files } = over(server.url);
    const path = join(folder.path, 'gone.txt');
    writeFileSync(path, 'abc');
    const onProgress = () => rmSync(path, { force: true });
    const gone = files.upload(path, { onProgress });
    await expect(gone).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
    await expect(files.upload(folder.path)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it("uses the client's own fetch", async () => {
    await using storage = await answering([{ status: 200 }]);
    await using server = await answering([json(200, offerOf(storage.url)), json(201, { fileId: FILE_ID })]);
    const asked: string[] = [];
    const counting: typeof fetch = (address, init) => {
      asked.push(new URL(String(address)).pathname);
      return fetch(address, init);
    };
    await over(server.url, { fetch: counting }).files.upload(new Blob(['abc']), { fileName: 'a.txt' });
    expect(asked).toEqual(['/files', '/put', `/files/${FILE_ID}/complete`]);
  });
});
