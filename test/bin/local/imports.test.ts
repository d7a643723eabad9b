/** Files by URL through the whole product, from a server on this machine that a start option permits. */
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { docxOf, paragraph, pdfOf, zipOf } from '../../engines/documents/file-builders.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');

const LETTER = docxOf(paragraph('Rent is due.'));
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1');

/** The answers of the source by path. */
const pages: Record<string, (response: ServerResponse, origin: string) => void> = {
  '/reports/year%202026.csv': (response) =>
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('a,b\n1,2\n'),
  '/download': (response) =>
    response
      .writeHead(200, { 'content-disposition': `attachment; filename="x.txt"; filename*=UTF-8''%C3%BCber.txt` })
      .end('named'),
  '/moved': (response) => response.writeHead(302, { location: '/download' }).end(),
  '/to-inside': (response) => response.writeHead(302, { location: 'https://127.0.0.1:1/secret' }).end(),
  '/to-plain': (response) => response.writeHead(302, { location: 'http://files.acme.org/a' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/missing': (response) => response.writeHead(404).end('no'),
  '/broken': (response) => response.writeHead(500).end('no'),
  '/empty.txt': (response) => response.writeHead(200).end(),
  '/setup.exe': (response) => response.writeHead(200).end('MZ'),
  '/text.txt': (response) => response.writeHead(200).end('MZ\u0000\u0001 really a program'),
  '/packed.txt': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000))),
  '/cut.txt': (response) => {
    response.writeHead(200, { 'content-length': '1000000' }).write('only this');
    setTimeout(() => response.destroy(), 50);
  },
  '/letter.docx': (response) => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(LETTER),
  '/photo.png': (response) => response.writeHead(200).end(PICTURE),
  '/report.pdf': (response) =>
    response.writeHead(200, { 'content-type': 'application/x-pdf' }).end(pdfOf('BT /F 12 Tf (x) Tj ET')),
  '/archive.docx': (response) =>
    response.writeHead(200).end(zipOf([{ name: '[Content_Types].xml', body: Buffer.alloc(200_000), stored: true }])),
  '/declared.txt': (response) => response.writeHead(200, { 'content-length': String(2 ** 40) }).write('x'),
  '/big-header': (response) => response.writeHead(200, { 'x-big': 'y'.repeat(20_000) }).end('x'),
};

let source: Server;
let product: Running;
let origin = '';

beforeAll(async () => {
  const ca = authority('Test Authority');
  const answer: RequestListener = ({ url = '' }, response) => {
    const page = pages[url];
    if (page) page(response, origin);
    else response.writeHead(404).end();
  };
  source = createServer(ca.issue({ for: ['127.0.0.1'] }), answer).listen(0, '127.0.0.1');
  await once(source, 'listening');
  origin = `https://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, ca.cert);
  product = await startLocalProduct(state, await freePort(), ['--allow-source', origin, '--source-ca', pem]);
});

afterAll(async () => {
  await product.stop();
  source.closeAllConnections();
  source.close();
  folder.remove();
});

async function api(path: string, json?: object) {
  const response = await fetch(product.local.filesAndTasks.baseUrl + path, {
    method: json ? 'POST' : 'GET',
    headers: { 'x-api-key': product.local.organizations[0]?.apiKey ?? '', 'content-type': 'application/json' },
    ...(json ? { body: JSON.stringify(json) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

const add = (path: string) => api('/files', { url: origin + path });
const storedBlobs = () =>
  readdirSync(join(state, 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

it.each([
  ['/reports/year%202026.csv', 'year 2026.csv', 'text/csv', 'a,b\n1,2\n'],
  ['/download', 'über.txt', 'text/plain', 'named'],
  ['/moved', 'über.txt', 'text/plain', 'named'],
])('fetches %s', async (path, fileName, mimeType, text) => {
  const added = await add(path);
  expect(added).toEqual({ status: 201, body: { fileId: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
  const { body } = await api(`/files/${added.body.fileId}`);
  expect(body).toMatchObject({ fileName, mimeType, size: Buffer.byteLength(text) });
  const download = await fetch(body.url ?? '');
  expect(await download.text()).toBe(text);
});

it.each([
  ['/letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['/photo.png', 'image/png'],
  ['/report.pdf', 'application/x-pdf'],
])('detects the type of %s from its bytes if the server sends none', async (path, mimeType) => {
  const { body } = await api(`/files/${(await add(path)).body.fileId}`);
  expect(body).toMatchObject({ fileName: path.slice(1), mimeType });
});

it.each([
  ['/missing', 'Failed to fetch from bucket'],
  ['/broken', 'Failed to fetch from bucket'],
  ['/empty.txt', 'Failed to fetch from bucket'],
  ['/loop', 'Failed to fetch from bucket'],
  ['/cut.txt', 'Failed to fetch from bucket'],
  ['/declared.txt', 'A file has at most 536870912 bytes'],
  ['/big-header', 'Failed to fetch from bucket'],
  ['/to-inside', 'Invalid bucket URL'],
  ['/to-plain', 'Invalid bucket URL'],
  ['/setup.exe', 'Unsupported file type: .exe'],
  ['/text.txt', 'Unsupported file type'],
  ['/archive.docx', 'Unsupported file type'],
  ['/packed.txt', 'Unsupported file type'], // the body is gzip and is not decompressed
])('stores nothing of %s: %s', async (path, error) => {
  const [files, blobs] = [await api('/files'), storedBlobs().length];
  expect(await add(path)).toEqual({ status: 400, body: { error } });
  expect(await api('/files')).toEqual(files);
  expect(storedBlobs().length).toBe(blobs);
});

it('fetches only from the allowed origin', async () => {
  const { hostname, port } = new URL(origin);
  for (const other of [
    `https://localhost:${port}`,
    `https://${hostname}:${Number(port) + 1}`,
    `http://${hostname}:${port}`,
  ]) {
    expect((await api('/files', { url: `${other}/download` })).body).toEqual({ error: 'Invalid bucket URL' });
  }
});
