/** A headless Chromium that shows our pages, has no network, and records every error. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { demandProgram, chromium as program } from './programs.ts';

type Shown = { page: Page; complaints: string[]; requests: string[] };

export type OpenBrowser = {
  /** A page with this HTML. Its network requests are refused and recorded. */
  show: (html: string, options?: BrowserContextOptions) => Promise<Shown>;
  close: () => Promise<void>;
  browser: Browser;
};

/** A proxy that does not exist, so that no names are resolved. */
const ADDRESS = 'http://page.invalid/';

export async function openBrowser(): Promise<OpenBrowser> {
  const executablePath = await demandProgram(program);
  // Chromium has no sandbox as root, which runs tests in containers; their /dev/shm is too small for a page.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return {
    browser,
    close: () => browser.close(),
    show: async (html, options = {}) => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const shown: Shown = { page, complaints: [], requests: [] };
      page.on('console', (message) => {
        if (/error|warning/.test(message.type())) shown.complaints.push(message.text());
      });
      page.on('pageerror', (error) => shown.complaints.push(String(error)));
      await page.route('**/*', (route) => {
        const address = route.request().url();
        if (address === ADDRESS) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
        shown.requests.push(address);
        return route.abort();
      });
      await page.goto(ADDRESS);
      return shown;
    },
  };
}
