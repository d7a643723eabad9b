/** Files that are uploaded within a form: each of them is ticked, and sent with the task. */
import { afterEach, expect, it } from 'vitest';
import { clientsOf, type OpenConsole, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
let at: OpenConsole;
afterEach(() => at.close());

const ROUNDS = 20;
const textFile = (name: string, text = `The text of ${name}.`) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});

it('ticks each of four files that are chosen at once, twenty times in a row', { timeout: 120_000 }, async () => {
  at = await openConsole(world.browser, world.product, { place: '#/prompts/new' });
  const { page } = at;
  for (let round = 1; round <= ROUNDS; round++) {
    const names = ['sales', 'policy', 'project', 'invoice'].map((name) => `${name}-${round}.txt`);
    await page.getByLabel('Files to upload').setInputFiles(names.map((name) => textFile(name)));
    for (const name of names) await page.getByRole('checkbox', { name: new RegExp(`^${name}`) }).waitFor();
    await expect
      .poll(() => page.locator('.choose input:checked').count(), { message: `ticked files of round ${round}` })
      .toBe(names.length);
    // A reload starts with an empty form.
    await page.reload();
  }
  expect(at.complaints).toEqual([]);
});

it('extracts from stored files and uploaded ones, and lists the task by their names', async () => {
  const { files, people } = clientsOf(world.product);
  const bytes = new Blob(['Invoice number: QS-4471']);
  const { fileId } = await files.upload(bytes, { fileName: 'stored-invoice.txt', mimeType: 'text/plain' });
  at = await openConsole(world.browser, world.product, { place: '#/agents/new?type=processing_agent' });
  const { page } = at;
  await page.getByRole('checkbox', { name: /^stored-invoice\.txt/ }).check();
  await page.getByLabel('Files to upload').setInputFiles(textFile('uploaded-invoice.txt', 'Invoice number: QS-4472'));
  await page.getByRole('checkbox', { name: /^uploaded-invoice\.txt/, checked: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Invoice numbers' }).check();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.locator('.badge', { hasText: 'completed' }).first().waitFor();
  const task_id = page.url().split('/').at(-1) ?? '';
  const { input } = await people.input(task_id);
  expect(input.documents).toMatchObject([{ file_id: fileId }, { file_id: expect.any(String) }]);
  for (const number of ['QS-4471', 'QS-4472']) await page.locator('main').getByText(number).first().waitFor();
  await at.go('/agents', 'Agent tasks');
  await page.getByText('stored-invoice.txt and 1 more').waitFor();
  expect(at.complaints).toEqual([]);
});

it('researches in stored files, and reads no built-in source beside them', async () => {
  const { files } = clientsOf(world.product);
  const bytes = new Blob(['Port fees in Norhaven rose by 4 per cent in 2026, the port authority announced.']);
  await files.upload(bytes, { fileName: 'norhaven.txt', mimeType: 'text/plain' });
  at = await openConsole(world.browser, world.product, { place: '#/agents/new?type=research_agent' });
  const { page } = at;
  await page.getByLabel('What do you want to know?').fill('How did port fees change in Norhaven?');
  await page.getByRole('checkbox', { name: /^norhaven\.txt/ }).check();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.locator('article.report').getByText('rose by 4 per cent').first().waitFor();
  expect(await page.locator('article.report .sources').first().textContent()).toContain('norhaven.txt');
  expect(await page.locator('article.report').getByText('sample data').count()).toBe(0);
  expect(at.complaints).toEqual([]);
});
