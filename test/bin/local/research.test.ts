/** A research task on the local product: over the shipped samples, and over a slow source of the test. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { putSource } from '../../../shared/sources/stored-sources.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agentCaller } from './agent-caller.ts';

const folder = temporaryFolder();
/** The rate limit of the status is 25 a minute. */
const SOON = { timeout: 25_000, interval: 1_000 };
/** Its page is gone, so research reads what the feed says of it. */
const FEED = `<rss><channel><item><title>Port fees rise</title><link>/gone</link><description>Port fees in the Baltic rose by 4 per cent.
</description></item></channel></rss>`;

const held: ServerResponse[] = [];
let publisher: Server;
let product: Running;
const { call: api, logIn } = agentCaller(() => product);

beforeAll(async () => {
  const ca = authority('Test Authority');
  publisher = createServer(ca.issue({ for: ['127.0.0.1'] }), ({ url }, response) => {
    if (url === '/slow') held.push(response);
    else response.writeHead(url === '/feed' ? 200 : 404).end(FEED);
  }).listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  const origin = `https://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  const pem = join(folder.path, 'ca.pem');
  writeFileSync(pem, ca.cert);
  const words = ['--allow-source', origin, '--source-ca', pem];
  product = await startLocalProduct(join(folder.path, 'state'), await freePort(), words);
  const [{ id } = { id: '' }] = product.local.organizations;
  const local = openLocal(product.env);
  for (const name of ['feed', 'slow', 'missing']) {
    const given = { title: name, connectors: [{ kind: 'feed', address: `${origin}/${name}` }] };
    await putSource(local, id, { name, value: given });
  }
  local.close();
  await logIn();
});

afterAll(async () => {
  await product.stop();
  publisher.closeAllConnections();
  publisher.close();
  folder.remove();
});

async function submitResearch(input: object): Promise<string> {
  const { task_id: id } = await api('/api/v1/tasks', { task_type: 'research_agent', input });
  return `/api/v1/tasks/${id}`;
}
const waitForEnd = (path: string) =>
  expect.poll(async () => (await api(path)).status, SOON).toMatch(/^(completed|failed)$/);

it('reads the samples if no source is named, and marks everything derived from them', async () => {
  const path = await submitResearch({ query: 'How did port fees and freight rates change?', output_format: 'html' });
  await waitForEnd(path);
  const { status, results, processing_details: details } = await api(`${path}/results`);
  expect(status).toBe('completed');
  expect(results.sources.map(({ source }: Any) => source)).toEqual(['financial_reports', 'market_data', 'news_feeds']);
  expect(results.documents.every(({ sample_data: isSample }: Any) => isSample)).toBe(true);
  expect(results.charts.length).toBeGreaterThan(0);
  expect(details).toMatchObject({
    sources_processed: results.documents.length,
    confidence_scores: { data_quality: 0.5 },
  });
  expect(results.documents.length).toBeGreaterThan(8);
  const html = await (await fetch(results.files[0].url)).text();
  expect(html).toContain('This report uses fictional sample data');
  expect(html).toContain('<svg');
});

it('continues without an unreachable source, and names it', async () => {
  const path = await submitResearch({ query: 'Port fees', sources: ['missing', 'feed'] });
  await waitForEnd(path);
  const { status, results } = await api(`${path}/results`);
  expect(status).toBe('completed');
  expect(results.sources).toMatchObject([
    { source: 'missing', status: 'dead' },
    { source: 'feed', status: 'read' },
  ]);
  expect(results.findings).toMatchObject([{ text: 'Port fees in the Baltic rose by 4 per cent.' }]);
});

it('shows the partial results of a cancelled task, with its unread source as pending', async () => {
  const path = await submitResearch({ query: 'Port fees', sources: ['feed', 'slow'] });
  await expect.poll(() => held.length, SOON).toBe(1);
  await expect.poll(async () => (await api(path)).output_preview, SOON).toMatchObject({ items: 1 });
  const cancelled = await api(`${path}/cancel`, { force: true });
  expect(cancelled).toMatchObject({ status: 'cancelled', results_available: true });
  const { status, partial, results } = await api(`${path}/results`);
  expect([status, partial]).toEqual(['cancelled', true]);
  expect(results.sources).toMatchObject([
    { source: 'feed', status: 'read', items: 1 },
    { source: 'slow', status: 'pending' },
  ]);
});
