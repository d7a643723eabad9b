/** How long the console takes until its first list is painted, beside a bare page: both measured in turns. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addEnded } from '../../console/add-ended-tasks.ts';
import { openConsole, rootOf } from '../../console/open-console.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser/open-browser.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const ROUNDS = 9;
const MAX_TIMES = 3;
const ROWS = 25;
let product: Running;
let browser: OpenBrowser;
let bare: Server;

beforeAll(async () => {
  const port = await freePort();
  const first = await startLocalProduct(state, port);
  const [organization] = first.local.organizations;
  await first.stop();
  await addEnded(state, organization?.id ?? '', 2 * ROWS);
  product = await startLocalProduct(state, port);
  browser = await openBrowser();
  const rows = Array.from({ length: ROWS }, (_, at) => `<li class="row"><a href="#">Task ${at}</a> completed</li>`);
  const page = `<!doctype html><html lang="en"><title>Bare</title><body><main><h1>Tasks</h1><ul>${rows.join('')}</ul></main></body></html>`;
  bare = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
  await once(bare.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  bare.close();
  await browser.close();
  await product.stop();
  folder.remove();
});

/** Measures from the start of the navigation until the list is painted. */
const NOTE_PAINT = `globalThis.painted = new Promise((tell) => {
  const look = () => {
    if (document.querySelectorAll('li .row, li.row').length < ${ROWS}) return requestAnimationFrame(look);
    requestAnimationFrame(() => tell(performance.now()));
  };
  requestAnimationFrame(look);
});`;

async function paintedMs(page: Page, address: string): Promise<number> {
  await page.goto('about:blank');
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate(() => (globalThis as Any).painted as Promise<number>);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

it(`paints its first list within ${MAX_TIMES} times of a bare page, both measured in turns`, async () => {
  const at = await openConsole(browser, product);
  await at.page.addInitScript(NOTE_PAINT);
  const bareAddress = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
  const times = { bare: [] as number[], console: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await paintedMs(at.page, bareAddress));
    times.console.push(await paintedMs(at.page, rootOf(product)));
  }
  const [ours, theirs] = [median(times.console), median(times.bare)];
  console.log(`first list painted: console ${ours.toFixed(0)} ms, bare page ${theirs.toFixed(0)} ms`);
  expect(ours).toBeLessThan(MAX_TIMES * theirs);
  await at.close();
});
