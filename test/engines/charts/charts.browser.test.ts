import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fontFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import type { Chart } from '../../../engines/charts/chart.ts';
import { chartPng, chartSvg } from '../../../engines/charts/chart-image.ts';
import { faultsOfLetters, isScrolledSideways } from '../../support/browser/letters.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser/open-browser.ts';
import { pixelsOf } from '../../support/browser/pixels.ts';
import { anyChart } from './any-chart.ts';
import { exampleCharts } from './example-charts.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const examples = Object.entries<Chart>(exampleCharts);
const paint = chartPng(fontFilesFromCheckout());
const pageOf = (drawing: string) => `<!doctype html><html lang="en"><body style="margin:0">${drawing}</body></html>`;

describe.each([240, 360, 620, 800, 1200])('at a width of %i pixels', (widthPixels) => {
  it('cuts no letter off and lays none on another, whatever the chart', async () => {
    const { page, complaints, requests } = await browser.show(pageOf(''), {
      viewport: { width: widthPixels, height: 900 },
    });
    for (const [name, chart] of examples) {
      await page.setContent(pageOf(chartSvg(chart, { widthPixels })));
      expect(await faultsOfLetters(page), name).toEqual([]);
      expect(await isScrolledSideways(page), name).toBe(false);
    }
    expect([...complaints, ...requests]).toEqual([]);
    await page.context().close();
  });
});

it('cuts off no letter and overlaps none in random charts', async () => {
  const { page } = await browser.show(pageOf(''));
  for (const [at, chart] of fc.sample(anyChart, { numRuns: 40, seed: 18 }).entries()) {
    const widthPixels = [240, 336, 700][at % 3] ?? 0;
    await page.setContent(pageOf(chartSvg(chart, { widthPixels, withTitle: at % 2 === 0 })));
    expect(await faultsOfLetters(page), JSON.stringify({ widthPixels, chart })).toEqual([]);
  }
  await page.context().close();
});

it('shows something in each picture, and each series in a colour', async () => {
  const { page } = await browser.show(pageOf(''));
  for (const [name, chart] of examples) {
    const { bytes } = await paint(chart, { widthPixels: 360, scale: 2 });
    const { width, colours, share } = await pixelsOf(page, bytes);
    expect(width).toBe(720);
    expect(colours, name).toBeGreaterThan(name === 'no values' ? 8 : 20);
    expect(share, name).toBeGreaterThan(name === 'no values' ? 0.003 : 0.015);
    expect(share, name).toBeLessThan(0.6);
  }
  await page.context().close();
});

it('finds letters that are cut off and that lie on others, so that the tests above can fail', async () => {
  const svg = (texts: string) => pageOf(`<svg width="100" height="40" font-size="12">${texts}</svg>`);
  const { page } = await browser.show(svg('<text x="80" y="20">beyond</text>'));
  expect(await faultsOfLetters(page)).toEqual(['"beyond" leaves its drawing of 100 pixels']);
  await page.setContent(svg('<text x="5" y="20">one</text><text x="9" y="22">two</text>'));
  expect(await faultsOfLetters(page)).toEqual(['"one" lies on "two"']);
  await page.context().close();
});
