/** Mails and their pages in Chromium: phone and desktop, light and dark mode. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPage } from '../../../adapters/local/mail-pages.ts';
import { askPage, donePage, unknownPage } from '../../../functions/agents/unsubscribe.ts';
import { exampleMail } from '../../engines/mail/example-mail.ts';
import { faintWords } from '../../support/browser/contrast.ts';
import { isScrolledSideways } from '../../support/browser/letters.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser/open-browser.ts';

const READABLE = 4.5;
const SMALLEST_PIXELS = 13;

let browser: OpenBrowser;
const shown = new Map<string, string>();
beforeAll(async () => {
  browser = await openBrowser();
  for (const kind of ['weekly_report', 'daily_digest', 'price_alert']) shown.set(kind, await exampleMail(kind));
  const long = {
    subject: 'W'.repeat(150),
    message: `https://errand-tests.org/${'a'.repeat(400)}\n\nText.`,
    data_sources: [],
  };
  shown.set('reminder', await exampleMail('reminder', long));
  const reader = { name: 'Acme', hint: 'a…@readers.org' };
  shown.set('asked to unsubscribe', askPage({ ...reader, hint: `${'a'.repeat(200)}@readers.org` }));
  shown.set('unsubscribed', donePage(reader));
  shown.set('no such link', unknownPage());
  shown.set('no mails', listPage([]));
});
afterAll(() => browser.close());

describe.each([
  [360, 'light'],
  [360, 'dark'],
  [800, 'light'],
] as const)('%i pixels wide and %s', (width, colorScheme) => {
  it('is readable, loads nothing and is as wide as the window', async () => {
    for (const [name, html] of shown) {
      const { page, complaints, requests } = await browser.show(html, {
        viewport: { width, height: 900 },
        colorScheme,
      });
      expect(await isScrolledSideways(page), name).toBe(false);
      expect(await faintWords(page, READABLE), name).toEqual([]);
      // The favicon, which browsers request by themselves.
      expect(
        requests.filter((address) => !address.endsWith('/favicon.ico')),
        name,
      ).toEqual([]);
      expect(complaints, name).toEqual([]);
      await page.context().close();
    }
  });

  it('has no text that is too small to read, and pictures as wide as the mail', async () => {
    for (const [name, html] of shown) {
      const { page } = await browser.show(html, { viewport: { width, height: 900 }, colorScheme });
      const sizes = await page.locator('p:visible, td:visible, h1, h2, a, button').evaluateAll((elements) =>
        elements.map((element) => {
          const { fontSize } = element.ownerDocument.defaultView.getComputedStyle(element);
          return Number.parseFloat(fontSize);
        }),
      );
      expect(Math.min(...sizes), name).toBeGreaterThanOrEqual(SMALLEST_PIXELS);
      const widths = await page
        .locator('img')
        .evaluateAll((pictures) =>
          pictures.map((picture) => [picture.naturalWidth > 0, picture.getBoundingClientRect().width] as const),
        );
      for (const [isLoaded, pixels] of widths) {
        expect(isLoaded, name).toBe(true);
        expect(pixels, name).toBeGreaterThanOrEqual(Math.min(480, width - 72));
        expect(pixels, name).toBeLessThanOrEqual(480);
      }
      await page.context().close();
    }
  });
});

it('shows the alternative text of each picture if pictures are not loaded', async () => {
  const html = shown.get('weekly_report') ?? '';
  const { page } = await browser.show(html.replaceAll(/src="data:[^"]+"/g, 'src="cid:gone"'), {
    viewport: { width: 360, height: 900 },
  });
  const words = await page.locator('img').evaluateAll((pictures) => pictures.map((picture) => picture.alt));
  expect(words.length).toBeGreaterThan(1);
  for (const one of words) expect(one).toMatch(/chart: .* from .* to /i);
  expect(await isScrolledSideways(page)).toBe(false);
  await page.context().close();
});

it('can be unsubscribed by keyboard only', async () => {
  const { page } = await browser.show(shown.get('unsubscribed') ?? '');
  expect(await page.locator('[role=status]').count()).toBe(1);
  await page.setContent(shown.get('asked to unsubscribe') ?? '');
  await page.keyboard.press('Tab');
  expect(await page.locator('button:focus').count()).toBe(1);
  const box = await page.locator('button').boundingBox();
  expect(box?.height ?? 0).toBeGreaterThanOrEqual(44);
  await page.context().close();
});
