/** A research of the local product over the web of one machine: a search engine and a site on an allowed origin. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agentCaller } from './agent-caller.ts';

const folder = temporaryFolder();
/** The rate limit of the status is 25 a minute. */
const SOON = { timeout: 25_000, interval: 1_000 };
const ARTICLE = `<html><head><title>Port fees</title></head><body><article><h1>Port fees</h1>
<p>The port of Eastmere raises its port fees by 6.5 per cent in March, the harbour master said on Monday. The fees had
been the same for three years. Carriers expect that some of the cargo will go by rail.</p></article></body></html>`;

let site: Server;
let elsewhere: Server;
let product: Running;
const requested: string[] = [];
const { call: api, logIn } = agentCaller(() => product);

const originOf = (server: Server): string => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  const ca = authority('Test Authority');
  const certificate = ca.issue({ for: ['127.0.0.1'] });
  elsewhere = createServer(certificate, ({ url = '' }, response) => {
    requested.push(`elsewhere ${url}`);
    response.end(ARTICLE);
  }).listen(0, '127.0.0.1');
  site = createServer(certificate, ({ url = '' }, response) => {
    if (url.startsWith('/search')) {
      const pages = [`${originOf(site)}/port-fees`, `${originOf(elsewhere)}/port-fees`];
      const results = pages.map((page) => ({ url: page, title: 'Port fees', content: 'Port fees of Eastmere' }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    } else if (url === '/port-fees') response.setHeader('content-type', 'text/html').end(ARTICLE);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(site, 'listening'), once(elsewhere, 'listening')]);
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const words = ['--allow-source', originOf(site), '--source-ca', pem];
  const env = { ERRAND_SEARCH_URL: `${originOf(site)}/` };
  product = await startLocalProduct(join(folder.path, 'state'), await freePort(), words, { env });
  await logIn();
});

afterAll(async () => {
  await product.stop();
  for (const server of [site, elsewhere]) {
    server.closeAllConnections();
    server.close();
  }
  folder.remove();
});

it('searches and opens pages on an origin that --allow-source names, and on no other port', async () => {
  const { task_id: id } = await api('/api/v1/tasks', {
    task_type: 'research_agent',
    input: { query: 'How much do port fees of Eastmere rise?' },
  });
  const path = `/api/v1/tasks/${id}`;
  await expect.poll(async () => (await api(path)).status, SOON).toBe('completed');
  const { results } = await api(`${path}/results`);
  const opened = results.documents.map(({ address, not_opened: reason }: Any) => [address, reason]);
  expect(opened).toContainEqual([`${originOf(site)}/port-fees`, undefined]);
  expect(results.findings.map(({ text }: Any) => text).join()).toContain('by 6.5 per cent in March');
  expect(opened).toContainEqual([
    `${originOf(elsewhere)}/port-fees`,
    expect.stringContaining('has a URL that is not allowed'),
  ]);
  expect(requested).toEqual([]);
});
