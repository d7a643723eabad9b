/** How soon the console is there: beside a bare page, with ten thousand tasks, and after each message. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Any } from '../any.ts';
import { freePort } from '../api/free-port.ts';
import { type Running, startLocalProduct } from '../api/local-product.ts';
import { type OpenBrowser, openBrowser } from '../browser/open-browser.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { clientsOf, openConsole, rootOf } from './open-console.ts';
import { addTenThousand } from './ten-thousand.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const ROUNDS = 9;
const MOST_TIMES = 3;
const ROWS = 25;
let product: Running;
let browser: OpenBrowser;
let bare: Server;

beforeAll(async () => {
  const port = await freePort();
  const first = await startLocalProduct(state, port);
  const organization = first.local.organizations[0]?.id ?? '';
  await first.stop();
  await addTenThousand(state, organization);
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

/** Tells when the list stood and was painted, from the beginning of the navigation on. */
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

it(`paints its first list within ${MOST_TIMES} times of a bare page, both measured in turns`, async () => {
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
  expect(ours).toBeLessThan(MOST_TIMES * theirs);
  await at.close();
});

it('stays small and quick over ten thousand tasks', async () => {
  const at = await openConsole(browser, product);
  const { page } = at;
  await page.getByText('10,000 tasks').waitFor();
  const elements = () => page.evaluate(() => (globalThis as Any).document.querySelectorAll('*').length as number);
  const rows = page.getByRole('list', { name: 'Agent tasks' }).getByRole('listitem');
  expect(await rows.count()).toBe(ROWS);
  const begin = await elements();
  expect(begin).toBeLessThan(900);
  const begunAt = Date.now();
  for (const from of [26, 51, 76]) {
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText(`${from} to ${from + ROWS - 1} of 10,000`).waitFor();
  }
  expect(Date.now() - begunAt).toBeLessThan(6_000);
  expect(await elements()).toBeLessThan(begin + 50);
  await page.getByLabel('Agent', { exact: true }).selectOption('processing_agent');
  await page.getByText('3,333 tasks').waitFor();
  await at.close();
});

it('has each message of a task on the screen in the very frame that follows it', async () => {
  const at = await openConsole(browser, product, { isSignedIn: false });
  const { page } = at;
  // Before the console's own ear: what the screen says in the frame after each message.
  await page.addInitScript(() => {
    const { WebSocket: Own, document, requestAnimationFrame } = globalThis as Any;
    const frames: Any[] = [];
    Object.assign(globalThis, { frames });
    Object.assign(globalThis, {
      WebSocket: class extends Own {
        constructor(...given: unknown[]) {
          super(...given);
          this.addEventListener('message', ({ data }: Any) => {
            const news = JSON.parse(data);
            if (!news.task_id) return;
            const row = () => document.querySelector(`a[href*="${news.task_id}"]`);
            const isShown = row() !== null;
            requestAnimationFrame(() => {
              const bar = row()?.querySelector('progress');
              if (isShown)
                frames.push({ ...news, shown: bar?.value, badge: row()?.querySelector('.badge')?.textContent });
            });
          });
        }
      },
    });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Enter as Demo One' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  const { people } = clientsOf(product);
  const { task_id } = await people.submit({ task_type: 'research_agent', input: { query: 'How are policy rates?' } });
  await people.wait(task_id);
  const row = page.locator(`a[href*="${task_id}"]`);
  await row.getByText('completed').waitFor();
  // A task that was on the screen before it moved.
  const slow = await people.submit({
    task_type: 'notification_agent',
    input: {
      notification_type: 'news',
      content: { recipients: ['ann@readers.org'], data_sources: ['news_feeds'] },
      schedule: { frequency: 'daily', time: '00:00:00' },
    },
  });
  await page.locator(`a[href*="${slow.task_id}"]`).waitFor();
  await people.cancel(slow.task_id, { force: true });
  await page.locator(`a[href*="${slow.task_id}"]`).getByText('cancelled').waitFor();
  const frames: Any[] = await page.evaluate(() => (globalThis as Any).frames);
  expect(frames.length).toBeGreaterThan(0);
  for (const { type, progress, shown, badge } of frames) {
    if (type === 'task_progress') expect(shown).toBe(progress);
    if (type === 'task_completed') expect([shown, badge]).toEqual([100, 'completed']);
    if (type === 'task_failed') expect(badge).toMatch(/failed|cancelled/);
  }
  await at.close();
});
