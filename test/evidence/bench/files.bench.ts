/** Storing a 200 MB file, by import from a URL and by presigned upload, against a plain copy of the stream over the same TLS. */

import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, request as httpRequest } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sendAll } from './http-load.ts';
import { bareServer, withoutLimit } from './servers.ts';
import { type Bench, type Comparison, inTurns, sideBySide } from './side-by-side.ts';

const MEGABYTE = Buffer.alloc(1_000_000, 'errand bench, ');
const MEGABYTES = 200;
const SIZE = MEGABYTE.length * MEGABYTES;
const MAX_GROWTH_MB = 64;
const READS = 20_000;
const ROUNDS = 5;

const content = () =>
  Readable.from(
    (function* () {
      for (let sent = 0; sent < MEGABYTES; sent++) yield MEGABYTE;
    })(),
  );

const addressOf = (server: { address(): unknown }): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Serves the file at every path over TLS. A second server accepts PUTs without TLS, as the local product does. */
async function source(folder: string) {
  const ca = authority('Bench Authority');
  const server = createServer(ca.issue({ for: ['127.0.0.1'] }), async (_, response) => {
    response.writeHead(200, { 'content-length': SIZE });
    await pipeline(content(), response);
  }).listen(0, '127.0.0.1');
  const taker = createPlainServer(async (request, response) => {
    await pipeline(request, createWriteStream(join(folder, 'put'), { flush: true }));
    response.writeHead(200, { 'content-length': 0 }).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(taker, 'listening')]);
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const stop = () => {
    server.close();
    taker.close();
  };
  return { origin: `https://${addressOf(server)}`, putTo: `http://${addressOf(taker)}/`, ca: ca.cert, pem, stop };
}

async function api({ local }: Running, path: string, json: object): Promise<Record<string, string>> {
  const response = await fetch(local.filesAndTasks.baseUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': local.organizations[0]?.apiKey ?? '', 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, string>;
}

async function put(address: string): Promise<void> {
  const request = httpRequest(address, { method: 'PUT', headers: { 'content-length': SIZE } });
  const answered = once(request, 'response');
  await pipeline(content(), request);
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 200) throw new Error(`The upload returned ${response.statusCode}.`);
}

async function copied(origin: string, ca: string, to: string): Promise<void> {
  const request = httpsRequest(origin, { ca }).end();
  const [response] = await once(request, 'response');
  await pipeline(response, createWriteStream(to, { flush: true }));
}

const residentMb = ({ process: { pid } }: Running, what: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Resets the peak memory, because password hashing at the start would dominate it. */
const forgetPeak = ({ process: { pid } }: Running): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

export const bench: Bench = {
  title: 'Files',
  about: `A file of ${MEGABYTES} MB, written and synced to the disk on both sides; the references copy the same stream over the same loopback, with TLS for the import and without for the upload, as the product does, and do nothing else.`,
  async run() {
    const folder = temporaryFolder();
    const from = await source(folder.path);
    const words = ['--allow-source', from.origin, '--source-ca', from.pem];
    const product = await startLocalProduct(join(folder.path, 'state'), await freePort(), words);
    await withoutLimit(product, 'reads');
    const before = residentMb(product, 'VmRSS');
    forgetPeak(product);

    const bring = async (
      what: string,
      ours: () => Promise<unknown>,
      reference: () => Promise<void>,
    ): Promise<Comparison> => {
      const rate = async (way: () => Promise<unknown>) => {
        const startedAt = performance.now();
        await way();
        return (MEGABYTES * 1_000) / (performance.now() - startedAt);
      };
      const rates = await inTurns(rate, { ours, reference }, ROUNDS);
      return { what, unit: 'MB/s', ...rates, wanted: { atLeast: 0.6 } };
    };
    const byAddress = await bring(
      'import by address',
      () => api(product, '/files', { url: `${from.origin}/a.txt` }),
      () => copied(from.origin, from.ca, join(folder.path, 'copy')),
    );
    const byUpload = await bring(
      'signed upload, offer to completion',
      async () => {
        const { fileId, storagePath, uploadUrl = '' } = await api(product, '/files', { fileName: 'a.txt' });
        await put(uploadUrl);
        await api(product, `/files/${fileId}/complete`, {
          fileName: 'a.txt',
          mimeType: 'text/plain',
          size: SIZE,
          storagePath,
        });
      },
      () => put(from.putTo),
    );
    const growth = residentMb(product, 'VmHWM') - before;
    const reads = await readFile(product);
    await product.stop();
    from.stop();
    rmSync(join(folder.path, 'state'), { recursive: true });
    folder.remove();
    const memory: Comparison = {
      what: 'resident growth meanwhile, over 64 MB',
      unit: 'MB',
      ours: growth,
      reference: MAX_GROWTH_MB,
      ratio: growth / MAX_GROWTH_MB,
      wanted: { atMost: 1 },
    };
    return [byAddress, byUpload, memory, reads];
  },
};

async function readFile(product: Running): Promise<Comparison> {
  const bytes = Buffer.from('hello');
  const { fileId, storagePath, uploadUrl = '' } = await api(product, '/files', { fileName: 'a.txt' });
  await fetch(uploadUrl, { method: 'PUT', body: bytes });
  await api(product, `/files/${fileId}/complete`, {
    fileName: 'a.txt',
    mimeType: 'text/plain',
    size: bytes.length,
    storagePath,
  });
  const bare = await bareServer();
  const port = Number(new URL(product.local.filesAndTasks.baseUrl).port);
  const headers = { 'x-api-key': product.local.organizations[0]?.apiKey ?? '' };
  const found = await sideBySide({
    what: 'GET /files/:fileId',
    unit: 'requests/s',
    amount: READS,
    atLeast: 0.4,
    ours: () => sendAll({ port, path: `/api/v1/files/${fileId}`, headers, amount: READS }),
    reference: () => sendAll({ port: bare.port, path: '/', amount: READS }),
  });
  bare.stop();
  return found;
}
