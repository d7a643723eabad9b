/** The flowing text of an OpenDocument: headings, paragraphs, lists, tables, frames and notes. */
import type { Blocks } from '../markdown/blocks.ts';
import { allOf, attribute, childOf, type Element, elementsOf } from '../markup/parse-xml.ts';
import { inlineOf } from './inline.ts';

const LEFT_OUT = new Set(['tracked-changes', 'forms', 'notes', 'annotation', 'sequence-decls', 'desc', 'title']);

/** `depth` is that of the list we are in, 0 outside of all. */
export function readFlow(blocks: Blocks, parent: Element, depth = 0): void {
  for (const child of elementsOf(parent)) readOne(blocks, child, depth);
}

function readOne(blocks: Blocks, child: Element, depth: number): void {
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
      if (!LEFT_OUT.has(child.name)) readFlow(blocks, child, depth);
  }
}

function readText(blocks: Blocks, element: Element, add: (text: string) => void): void {
  const { text, notes, frames } = inlineOf(element);
  add(text);
  for (const frame of frames) readOne(blocks, frame, 0);
  for (const note of notes) {
    const [, mark] = /(\[\^[^\]]*\])/.exec(inlineOf({ ...note, children: [note] }).text) ?? [];
    blocks.paragraph(`${mark}: ${plainText(childOf(note, 'note-body'))}`);
  }
}

function readFrame(blocks: Blocks, frame: Element, depth: number): void {
  const isTitle = attribute(frame, 'class') === 'title';
  if (isTitle) blocks.heading(plainText(frame), 1);
  else readFlow(blocks, frame, depth);
}

function readTable(blocks: Blocks, table: Element): void {
  blocks.table(allOf(table, 'table-row').map((row) => cellsOf(row).map(plainText)));
}

/** Covered cells keep their place, so that columns stay under each other. */
export const cellsOf = (row: Element): Element[] =>
  elementsOf(row).filter(({ name }) => name === 'table-cell' || name === 'covered-table-cell');

export function plainText(element: Element | undefined): string {
  if (!element) return '';
  return elementsOf(element)
    .filter(({ name }) => !LEFT_OUT.has(name))
    .map((child) => {
      if (child.name !== 'p' && child.name !== 'h') return plainText(child);
      const { text, frames, notes } = inlineOf(child);
      return [text, ...frames.map(plainText), ...notes.map((note) => plainText(childOf(note, 'note-body')))].join(' ');
    })
    .join(' ')
    .trim();
}
