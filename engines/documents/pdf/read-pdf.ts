/** PDF: one part for each page; its lines are put together again to paragraphs, headings and tables. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { joinBlocks, markdownBlocks } from '../markdown/blocks.ts';
import type { ReaderInput } from '../read-document.ts';
import { checkOperators } from './check-operators.ts';
import { faxesIn } from './faxes-in.ts';
import { fieldsOf } from './fields-of.ts';
import { headingLevels } from './heading-levels.ts';
import { linesOf, type PdfLine } from './lines-of.ts';
import { openPdf, type PdfPage } from './open-pdf.ts';
import { readScan } from './read-scan.ts';
import { writePage } from './write-page.ts';

type PageContent = { lines: PdfLine[]; fields: string[]; scanned: string | undefined };

export async function readPdf(reading: ReaderInput): Promise<DocumentPart[]> {
  const { bytes, budget, limits } = reading;
  await checkOperators(bytes, limits.operators);
  const pdf = await openPdf(bytes);
  if (pdf.numPages > limits.pages) throw unreadable('tooLarge');
  const pages: PageContent[] = [];
  const scans = { count: 0, faxes: faxesIn(bytes) };
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const lines = await linesIn(page);
    for (const { text } of lines) budget.countText(text);
    const scanned = lines.length === 0 ? await readScan(page, reading, scans) : '';
    pages.push({ lines, fields: await fieldsOf(page), scanned });
    page.cleanup();
  }
  await pdf.loadingTask.destroy();
  const isBlank = pages.every(({ lines, fields, scanned }) => lines.length + fields.length === 0 && !scanned);
  if (isBlank && pages.some(({ scanned }) => scanned === undefined)) throw unreadable('pictures');
  const levelOf = headingLevels(pages.flatMap(({ lines }) => lines));
  return pages.map(({ lines, fields, scanned }, at) => {
    const blocks = markdownBlocks(budget);
    writePage(blocks, lines, levelOf);
    blocks.paragraph(scanned ?? '');
    for (const field of fields) blocks.item(field, 0);
    return { label: `page ${at + 1}`, text: joinBlocks(blocks.all) };
  });
}

async function linesIn(page: PdfPage): Promise<PdfLine[]> {
  const { items } = await page.getTextContent();
  return linesOf(items.flatMap((item) => ('str' in item ? [item] : [])));
}
