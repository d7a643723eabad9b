/** Accessibility of every console page: axe in light and dark mode, no horizontal scrolling on a phone, keyboard use. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { isScrolledSideways } from '../support/browser/letters.ts';
import { axeFaults } from './axe-faults.ts';
import { type Furnished, furnish } from './furnish.ts';
import { openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let made: Furnished;

beforeAll(async () => {
  made = await furnish(world.product);
});

const PAGES: [heading: string, place: (made: Furnished) => string, ready: string][] = [
  ['Agent tasks', () => '/agents', 'a.row'],
  ['New agent task', () => '/agents/new', 'form'],
  ['New agent task', () => '/agents/new?type=processing_agent', 'form'],
  ['New agent task', () => '/agents/new?type=notification_agent', 'form'],
  ['How did port fees and container freight rates change?', ({ research }) => `/agents/${research}`, 'article.report'],
  ['Edit and run', ({ research }) => `/agents/new?from=${research}`, 'form'],
  ['Digest to ann@readers.org, weekly on Monday', ({ recurring }) => `/agents/${recurring}`, '.badge'],
  ['Prompt tasks', () => '/prompts', 'a.row'],
  ['New prompt task', () => '/prompts/new', 'form'],
  ['What is the rent, and when does the lease end?', ({ prompt }) => `/prompts/${prompt}`, '.attempt'],
  ['Edit and run', ({ prompt }) => `/prompts/new?from=${prompt}`, 'form'],
  ['Files', () => '/files', '.file'],
  ['Webhooks', () => '/webhooks', '.caught summary'],
  ['Usage and limits', () => '/usage', '.plot rect'],
  ['E-mails on this machine', ({ mail }) => `/mails?open=${mail}`, '.mails iframe'],
  ['There is no such page', () => '/nowhere', 'a'],
];

describe.each(['light', 'dark'] as const)('the console in %s', (colorScheme) => {
  it('has no serious accessibility fault on any page', async () => {
    const door = await openConsole(world.browser, world.product, { colorScheme, isSignedIn: false });
    expect(await axeFaults(door)).toEqual([]);
    await door.close();
    const at = await openConsole(world.browser, world.product, { colorScheme });
    for (const [heading, place, ready] of PAGES) {
      await at.go(place(made), heading);
      await at.page.locator(ready).first().waitFor();
      expect(await axeFaults(at), place(made)).toEqual([]);
    }
    expect(at.complaints).toEqual([]);
    await at.close();
  }, 120_000);
});

it('fits a phone, without a serious accessibility fault', async () => {
  const at = await openConsole(world.browser, world.product, { viewport: { width: 360, height: 740 } });
  for (const [heading, place, ready] of PAGES) {
    await at.go(place(made), heading);
    await at.page.locator(ready).first().waitFor();
    expect(await isScrolledSideways(at.page), place(made)).toBe(false);
    expect(await axeFaults(at), place(made)).toEqual([]);
  }
  await at.close();
}, 120_000);

it('finds an accessibility fault in a faulty page, so that the tests above can fail', async () => {
  const at = await openConsole(world.browser, world.product);
  await at.page.evaluate(() => {
    const { document } = globalThis as Any;
    document.querySelector('main').append(Object.assign(document.createElement('img'), { src: 'data:,' }));
  });
  expect((await axeFaults(at)).join()).toContain('image-alt');
  await at.close();
});
