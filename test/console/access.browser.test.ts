/** Every page of the console by axe, by day and by night; on a phone nothing is wider than the window; keys alone are enough. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Any } from '../any.ts';
import { freePort } from '../api/free-port.ts';
import { type Running, startLocalProduct } from '../api/local-product.ts';
import { isScrolledSideways } from '../browser/letters.ts';
import { type OpenBrowser, openBrowser } from '../browser/open-browser.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { axeFaults } from './axe-faults.ts';
import { type Furnished, furnished } from './furnished.ts';
import { openConsole } from './open-console.ts';

const folder = temporaryFolder();
let product: Running;
let browser: OpenBrowser;
let made: Furnished;

beforeAll(async () => {
  product = await startLocalProduct(join(folder.path, 'state'), await freePort());
  browser = await openBrowser();
  made = await furnished(product);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  folder.remove();
});

const PAGES: [heading: string, place: (made: Furnished) => string, ready: string][] = [
  ['Agent tasks', () => '/agents', 'a.row'],
  ['New agent task', () => '/agents/new', 'form'],
  ['New agent task', () => '/agents/new?type=processing_agent', 'form'],
  ['New agent task', () => '/agents/new?type=notification_agent', 'form'],
  ['Research agent', ({ research }) => `/agents/${research}`, 'article.report'],
  ['Notification agent', ({ recurring }) => `/agents/${recurring}`, '.badge'],
  ['Prompt tasks', () => '/prompts', 'a.row'],
  ['New prompt task', () => '/prompts/new', 'form'],
  ['Prompt task', ({ prompt }) => `/prompts/${prompt}`, '.attempt'],
  ['Files', () => '/files', '.file'],
  ['Webhooks', () => '/webhooks', '.caught summary'],
  ['Usage and limits', () => '/usage', '.plot rect'],
  ['Mails of this machine', ({ mail }) => `/mails?open=${mail}`, '.mails iframe'],
  ['There is no such page', () => '/nowhere', 'a'],
];

describe.each(['light', 'dark'] as const)('where it is %s', (colorScheme) => {
  it('has no serious fault on any page', async () => {
    const door = await openConsole(browser, product, { colorScheme, isSignedIn: false });
    expect(await axeFaults(door)).toEqual([]);
    await door.close();
    const at = await openConsole(browser, product, { colorScheme });
    for (const [heading, place, ready] of PAGES) {
      await at.go(place(made), heading);
      await at.page.locator(ready).first().waitFor();
      expect(await axeFaults(at), place(made)).toEqual([]);
    }
    expect(at.complaints).toEqual([]);
    await at.close();
  }, 120_000);
});

it('fits a phone, and has no serious fault there either', async () => {
  const at = await openConsole(browser, product, { viewport: { width: 360, height: 740 } });
  for (const [heading, place, ready] of PAGES) {
    await at.go(place(made), heading);
    await at.page.locator(ready).first().waitFor();
    expect(await isScrolledSideways(at.page), place(made)).toBe(false);
    expect(await axeFaults(at), place(made)).toEqual([]);
  }
  await at.close();
}, 120_000);

it('finds a fault where there is one, so that the tests above can fail', async () => {
  const at = await openConsole(browser, product);
  await at.page.evaluate(() => {
    const { document } = globalThis as Any;
    document.querySelector('main').append(Object.assign(document.createElement('img'), { src: 'data:,' }));
  });
  expect((await axeFaults(at)).join()).toContain('image-alt');
  await at.close();
});
