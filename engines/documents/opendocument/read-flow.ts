/** The flowing text of an OpenDocument: headings, paragraphs, lists, tables, frames and notes. */
import type { MarkdownBlocks } from '../markdown/blocks.ts';
import { allOf, attribute, childOf, elementsOf, type XmlElement } from '../markup/parse-xml.ts';
import { inlineText } from './inline.ts';

const SKIPPED_BLOCKS = new Set(['tracked-changes', 'forms', 'notes', 'annotation', 'sequence-decls', 'desc', 'title']);

/** `depth` is that of the list we are in, 0 outside of all. */
export function readFlow(blocks: MarkdownBlocks, parent: XmlElement, depth = 0): void {
  for (const child of elementsOf(parent)) readOne(blocks, child, depth);
}

function readOne(blocks: MarkdownBlocks, child: XmlElement, depth: number): void {
  switch (child.name) {
    case 'h':
      readText(blocks, child, (text) => blocks.heading(text, Number(attribute(child, 'outline-level') ?? 1)));
      break;
    case 'p':
      readText(blocks, child, (text) => {
        if (depth > 0) blocks.item(text, depth - 1);
        else blocks.paragraph(text);
      });
      break;
    case 'list':
      readFlow(blocks, child, depth + 1);
      break;
    case 'table':
      readTable(blocks, child);
      break;
    case 'frame':
      readFrame(blocks, child, depth);
      break;
    default:
      if (!SKIPPED_BLOCKS.has(child.name)) readFlow(blocks, child, depth);
  }
}

function readText(blocks: MarkdownBlocks, element: XmlElement, add: (text: string) => void): void {
  const { text, notes, frames } = inlineText(element);
  add(text);
  for (const frame of frames) readOne(blocks, frame, 0);
  for (const note of notes) {
    const [, mark] = /(\[\^[^\]]*\])/.exec(inlineText({ ...note, children: [note] }).text) ?? [];
    blocks.paragraph(`${mark}: ${elementText(childOf(note, 'note-body'))}`);
  }
}

function readFrame(blocks: MarkdownBlocks, frame: XmlElement, depth: number): void {
  const isTitle = attribute(frame, 'class') === 'title';
  if (isTitle) blocks.heading(elementText(frame), 1);
  else readFlow(blocks, frame, depth);
}

function readTable(blocks: MarkdownBlocks, table: XmlElement): void {
  blocks.table(allOf(table, 'table-row').map((row) => cellsOf(row).map(elementText)));
}

/** Covered cells keep their place, so that columns stay under each other. */
export const cellsOf = (row: XmlElement): XmlElement[] =>
  elementsOf(row).filter(({ name }) => name === 'table-cell' || name === 'covered-table-cell');

export function elementText(element: XmlElement | undefined): string {
  if (!element) return '';
  return elementsOf(element)
    .filter(({ name }) => !SKIPPED_BLOCKS.has(name))
    .map((child) => {
      if (child.name !== 'p' && child.name !== 'h') return elementText(child);
      const { text, frames, notes } = inlineText(child);
      return [text, ...frames.map(elementText), ...notes.map((note) => elementText(childOf(note, 'note-body')))].join(
        ' ',
      );
    })
    .join(' ')
    .trim();
}
