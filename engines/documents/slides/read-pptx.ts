/** PPTX: one part for each slide in the order of the show, its title as a heading, its tables and the speaker's notes. */
import type { Part } from '../document.ts';
import { unreadable } from '../failure.ts';
import { type Blocks, blocksFor, joined } from '../markdown/blocks.ts';
import { allOf, attribute, childOf, type Element, elementsOf, firstOf, parseXml, textOf } from '../markup/parse-xml.ts';
import type { Reading } from '../read-document.ts';
import { openZip, type Zip } from '../zip/open-zip.ts';
import { mainPart, relationsOf } from '../zip/relations.ts';

export function readPptx({ bytes, budget }: Reading): Part[] {
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
    const blocks = blocksFor(budget);
    const slide = zip.entry(path);
    if (slide) readShapes(blocks, firstOf(parseXml(slide), 'spTree'));
    for (const { type, target } of relationsOf(zip, path)) {
      if (type === 'diagramData') readDiagram(blocks, zip, target);
      if (type === 'notesSlide') readNotes(blocks, zip, target);
    }
    return { label: `slide ${at + 1}`, text: joined(blocks.all) };
  });
}

function readShapes(blocks: Blocks, tree: Element | undefined): void {
  for (const shape of tree ? elementsOf(tree) : []) {
    if (shape.name === 'grpSp') readShapes(blocks, shape);
    else if (shape.name === 'AlternateContent') readShapes(blocks, childOf(shape, 'Choice'));
    else if (shape.name === 'graphicFrame') readTables(blocks, shape);
    else if (shape.name === 'sp' || shape.name === 'cxnSp') readShape(blocks, shape);
  }
}

/** `title`, `body` and the like; a bare placeholder is one of the body. */
function placeholderOf(shape: Element): string | undefined {
  const placeholder = firstOf(elementsOf(shape)[0], 'ph');
  return placeholder && (attribute(placeholder, 'type') ?? 'body');
}

const OF_THE_FRAME = /^(sldNum|dt|sldImg)$/;

function readShape(blocks: Blocks, shape: Element): void {
  const place = placeholderOf(shape);
  if (place !== undefined && OF_THE_FRAME.test(place)) return;
  const paragraphs = allOf(childOf(shape, 'txBody'), 'p');
  if (place === 'title' || place === 'ctrTitle') {
    blocks.heading(paragraphs.map(lineOf).join(' '), 1);
    return;
  }
  for (const paragraph of paragraphs) {
    const depth = Number(attribute(childOf(paragraph, 'pPr'), 'lvl') ?? 0);
    if (place === 'body') blocks.item(lineOf(paragraph), depth);
    else blocks.paragraph(lineOf(paragraph));
  }
}

function readTables(blocks: Blocks, frame: Element): void {
  for (const table of allOf(frame, 'tbl')) {
    const cellOf = (cell: Element) => allOf(cell, 'p').map(lineOf).join(' ');
    blocks.table(allOf(table, 'tr').map((row) => allOf(row, 'tc').map(cellOf)));
  }
}

/** The words of a drawn diagram stand in a file of its own. */
function readDiagram(blocks: Blocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  for (const paragraph of file ? allOf(parseXml(file), 'p') : []) blocks.item(lineOf(paragraph), 0);
}

function readNotes(blocks: Blocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  const shapes = file ? allOf(parseXml(file), 'sp').filter((shape) => placeholderOf(shape) === 'body') : [];
  const lines = shapes.flatMap((shape) => allOf(shape, 'p').map(lineOf)).filter((line) => line.trim() !== '');
  if (lines.length > 0) blocks.paragraph(`Notes: ${lines.join('\n')}`);
}

function lineOf(paragraph: Element): string {
  return elementsOf(paragraph)
    .map((run) => (run.name === 'br' ? '\n' : run.name === 'tab' ? '\t' : allOf(run, 't').map(textOf).join('')))
    .join('');
}
