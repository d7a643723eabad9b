/** Takes pictures of the console on a product with content on each page, and of the output of `npm start`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startBlock } from '../../bin/local/start.ts';
import { escapeHtml } from '../../shared/core/console-page.ts';
import { type Furnished, furnish } from '../../test/console/furnish.ts';
import { type OpenConsole, openConsole } from '../../test/console/open-console.ts';
import { startLocalProduct } from '../../test/functions/over-http/local-product.ts';
import { type OpenBrowser, openBrowser } from '../../test/support/browser/open-browser.ts';

const PORT = 4000;

type Into = (name: string) => string;
type Picture = {
  name: string;
  place: (furnished: Furnished) => string;
  heading: string;
  ready: string;
  options: object;
};

const desktop = { width: 1280, height: 820 };
const phone = { width: 390, height: 844 };

const PICTURES: Picture[] = [
  {
    name: 'console-tasks',
    place: () => '/agents',
    heading: 'Agent tasks',
    ready: 'a.row',
    options: { viewport: { ...desktop, height: 520 } },
  },
  {
    name: 'console-report',
    place: ({ research }) => `/agents/${research}`,
    heading: 'How did port fees and container freight rates change?',
    ready: 'article.report',
    options: { viewport: { ...desktop, height: 1_080 } },
  },
  {
    name: 'console-report-night',
    place: ({ research }) => `/agents/${research}`,
    heading: 'How did port fees and container freight rates change?',
    ready: 'article.report',
    options: { viewport: phone, colorScheme: 'dark' },
  },
  {
    name: 'console-usage',
    place: () => '/usage',
    heading: 'Usage and limits',
    ready: '.plot rect',
    options: { viewport: desktop },
  },
  {
    name: 'console-webhooks',
    place: () => '/webhooks',
    heading: 'Webhooks',
    ready: '.caught summary',
    options: { viewport: desktop },
  },
  {
    name: 'console-files-night',
    place: () => '/files',
    heading: 'Files',
    ready: '.file',
    options: { viewport: { ...desktop, height: 520 }, colorScheme: 'dark' },
  },
  {
    name: 'console-mails',
    place: ({ mail }) => `/mails?open=${mail}`,
    heading: 'E-mails on this machine',
    ready: '.mails iframe',
    options: { viewport: desktop },
  },
];

export async function pictureConsole(into: Into): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-pictures-'));
  const product = await startLocalProduct(join(folder, 'state'), PORT);
  const browser = await openBrowser();
  try {
    const furnished = await furnish(product);
    for (const picture of PICTURES) {
      const at = await openConsole(browser, product, { deviceScaleFactor: 1.5, ...picture.options });
      await take(at, picture, furnished, into);
      await at.close();
    }
    const where = {
      state: '~/errand/.errand',
      file: '~/errand/.errand/local.json',
      sources: [],
      unreached: [],
      models: { facts: [], detected: {} },
    };
    await pictureStart(browser, startBlock(product.local, where), into);
  } finally {
    await browser.close();
    await product.stop();
    rmSync(folder, { recursive: true });
  }
}

async function take(
  { page, go }: OpenConsole,
  { name, place, heading, ready }: Picture,
  furnished: Furnished,
  into: Into,
) {
  await go(place(furnished), heading);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: into(name) });
}

const TERMINAL = `body { margin: 0; padding: 20px 24px; background: #16171b; color: #d7d8df; font: 13px/1.5 'DejaVu Sans Mono', monospace }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere } b { color: #fff } i { color: #6fd79a; font-style: normal }`;

async function pictureStart({ show }: OpenBrowser, block: string, into: Into): Promise<void> {
  const lines = stripVTControlCharacters(block).trim().split('\n').map(escapeHtml);
  const markedLines = lines.map((line) =>
    line.replace(/^ {2}(\S[^:]*?)(?= {2,}|$)/, '  <b>$1</b>').replace(/^(Errand .* ready\.)$/, '<i>$1</i>'),
  );
  const html = `<!doctype html><style>${TERMINAL}</style><pre><span style="color:#8d8e99">$ npm start</span>\n\n${markedLines.join('\n')}</pre>`;
  const { page } = await show(html, { viewport: { width: 860, height: 200 }, deviceScaleFactor: 1.5 });
  await page.screenshot({ path: into('start'), fullPage: true });
}
