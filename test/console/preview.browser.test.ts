/** From the form of a notification over its preview to the e-mail that its recipients get. */
import { readdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { isScrolledSideways } from '../support/browser/letters.ts';
import { axeFaults } from './axe-faults.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;
afterEach(() => at.close());

const sentMails = (): string[] => readdirSync(world.product.local.mail).filter((name) => name.endsWith('.eml'));
const button = (name: string) => at.page.getByRole('button', { name, exact: true });

async function openForm(viewport = { width: 1280, height: 900 }): Promise<void> {
  at = await openConsole(world.browser, world.product, { viewport });
  await at.go('/agents/new?type=notification_agent', 'New agent task');
}

it.each([
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
])('shows the e-mail, which nobody gets, then lets it be edited and sent at %o', async (viewport) => {
  await openForm(viewport);
  const { page } = at;
  const before = sentMails().length;
  await page.getByLabel('To', { exact: true }).fill('ann@readers.org\nbob@readers.org');
  await page.getByLabel(/^Subject/).fill('Port news');
  await page.getByLabel('With charts').check();
  await button('Preview').click();
  await page
    .getByRole('heading', { level: 1, name: 'Preview: Port news to ann@readers.org and 1 more, once' })
    .waitFor();
  await page.getByText('This is a preview, which nobody got. It would go to 2 recipients.').waitFor();
  const mail = page.getByRole('region', { name: 'The e-mail' });
  await mail.getByRole('heading', { name: 'Port news' }).waitFor();
  const inside = page.frameLocator('iframe[title="The e-mail as its recipients see it"]');
  const heading = inside.getByRole('heading', { level: 1, name: 'Port news' });
  await heading.waitFor();
  const size = await heading.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).fontSize,
  );
  expect(size).toBe('24px');
  const widths = await inside.locator('img').evaluateAll((all) => all.map((picture) => picture.naturalWidth));
  expect(widths.length).toBeGreaterThan(0);
  expect(Math.min(...widths)).toBeGreaterThan(0);
  expect(await isScrolledSideways(page)).toBe(false);
  expect(await axeFaults(at)).toEqual([]);
  expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
  expect(sentMails()).toHaveLength(before);

  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Edit and run' }).waitFor();
  await page.getByLabel(/^Subject/).fill('Port news today');
  await button('Preview').click();
  await inside.getByRole('heading', { level: 1, name: 'Port news today' }).waitFor();
  await button('Send now').click();
  await page.getByRole('heading', { level: 1, name: 'Port news today to ann@readers.org and 1 more, once' }).waitFor();
  await expect.poll(() => sentMails().length, { timeout: 20_000 }).toBe(before + 2);
  await at.go('/agents/new?type=notification_agent', 'New agent task');
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('');
  expect(at.complaints).toEqual([]);
});

it('offers for a message without a source nothing that needs one', async () => {
  await openForm();
  const { page } = at;
  const needsNews = [
    page.getByLabel('With charts'),
    page.getByLabel(/^What matters/),
    page.getByText('Condition', { exact: true }),
  ];
  for (const field of needsNews) expect(await field.count()).toBe(1);
  await page.getByLabel('Message').fill('Bring the papers.');
  for (const field of needsNews) expect(await field.count()).toBe(0);
  await page.getByLabel('News feeds').check();
  for (const field of needsNews) expect(await field.count()).toBe(1);
});

it('names the field of a condition that is not complete, and schedules what recurs', async () => {
  await openForm();
  const { page } = at;
  await page.getByLabel('To', { exact: true }).fill('ann@readers.org');
  await page.getByLabel(/^How often/).selectOption('daily');
  await page.getByLabel(/^Send only if/).selectOption('A figure is above or below');
  await page.getByLabel('Above').fill('1.25');
  await button('Schedule').click();
  await page.getByText('This is required').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('input.content.condition.figure');
  await page.getByLabel(/^Figure/).fill('US dollar');
  await page.getByLabel('Above').fill('');
  await button('Schedule').click();
  await page.getByText('needs above, below or both').waitFor();
  expect(await axeFaults(at)).toEqual([]);
  await page.getByLabel(/^Source of the figure/).fill('market_data');
  await page.getByLabel('Below').fill('-1.5');
  await button('Preview').click();
  await page.getByText(/^This is a preview, which nobody got\. Its condition does not hold now/).waitFor();
  await page.locator('iframe[title="The e-mail as its recipients see it"]').waitFor();
  await page.goBack();
  await button('Schedule').click();
  await page.getByRole('heading', { level: 1, name: /^Digest to ann@readers\.org, daily/ }).waitFor();
});
