/**
 * `npm run pdf-ratio -- DIR`: the CPU time of reading the PDFs of a folder over that of plain `getTextContent` of pdf.js,
 * side by side in one run. The targets are a ratio of at most 1.5 and at least 52 pages per second.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { DOCUMENT_LIMITS } from '../../../engines/documents/document.ts';
import { readDocument } from '../../../engines/documents/read-document.ts';
import { readArguments } from '../../../scripts/arguments.ts';

const TURNS = 4;
const WANTED = { ratio: 1.5, pagesPerSecond: 52 };

const {
  positionals: [folder = ''],
} = readArguments({ command: 'npm run pdf-ratio', positionals: { usage: 'DIR', count: [1, 1] } });
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.pdf'))
  .map((name) => readFileSync(join(folder, name)));
const { assets } = readerFilesFromCheckout();

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

let pages = 0;

async function bare(): Promise<void> {
  Reflect.set(globalThis, 'DOMMatrix', Reflect.get(globalThis, 'DOMMatrix') ?? class DOMMatrix {});
  const { getDocument, VerbosityLevel } = await import('unpdf/pdfjs');
  pages = 0;
  for (const bytes of files) {
    const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: VerbosityLevel.ERRORS }).promise;
    pages += pdf.numPages;
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      await page.getTextContent();
      page.cleanup();
    }
    await pdf.loadingTask.destroy();
  }
}

async function ours(): Promise<void> {
  for (const bytes of files) await readDocument({ bytes, name: 'a.pdf' }, { limits: DOCUMENT_LIMITS, assets });
}

// The first turn is a warm-up and is not counted.
const turns: { bare: number; ours: number }[] = [];
for (let turn = 0; turn <= TURNS; turn++) turns.push({ bare: await cpuMs(bare), ours: await cpuMs(ours) });
const total = turns.slice(1).reduce((sum, turn) => ({ bare: sum.bare + turn.bare, ours: sum.ours + turn.ours }));
const ratio = total.ours / total.bare;
const pagesPerSecond = (1_000 * pages * TURNS) / total.ours;
console.log(
  `${files.length} files, ${pages} pages: ${ratio.toFixed(2)} times the CPU of bare getTextContent (at most ${WANTED.ratio}), ` +
    `${Math.round(pagesPerSecond)} pages a second (at least ${WANTED.pagesPerSecond})`,
);
if (ratio > WANTED.ratio || pagesPerSecond < WANTED.pagesPerSecond) process.exitCode = 1;
