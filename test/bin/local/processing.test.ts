/** A processing task through the whole product, with documents from a server on this machine that a start option permits. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldBytes, sampleBytes } from '../../agents/processing/setup.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agentCaller } from './agent-caller.ts';

const folder = temporaryFolder();
const SOON = { timeout: 25_000, interval: 100 };

const PAGES: Record<string, Buffer> = {
  '/invoice.pdf': sampleBytes('invoice.reportlab.pdf'),
  '/factuur.docx': fieldBytes('factuur-van-dijk.pandoc.docx'),
  '/broken.pdf': Buffer.from('%PDF-1.7 and nothing more'),
};

let source: Server;
let product: Running;
const { call: api, logIn } = agentCaller(() => product);
let origin = '';

beforeAll(async () => {
  const ca = authority('Test Authority');
  source = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url = '' }, response) => {
    if (url === '/moved.pdf') response.writeHead(302, { location: '/invoice.pdf' }).end();
    else if (url === '/to-inside.pdf') response.writeHead(302, { location: 'https://127.0.0.1:1/x.pdf' }).end();
    else if (url === '/big.txt')
      response.writeHead(200, { 'content-length': '40000000' }).end(Buffer.alloc(40_000_000, 'x'));
    else if (PAGES[url]) response.writeHead(200).end(PAGES[url]);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  origin = `https://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const words = ['--allow-source', origin, '--source-ca', pem];
  product = await startLocalProduct(join(folder.path, 'state'), await freePort(), words);
  await logIn();
});

afterAll(async () => {
  await product.stop();
  source.closeAllConnections();
  source.close();
  folder.remove();
});

async function processFiles(names: string[], more: object = {}): Promise<Any> {
  const input = { documents: names.map((name) => ({ url: `${origin}/${name}` })), ...more };
  const { task_id: id } = await api('/api/v1/tasks', { task_type: 'processing_agent', input });
  await expect.poll(async () => (await api(`/api/v1/tasks/${id}`)).status, SOON).toMatch(/^(completed|failed)$/);
  return api(`/api/v1/tasks/${id}/results`);
}

it('extracts documents and saves a workbook', async () => {
  const shown = await processFiles(['invoice.pdf', 'factuur.docx', 'moved.pdf'], {
    extraction_rules: ['ibans', 'invoice numbers', 'Who pays?'],
    output_format: 'xlsx',
  });
  expect(shown).toMatchObject({
    status: 'completed',
    processing_details: { sources_processed: 3, service_engine_queries: 0 },
    usage: { model: 'offline/extractive' },
  });
  expect(shown.results.merged).toContainEqual({
    rule: 'ibans',
    value: 'FR7630004028379876543210943',
    occurrences: 2,
    documents: [1, 3],
  });
  expect(shown.results.documents[2]).toMatchObject({ name: 'invoice.pdf', url: `${origin}/moved.pdf` });
  const [file] = shown.results.files;
  expect(file.name).toBe('results.xlsx');
  const download = await fetch(file.url);
  const bytes = Buffer.from(await download.arrayBuffer());
  expect([download.status, bytes.length]).toEqual([200, file.size_bytes]);
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
});

it('continues without documents that are refused, unreachable, too large or broken', async () => {
  const names = ['to-inside.pdf', 'missing.pdf', 'big.txt', 'broken.pdf', 'invoice.pdf'];
  const shown = await processFiles(names, { extraction_rules: ['dates'], output_format: 'csv' });
  expect(shown.status).toBe('completed');
  expect(shown.results.documents.map((one: Any) => one.reason ?? one.status)).toEqual([
    'refused',
    'unreachable',
    'tooLarge',
    'corrupt',
    'processed',
  ]);
  expect(shown.processing_details.confidence_scores.analysis_completeness).toBe(0.2);
});

it('does not fetch from its own address under any name', async () => {
  const { port } = new URL(product.local.agents.rootUrl);
  const input = { documents: [{ url: `https://127.0.0.1:${port}/health` }, { url: `https://localhost:${port}/` }] };
  const { error } = await api('/api/v1/tasks', { task_type: 'processing_agent', input });
  expect(error.details.invalid_fields).toEqual(['input.documents.0.url', 'input.documents.1.url', 'input.documents']);
  expect(error.message).not.toContain(port);
});
