import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faintWords } from '../../support/browser/contrast.ts';
import { faultsOfLetters, isScrolledSideways } from '../../support/browser/letters.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser/open-browser.ts';
import { pixelsOf } from '../../support/browser/pixels.ts';
import { demandProgram, pdftoppm } from '../../support/browser/programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openReader } from '../documents/setup.ts';
import { exampleReport } from './example-report.ts';
import { hostileReport } from './hostile-report.ts';
import { render, textOf } from './setup.ts';

const folder = temporaryFolder();
const documents = openReader();
const html = await textOf(exampleReport, 'html');
const hostile = await textOf(hostileReport, 'html');
let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  folder.remove();
});

const themes = ['light', 'dark'] as const;
const sizes = [
  ['a phone', { width: 360, height: 740 }],
  ['a window', { width: 800, height: 900 }],
  ['a screen', { width: 1280, height: 900 }],
] as const;

describe.each(themes)('a report in the %s', (colorScheme) => {
  it.each(sizes)('is read on %s: nothing cut off, nothing faint, nothing loaded, no complaint', async (_, viewport) => {
    const { page, complaints, requests } = await browser.show(html, { viewport, colorScheme });
    expect(await faultsOfLetters(page)).toEqual([]);
    expect(await isScrolledSideways(page)).toBe(false);
    expect(await faintWords(page, 4.5)).toEqual([]);
    const { colours, share } = await pixelsOf(page, await page.screenshot({ fullPage: true }));
    expect(colours).toBeGreaterThan(100);
    expect(share).toBeGreaterThan(0.05);
    expect([complaints, requests]).toEqual([[], []]);
    await page.context().close();
  });
});

it('shows each chart once, as large as its letters need', async () => {
  for (const [, viewport] of sizes) {
    const { page } = await browser.show(html, { viewport });
    expect(await page.locator('figure svg:visible').count()).toBe(3);
    const sizesOfLetters = await page
      .locator('figure svg:visible')
      .evaluateAll((drawings) =>
        drawings.map((drawing) => drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width),
      );
    for (const scale of sizesOfLetters) expect(scale).toBeGreaterThan(0.93);
    await page.context().close();
  }
});

it('tells a table and a chart to those who do not see them', async () => {
  const { page } = await browser.show(html);
  const table = page.getByRole('table', { name: 'Policy rates at the end of the quarter' });
  expect(await table.getByRole('columnheader').allTextContents()).toEqual([
    'Central bank',
    'Q1 2025',
    'Q2 2025',
    'Remark',
  ]);
  expect(await page.getByRole('img', { name: /^Bar chart: Revenue by quarter, in million EUR/ }).count()).toBe(1);
  expect(await page.getByRole('link', { name: 'Source 3' }).first().getAttribute('href')).toBe('#source-3');
  await page.context().close();
});

describe('a report on paper', () => {
  it('is by day whatever the screen is, with its tables whole and without what only a screen can open', async () => {
    const { page } = await browser.show(html, { viewport: { width: 680, height: 900 }, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    expect(await faultsOfLetters(page)).toEqual([]);
    expect(await isScrolledSideways(page)).toBe(false);
    expect(await faintWords(page, 4.5)).toEqual([]);
    expect(await page.locator('details:visible, nav:visible').count()).toBe(0);
    await page.context().close();
  });

  it('is printed by the browser with its whole text', async () => {
    const { page } = await browser.show(html);
    const { parts } = await documents.read({ bytes: await page.pdf({ format: 'A4' }), name: 'printed.pdf' });
    expect(parts.length).toBeGreaterThan(1);
    const text = parts.map((part) => part.text).join(' ');
    for (const { heading } of exampleReport.sections) expect(text).toContain(heading);
    await page.context().close();
  });
});

describe('a report that gives orders', () => {
  it.each(sizes)('has none of them followed, and stays in the window, on %s', async (_, viewport) => {
    const { page, complaints, requests } = await browser.show(hostile, { viewport });
    expect([complaints, requests]).toEqual([[], []]);
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('script, img, iframe').count()).toBe(0);
    expect(await isScrolledSideways(page)).toBe(false);
    expect(await faultsOfLetters(page)).toEqual([]);
    await page.context().close();
  });
});

it('shows pages of a PDF as another reader paints them: none empty, all white around, charts in their colours', async () => {
  const file = join(folder.path, 'report.pdf');
  writeFileSync(file, (await render(exampleReport, 'pdf')).bytes);
  const { stderr } = await promisify(execFile)(await demandProgram(pdftoppm), [
    '-r',
    '60',
    '-png',
    file,
    join(folder.path, 'page'),
  ]);
  expect(stderr).toBe('');
  const { page } = await browser.show('');
  for (const number of [1, 2, 3]) {
    const { width, colours, share } = await pixelsOf(page, readFileSync(join(folder.path, `page-${number}.png`)));
    expect(width).toBe(497);
    expect(colours).toBeGreaterThan(200);
    expect(share).toBeGreaterThan(0.05);
    expect(share).toBeLessThan(0.4);
  }
  await page.context().close();
});
