import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, expect, it } from 'vitest';
import { filesAndTasks } from '../../client/src/index.ts';
import { expectRecordedWeight } from '../support/recorded-weights.ts';
import { answering, json } from './server.ts';

const ENTRY = join(import.meta.dirname, '../../client/src/index.ts');

it('builds a small bundle for browsers, without Node modules', async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    write: false,
  });
  expect(warnings).toEqual([]);
  const [file] = outputFiles;
  expect(file?.text).not.toMatch(/require\(|from"node:/);
  expectRecordedWeight('client', file?.contents.byteLength ?? 0);
});

const page = globalThis as { XMLHttpRequest?: unknown };
afterEach(() => {
  delete page.XMLHttpRequest;
});

type Sent = { method: string; address: string; type: string; body: Blob };

/** The parts of a browser that an upload needs. */
function browserWith(outcome: 'loaded' | 'cut' | 'never'): Sent[] {
  const sent: Sent[] = [];
  page.XMLHttpRequest = class {
    upload: { onprogress?: (event: { loaded: number }) => void } = {};
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;
    status = 200;
    asked = { method: '', address: '', type: '' };
    open(method: string, address: string) {
      Object.assign(this.asked, { method, address });
    }
    setRequestHeader(_: string, type: string) {
      this.asked.type = type;
    }
    send(body: Blob) {
      sent.push({ ...this.asked, body });
      this.upload.onprogress?.({ loaded: body.size / 2 });
      if (outcome === 'loaded') setTimeout(() => this.onload?.());
      if (outcome === 'cut') setTimeout(() => this.onerror?.());
    }
    abort() {
      this.onabort?.();
    }
  };
  return sent;
}

const offer = {
  uploadUrl: 'https://storage.acme.org/put',
  fileId: '01900000-0000-7000-8000-00000000abcd',
  storagePath: 'p',
};
const over = (baseUrl: string) => filesAndTasks({ baseUrl, apiKey: 'errand_a_b' }).files;

it('reports upload progress in a browser, also for a stream', async () => {
  const sent = browserWith('loaded');
  for (const source of [new Blob(['12345678']), new Blob(['12345678']).stream()]) {
    await using server = await answering([json(200, offer), json(201, { fileId: offer.fileId })]);
    const told: number[] = [];
    const onProgress = ({ sentBytes }: { sentBytes: number }) => told.push(sentBytes);
    await over(server.url).upload(source, { fileName: 'a.txt', size: 8, onProgress });
    expect(told).toEqual([0, 4, 8]);
  }
  expect(sent.map(({ method, address, type }) => [method, address, type])).toEqual(
    Array(2).fill(['PUT', offer.uploadUrl, 'text/plain']),
  );
  expect(await sent[1]?.body.text()).toBe('12345678');
});

it('rejects in a browser, too, a stream whose size differs from the given one', async () => {
  browserWith('loaded');
  const upload = over('http://127.0.0.1:9').upload(new Blob(['12345678']).stream(), { fileName: 'a', size: 9 });
  await expect(upload).rejects.toMatchObject({ message: 'The stream had 8 bytes instead of 9.' });
});

it('reports a broken connection in a browser, and stops when its signal is aborted', async () => {
  browserWith('cut');
  await using server = await answering([json(200, offer)]);
  const blob = new Blob(['1']);
  await expect(over(server.url).upload(blob, { fileName: 'a' })).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
  browserWith('never');
  await using other = await answering([json(200, offer)]);
  const signal = AbortSignal.timeout(100);
  await expect(over(other.url).upload(blob, { fileName: 'a', signal })).rejects.toMatchObject({ code: 'ABORTED' });
});
