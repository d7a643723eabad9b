/** Files in the console: uploads with progress, by button and drag and drop; download and delete. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { clientsOf, type OpenConsole, openConsole } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
const MEGABYTE = 1_000_000;
let at: OpenConsole;

beforeAll(async () => {
  at = await openConsole(world.browser, world.product, { place: '#/files' });
  await at.page.getByRole('heading', { name: 'Files' }).waitFor();
});

function fileOf(name: string, size: number): string {
  const path = join(world.folder, name);
  writeFileSync(path, 'one line of text\n'.repeat(Math.ceil(size / 17)).slice(0, size));
  return path;
}

const row = (name: string) =>
  at.page.getByRole('list', { name: 'Files' }).getByRole('listitem').filter({ hasText: name });

it('uploads with the progress of the browser, which never falls', async () => {
  const { page, complaints } = at;
  // Slow enough to observe the progress.
  const slow = await page.context().newCDPSession(page);
  const speed = { offline: false, latency: 5, downloadThroughput: -1, uploadThroughput: 6 * MEGABYTE };
  await slow.send('Network.emulateNetworkConditions', speed);
  await page.evaluate(() => {
    const { document, requestAnimationFrame } = globalThis as Any;
    const seen: number[] = [];
    Object.assign(globalThis, { seen });
    const look = () => {
      const bar = document.querySelector('.upload progress');
      if (bar && seen.at(-1) !== bar.value) seen.push(bar.value);
      requestAnimationFrame(look);
    };
    look();
  });
  const way = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByLabel('Files to upload').setInputFiles(fileOf('report.txt', 8 * MEGABYTE));
  expect((await way).resourceType()).toBe('xhr');
  await row('report.txt').waitFor();
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.length).toBeGreaterThan(4);
  expect(seen.at(-1)).toBe(100);
  await slow.send('Network.emulateNetworkConditions', { ...speed, latency: 0, uploadThroughput: -1 });
  expect(complaints).toEqual([]);
});

it('accepts several dropped files, and none of their folders', async () => {
  const transfer = await at.page.evaluateHandle(() => {
    const { DataTransfer, File } = globalThis as Any;
    const data = new DataTransfer();
    for (const name of ['first.txt', 'second.csv'])
      data.items.add(new File(['a,b\n1,2\n'], name, { type: 'text/plain' }));
    return data;
  });
  const zone = at.page.locator('.drop-zone');
  await zone.dispatchEvent('dragover', { dataTransfer: transfer });
  expect(await zone.getAttribute('class')).toContain('over');
  await zone.dispatchEvent('drop', { dataTransfer: transfer });
  await row('first.txt').waitFor();
  await row('second.csv').waitFor();
  expect(await zone.getAttribute('class')).not.toContain('over');
});

it('shows and hides the text of a file, as agents read it', async () => {
  const { page, complaints } = at;
  await page.getByLabel('Files to upload').setInputFiles({
    name: 'note.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# <b>Rent</b>\n\n[Due](//x.org) in May.'),
  });
  const button = row('note.md').getByRole('button', { name: 'Text of note.md' });
  await button.click();
  const text = row('note.md').getByRole('region', { name: 'Text of note.md' });
  await text.waitFor();
  expect(await text.textContent()).toBe('<!-- lines 1-3 -->\n# <b>Rent</b>\n\n[Due](//x.org) in May.\n');
  expect(await text.getByRole('link').count()).toBe(0);
  await button.click();
  await text.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it('shows why a file is rejected, with the request id, and lets the user remove it', async () => {
  const { page, complaints } = at;
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
  const alert = page.getByRole('alert');
  await alert.getByText('Unsupported file type: .exe').waitFor();
  expect(await alert.textContent()).toMatch(/Request id [0-9a-f-]{36}/);
  await page.getByRole('button', { name: 'Remove setup.exe' }).click();
  await alert.waitFor({ state: 'detached' });
  // The browser logs every answer that is not a success.
  expect(complaints.splice(0).join()).toContain('400 (Bad Request)');
});

it('stops an upload in progress when the user cancels it', async () => {
  const { page } = at;
  const slow = await page.context().newCDPSession(page);
  await slow.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 200_000,
  });
  await page.getByLabel('Files to upload').setInputFiles(fileOf('never.txt', 4 * MEGABYTE));
  await page.getByRole('button', { name: 'Cancel never.txt' }).click();
  await page.locator('.upload', { hasText: 'never.txt' }).waitFor({ state: 'detached' });
  await slow.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  for await (const { fileName } of clientsOf(world.product).files.list()) expect(fileName).not.toBe('never.txt');
});

it("downloads the exact bytes under the file's name, and stays on the page", async () => {
  const { page } = at;
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download report.txt' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('report.txt');
  const saved = join(world.folder, 'saved');
  await download.saveAs(saved);
  expect(readFileSync(saved).equals(readFileSync(join(world.folder, 'report.txt')))).toBe(true);
  await page.getByRole('heading', { name: 'Files' }).waitFor();
});

it('deletes a file after a confirmation', async () => {
  const { page, complaints } = at;
  await page.getByRole('button', { name: 'Delete first.txt', exact: true }).click();
  expect(await row('first.txt').count()).toBe(1);
  await page.getByRole('button', { name: 'Really delete first.txt' }).click();
  await row('first.txt').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
