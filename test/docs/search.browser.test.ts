/** The search in a browser: it works by keyboard, marks what was found, leads to a heading, and says where to start if nothing fits. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { docsServer } from '../../bin/local/docs-server.ts';
import { type OpenBrowser, openBrowser } from '../support/browser/open-browser.ts';

const roots = { files: 'http://127.0.0.1:4000', agents: 'http://127.0.0.1:4001' };
const server = createServer(docsServer({ roots, organizations: [] }));
let browser: OpenBrowser;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

async function openDocs(viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/guides/files.html`);
  return page;
}

const DESK = { width: 1280, height: 820 };
const PHONE = { width: 390, height: 844 };

it('marks the words of a hit, and opens its heading by the keyboard alone', async () => {
  const page = await openDocs(DESK);
  await page.keyboard.press('/');
  await page.keyboard.type('webhook signature');
  const first = page.locator('#found li a').first();
  await first.waitFor();
  expect(await first.locator('mark').allTextContents()).toContain('signatures');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/guides/webhooks.html#verify-signatures');
});

it('closes when a hit leads to a heading of the page itself', async () => {
  const page = await openDocs(DESK);
  await page.locator('#search').fill('upload limits');
  await page.locator('#found a[href$="files.html#upload-limits"]').click();
  await page.locator('#found').waitFor({ state: 'hidden' });
  expect(page.url()).toMatch(/#upload-limits$/);
});

it('names the word that no page has, and says where to start', async () => {
  const page = await openDocs(DESK);
  await page.locator('#search').fill('xyzzy');
  const start = page.locator('#found .start');
  await start.waitFor();
  expect(await page.locator('#found [role=status]').textContent()).toBe('No page has “xyzzy”.');
  await start.getByRole('link', { name: 'tutorial' }).click();
  await page.waitForURL('**/docs/tutorial.html');
});

it('offers no place to start beside hits', async () => {
  const page = await openDocs(DESK);
  await page.locator('#search').fill('webhook');
  await page.locator('#found li a').first().waitFor();
  expect(await page.locator('#found .start').isVisible()).toBe(false);
});

it('stays inside the window of a phone', async () => {
  const page = await openDocs(PHONE);
  await page.locator('#search').fill('create api key');
  await page.locator('#found li a').first().waitFor();
  const box = await page.locator('#found').boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
});
