/** Draws the pictures of mails in docs/images: `node scripts/mail-pictures.ts`. They are made of the sample corpora. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../test/browser/open-browser.ts';
import { exampleMail, examplePage } from '../test/mail/example-mail.ts';

const INTO = join(import.meta.dirname, '..', 'docs', 'images');

type Picture = { name: string; html: string; width: number; height: number; colorScheme?: 'light' | 'dark' };

const report = await exampleMail('weekly_report');
const pictures: Picture[] = [
  { name: 'mail-phone', html: report, width: 360, height: 2_200 },
  { name: 'mail-phone-dark', html: report, width: 360, height: 1_000, colorScheme: 'dark' },
  { name: 'mail-desk', html: report, width: 800, height: 1_500 },
  { name: 'unsubscribe', html: examplePage, width: 640, height: 320 },
];
const browser = await openBrowser();
for (const { name, html, width, height, colorScheme = 'light' } of pictures) {
  const { page } = await browser.show(html, { viewport: { width, height }, colorScheme });
  writeFileSync(join(INTO, `${name}.png`), await page.screenshot());
  await page.context().close();
}
await browser.close();
