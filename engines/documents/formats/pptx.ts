/** PPTX: one part per slide in the order of the show, with its title, its tables and the speaker notes. */

import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { mainPart, openZip, relationsOf, type Zip } from '../zip.ts';

export function readPptx({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'ppt/presentation.xml');
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const targets = new Map(relationsOf(zip, main).map(({ id, target }) => [id, target]));
  const slides = allOf(parseXml(file), 'sldId').flatMap(({ attributes }) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
    return targets.get(id ?? '') ?? [];
  });
  return slides.map((path, at) => {
    const blocks = markdownBlocks(budget);
    const slide = zip.entry(path);
    if (slide) readShapes(blocks, firstOf(parseXml(slide), 'spTree'));
    for (const { type, target } of relationsOf(zip, path)) {
      if (type === 'diagramData') readDiagram(blocks, zip, target);
      if (type === 'notesSlide') readNotes(blocks, zip, target);
    }
    return { label: `slide ${at + 1}`, text: joinBlocks(blocks.all) };
  });
}

function readShapes(blocks: MarkdownBlocks, tree: XmlElement | undefined): void {
  for (const shape of tree ? elementsOf(tree) : []) {
    if (shape.name === 'grpSp') readShapes(blocks, shape);
    else if (shape.name === 'AlternateContent') readShapes(blocks, childOf(shape, 'Choice'));
    else if (shape.name === 'graphicFrame') readTables(blocks, shape);
    else if (shape.name === 'sp' || shape.name === 'cxnSp') readShape(blocks, shape);
  }
}

/** Returns the type, such as `title` or `body`. A placeholder without a type is body text. */
function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = firstOf(elementsOf(shape)[0], 'ph');
  return placeholder && (attribute(placeholder, 'type') ?? 'body');
}

const FRAME_PLACEHOLDERS = /^(sldNum|dt|sldImg)$/;

function readShape(blocks: MarkdownBlocks, shape: XmlElement): void {
  const placeholder = placeholderOf(shape);
  if (placeholder !== undefined && FRAME_PLACEHOLDERS.test(placeholder)) return;
  const paragraphs = allOf(childOf(shape, 'txBody'), 'p');
  if (placeholder === 'title' || placeholder === 'ctrTitle') {
    blocks.heading(paragraphs.map(lineOf).join(' '), 1);
    return;
  }
  for (const paragraph of paragraphs) {
    const depth = Number(attribute(childOf(paragraph, 'pPr'), 'lvl') ?? 0);
    if (placeholder === 'body') blocks.item(lineOf(paragraph), depth);
    else blocks.paragraph(lineOf(paragraph));
  }
}

function readTables(blocks: MarkdownBlocks, frame: XmlElement): void {
  for (const table of allOf(frame, 'tbl')) {
    const cellOf = (cell: XmlElement) => allOf(cell, 'p').map(lineOf).join(' ');
    blocks.table(allOf(table, 'tr').map((row) => allOf(row, 'tc').map(cellOf)));
  }
}

/** The text of a diagram is in a separate file. */
function readDiagram(blocks: MarkdownBlocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  for (const paragraph of file ? allOf(parseXml(file), 'p') : []) blocks.item(lineOf(paragraph), 0);
}

function readNotes(blocks: MarkdownBlocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  const shapes = file ? allOf(parseXml(file), 'sp').filter((shape) => placeholderOf(shape) === 'body') : [];
  const lines = shapes.flatMap((shape) => allOf(shape, 'p').map(lineOf)).filter((line) => line.trim() !== '');
  if (lines.length > 0) blocks.paragraph(`Notes: ${lines.join('\n')}`);
}

function lineOf(paragraph: XmlElement): string {
  return elementsOf(paragraph)
    .map((run) => (run.name === 'br' ? '\n' : run.name === 'tab' ? '\t' : allOf(run, 't').map(textOf).join('')))
    .join('');
}
