/** Takes pictures of a mail made from the sample corpora, and of the page behind its link. */

import { exampleMail, examplePage } from '../../test/engines/mail/example-mail.ts';
import { openBrowser } from '../../test/support/browser/open-browser.ts';

export async function pictureMails(into: (name: string) => string): Promise<void> {
  const report = await exampleMail('weekly_report');
  const { show, close } = await openBrowser();
  const windows = [
    ['mail-phone', report, { viewport: { width: 360, height: 2_200 }, colorScheme: 'light' }],
    ['mail-phone-dark', report, { viewport: { width: 360, height: 1_000 }, colorScheme: 'dark' }],
    ['mail-desk', report, { viewport: { width: 800, height: 1_500 }, colorScheme: 'light' }],
    ['unsubscribe', examplePage, { viewport: { width: 640, height: 320 }, colorScheme: 'light' }],
  ] as const;
  for (const [name, html, options] of windows) {
    const { page } = await show(html, options);
    await page.screenshot({ path: into(name) });
  }
  await close();
}
