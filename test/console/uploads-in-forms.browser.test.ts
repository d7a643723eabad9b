/** Files that are uploaded within a form: each of them is ticked, and sent with the task. */
import { afterEach, expect, it } from 'vitest';
import { type OpenConsole, openConsole } from './open-console.ts';
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
