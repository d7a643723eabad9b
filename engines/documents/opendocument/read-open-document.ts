/** ODT, ODS and ODP, which share one way of writing: a text in sections, a sheet or a slide a part. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown/blocks.ts';
import type { ReadingBudget } from '../markdown/budget.ts';
import { sectionsOf } from '../markdown/sections.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, type XmlElement } from '../markup/parse-xml.ts';
import type { ReaderInput } from '../read-document.ts';
import { sheetTables } from '../sheets/tables-of.ts';
import { openZip, type Zip } from '../zip/open-zip.ts';
import { readFlow } from './read-flow.ts';
import { sheetRows } from './sheet-rows.ts';

export function readOpenDocument({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  if (isEncrypted(zip)) throw unreadable('encrypted');
  const file = zip.entry('content.xml');
  const body = file && firstOf(parseXml(file), 'body');
  const [main] = body ? elementsOf(body) : [];
  switch (main?.name) {
    case 'text':
      return [...sectionsOf(flow(main, budget).all), ...marginsOf(zip, budget)];
    case 'spreadsheet':
      return allOf(main, 'table').flatMap((sheet) =>
        sheetTables(sheetRows(sheet, budget), budget, attribute(sheet, 'name') ?? ''),
      );
    case 'presentation':
      return allOf(main, 'page').map((page, at) => ({ label: `slide ${at + 1}`, text: slideText(page, budget) }));
    default:
      throw unreadable('corrupt');
  }
}

function isEncrypted(zip: Zip): boolean {
  const manifest = zip.entry('META-INF/manifest.xml');
  return manifest?.includes('encryption-data') ?? false;
}

function flow(root: XmlElement, budget: ReadingBudget): MarkdownBlocks {
  const blocks = markdownBlocks(budget);
  readFlow(blocks, root);
  return blocks;
}

/** Headers and footers belong to the master pages. */
function marginsOf(zip: Zip, budget: ReadingBudget): DocumentPart[] {
  const file = zip.entry('styles.xml');
  const masters = file ? firstOf(parseXml(file), 'master-styles') : undefined;
  return ['header', 'footer'].flatMap((name) => {
    const texts = allOf(masters, name).map((margin) => joinBlocks(flow(margin, budget).all));
    return [...new Set(texts)].map((text) => ({ label: name, text }));
  });
}

function slideText(page: XmlElement, budget: ReadingBudget): string {
  const blocks = flow(page, budget);
  const notes = childOf(page, 'notes');
  const spoken = notes ? joinBlocks(flow(notes, budget).all) : '';
  if (spoken !== '') blocks.paragraph(`Notes: ${spoken}`);
  return joinBlocks(blocks.all);
}
