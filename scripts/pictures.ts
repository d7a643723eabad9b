/** Writes the pictures of docs/images: charts, a report, mails and the console as people see them. `npm run pictures` */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fontFilesFromCheckout } from '../engines/assets/checkout-files.ts';
import { chartPng } from '../engines/charts/chart-image.ts';
import { exampleCharts } from '../test/engines/charts/example-charts.ts';
import { exampleReport } from '../test/engines/reports/example-report.ts';
import { render, textOf } from '../test/engines/reports/setup.ts';
import { openBrowser } from '../test/support/browser/open-browser.ts';
import { demandProgram, pdftoppm } from '../test/support/browser/programs.ts';
import { readArguments } from './arguments.ts';
import { pictureConsole } from './pictures/console.ts';
import { pictureMails } from './pictures/mails.ts';

const images = join(import.meta.dirname, '../docs/images');
const into = (name: string) => join(images, `${name}.png`);

async function pictureCharts(): Promise<void> {
  const paint = chartPng(fontFilesFromCheckout());
  const line = await paint(exampleCharts['policy rates'], { widthPixels: 640, scale: 1.5 });
  const bars = await paint(exampleCharts.margins, { widthPixels: 360, scale: 1.5 });
  writeFileSync(into('chart-lines'), line.bytes);
  writeFileSync(into('chart-bars-phone'), bars.bytes);
}

async function picturePages(): Promise<void> {
  const { show, close } = await openBrowser();
  const html = await textOf(exampleReport, 'html');
  const windows = [
    ['report-phone', { viewport: { width: 360, height: 1_500 }, colorScheme: 'light' }],
    ['report-night', { viewport: { width: 860, height: 1_300 }, colorScheme: 'dark' }],
  ] as const;
  for (const [name, options] of windows) {
    const { page } = await show(html, options);
    await page.screenshot({ path: into(name) });
  }
  await close();
}

async function picturePdfReport(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-pictures-'));
  try {
    const file = join(folder, 'report.pdf');
    writeFileSync(file, (await render(exampleReport, 'pdf')).bytes);
    const page = ['-r', '72', '-f', '2', '-l', '2', '-png', '-singlefile', file, join(images, 'report-paper')];
    await promisify(execFile)(await demandProgram(pdftoppm), page);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

readArguments({ command: 'npm run pictures' });
mkdirSync(images, { recursive: true });
await pictureCharts();
await picturePages();
await picturePdfReport();
await pictureMails(into);
await pictureConsole(into);
