/** Webhooks in the console: a test event, received webhooks, the deliveries of a task and redelivery. */
import { beforeAll, expect, it } from 'vitest';
import { clientsOf, type OpenConsole, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;

beforeAll(async () => {
  at = await openConsole(world.browser, world.product);
});

const caughtItems = () => at.page.getByRole('list', { name: 'Caught webhooks' }).getByRole('listitem');

it('sends a test event to its own receiver, and shows that the signature is valid', async () => {
  const { page } = at;
  await at.go('/webhooks', 'Webhooks');
  expect(await page.getByLabel('Your address').inputValue()).toBe(`${rootOf(world.product)}catch/`);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Answered with 200').waitFor();
  const first = caughtItems().first();
  await first.getByText('Signature valid').click();
  await first.getByText('"event_type": "task_completed"').waitFor();
  expect(await first.textContent()).toContain('webhook-signature');
});

it('shows foreign content as plain text', async () => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const headers = { 'x-evil': evil };
  await fetch(`${rootOf(world.product)}catch/?${encodeURIComponent(evil)}`, { method: 'POST', headers, body: evil });
  const newest = caughtItems().first();
  await newest.getByText('No valid signature').click();
  await newest.locator('pre', { hasText: evil }).waitFor();
  expect(await at.page.locator('main img, main script').count()).toBe(0);
  expect(await at.page.title()).toBe('Webhooks · Errand');
});

it("shows a task's delivery with its failed attempt, and redelivers it on request", async () => {
  const { page } = at;
  const { people } = clientsOf(world.product);
  const webhook_url = `${rootOf(world.product)}catch/mine?answer=410`;
  const { task_id } = await people.submit({
    task_type: 'research_agent',
    input: { query: 'How are policy rates?' },
    webhook_url,
  });
  await people.wait(task_id);
  await at.go(`/agents/${task_id}`, 'How are policy rates?');
  const delivery = page.getByRole('article', { name: `Delivery to ${webhook_url}` });
  await delivery.getByText('Answered with 410').waitFor();
  await delivery.getByText('Rejected, as the URL asks.').waitFor();
  await delivery.getByText('exhausted').waitFor();
  await delivery.getByRole('button', { name: 'Redeliver' }).click();
  await delivery.getByText('#2').waitFor();
  expect(await delivery.getByText('Answered with 410').count()).toBe(2);
  const deliveries = await people.deliveries(task_id);
  expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([2]);
});

it('says why a URL is rejected', async () => {
  const { page, complaints } = at;
  await at.go('/webhooks', 'Webhooks');
  const address = page.getByLabel('Your address');
  const alert = page.getByRole('alert');
  for (const [kind, wrong] of [
    ['agents', 'http://192.168.0.1/'],
    ['tasks', 'ftp://x'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Event' }).selectOption(kind);
    await address.fill(wrong);
    await page.getByRole('button', { name: 'Send' }).click();
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/Correct the marked fields.*Request id [0-9a-f-]{36}/);
    expect(await alert.textContent()).not.toMatch(/webhook_url|endpoint/);
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#address-fault').textContent()).toBe('This must be a public HTTPS URL');
    await address.fill('');
    await alert.waitFor({ state: 'detached' });
  }
  // The browser logs every answer that is not a success.
  expect(complaints.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
});

it('says what is wrong with a list that a URL requests', async () => {
  const { page } = at;
  await at.go('/agents?status=bogus', 'Agent tasks');
  const alert = page.getByRole('alert');
  await alert.getByText('Status must be one or more of pending').waitFor();
  expect(await alert.textContent()).not.toContain('marked');
  expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('bogus');
  await page.getByRole('combobox', { name: 'Status' }).selectOption('completed');
  await alert.waitFor({ state: 'detached' });
});
