/** The console of a running local product in Chromium; records every error of the page. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { agents } from '../../client/src/agents.ts';
import { filesAndTasks } from '../../client/src/files-and-tasks.ts';
import type { Running } from '../functions/over-http/local-product.ts';
import type { Any } from '../support/any.ts';
import type { OpenBrowser } from '../support/browser/open-browser.ts';

export type OpenConsole = {
  page: Page;
  /** Errors of the page and of the browser, CSP violations included. */
  complaints: string[];
  /** Opens a page of the console, and waits for its heading. */
  go(place: string, heading: string): Promise<void>;
  close(): Promise<void>;
};

type Options = BrowserContextOptions & { place?: string; isSignedIn?: boolean; as?: string };

export const rootOf = ({ local }: Running): string => `${new URL(local.filesAndTasks.baseUrl).origin}/`;

export async function openConsole(
  { browser }: OpenBrowser,
  product: Running,
  { place = '', isSignedIn = true, as = 'Demo One', ...options }: Options = {},
): Promise<OpenConsole> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(12_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(rootOf(product) + place);
  if (isSignedIn) await enter(page, as);
  return {
    page,
    complaints,
    async go(to, heading) {
      await page.evaluate((hash) => Object.assign((globalThis as Any).location, { hash }), to);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    },
    close: () => context.close(),
  };
}

export async function enter(page: Page, as: string): Promise<void> {
  await page.getByRole('button', { name: `Enter as ${as}` }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}

/** Both APIs as the first demo organization. */
export function clientsOf({ local }: Running) {
  const [{ username, password, apiKey } = { username: '', password: '', apiKey: '' }] = local.organizations;
  return {
    people: agents({ ...local.agents, login: { username, password } }),
    ...filesAndTasks({ ...local.filesAndTasks, apiKey }),
  };
}
