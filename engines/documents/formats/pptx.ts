/** PPTX: one part per slide in the order of the show, with its tables, charts, comments and speaker notes. */

import { type DocumentPart, type ReaderInput, unreadable } from '../document.ts';
import { hiddenPart, joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown.ts';
import {
  type DrawingSource,
  drawingLine,
  drawingSource,
  oneLine,
  readAltText,
  readGraphic,
} from '../office/drawings.ts';
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
  const authors = authorsOf(zip, main);
  return slides.flatMap((path, at) => {
    const blocks = markdownBlocks(budget);
    const file = zip.entry(path);
    const slide = file && parseXml(file);
    const source = drawingSource(zip, path);
    if (slide) readShapes(blocks, firstOf(slide, 'spTree'), source);
    for (const { type, target } of source.relations) {
      if (type === 'notesSlide') readNotes(blocks, zip, target);
      if (type === 'comments') readComments(blocks, zip.entry(target), authors);
    }
    return slideParts(`slide ${at + 1}`, blocks, slide);
  });
}

function slideParts(label: string, { all }: MarkdownBlocks, slide: XmlElement | undefined): DocumentPart[] {
  const hidden = all.flatMap((block) => block.hidden ?? []).join('\n\n');
  const text = joinBlocks(all);
  // The show leaves out a slide that is hidden.
  const isShown = !/^(?:0|false)$/.test(attribute(childOf(slide, 'sld'), 'show') ?? '');
  if (!isShown) return [hiddenPart({ label, text: hidden === '' ? text : `${text}\n\n${hidden}` })];
  return hidden === '' ? [{ label, text }] : [{ label, text }, hiddenPart({ label, text: hidden })];
}

function readShapes(blocks: MarkdownBlocks, tree: XmlElement | undefined, source: DrawingSource): void {
  for (const shape of tree ? elementsOf(tree) : []) {
    if (isHidden(shape)) hideShape(blocks, shape);
    else SHAPES[shape.name]?.(blocks, shape, source);
  }
}

const SHAPES: Record<string, (blocks: MarkdownBlocks, shape: XmlElement, source: DrawingSource) => void> = {
  grpSp: readShapes,
  AlternateContent: (blocks, shape, source) => readShapes(blocks, childOf(shape, 'Choice'), source),
  graphicFrame(blocks, shape, source) {
    readTables(blocks, shape);
    readGraphic(blocks, shape, source);
  },
  pic: readAltText,
  sp: readShape,
  cxnSp: readShape,
};

/** A shape that its author switched off in the selection pane. */
const isHidden = (shape: XmlElement): boolean => {
  const [properties] = elementsOf(shape);
  return /^(?:1|true)$/.test(attribute(properties && childOf(properties, 'cNvPr'), 'hidden') ?? '');
};

const hideShape = (blocks: MarkdownBlocks, shape: XmlElement): void =>
  blocks.hide(allOf(shape, 'p').map(drawingLine).join('\n'));

/** Returns the type, such as `title` or `body`. A placeholder without a type is body text. */
function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = firstOf(elementsOf(shape)[0], 'ph');
  return placeholder && (attribute(placeholder, 'type') ?? 'body');
}

const FRAME_PLACEHOLDERS = /^(sldNum|dt|sldImg)$/;

function readShape(blocks: MarkdownBlocks, shape: XmlElement): void {
  const placeholder = placeholderOf(shape);
  if (placeholder !== undefined && FRAME_PLACEHOLDERS.test(placeholder)) return;
  readAltText(blocks, shape);
  const all = allOf(childOf(shape, 'txBody'), 'p');
  for (const paragraph of all) blocks.hide(tinyText(paragraph));
  const paragraphs = all.map(withoutTinyText);
  if (placeholder === 'title' || placeholder === 'ctrTitle') {
    blocks.heading(paragraphs.map(drawingLine).join(' '), 1);
    return;
  }
  for (const paragraph of paragraphs) {
    const depth = Number(attribute(childOf(paragraph, 'pPr'), 'lvl') ?? 0);
    if (placeholder === 'body') blocks.item(drawingLine(paragraph), depth);
    else blocks.paragraph(drawingLine(paragraph));
  }
}

function readTables(blocks: MarkdownBlocks, frame: XmlElement): void {
  for (const table of allOf(frame, 'tbl')) {
    const cellOf = (cell: XmlElement) => allOf(cell, 'p').map(drawingLine).join(' ');
    blocks.table(allOf(table, 'tr').map((row) => allOf(row, 'tc').map(cellOf)));
  }
}

function readNotes(blocks: MarkdownBlocks, zip: Zip, path: string): void {
  const file = zip.entry(path);
  const shapes = file ? allOf(parseXml(file), 'sp').filter((shape) => placeholderOf(shape) === 'body') : [];
  const lines = shapes.flatMap((shape) => allOf(shape, 'p').map(drawingLine)).filter((line) => line.trim() !== '');
  if (lines.length > 0) blocks.paragraph(`Notes: ${lines.join('\n')}`);
}

/** Text under 3 pt cannot be read. Sizes are in hundredths of a point. */
const TINY = 300;
const isTiny = (run: XmlElement): boolean => Number(attribute(childOf(run, 'rPr'), 'sz') ?? TINY) < TINY;

const tinyText = (paragraph: XmlElement): string =>
  drawingLine({ ...paragraph, children: elementsOf(paragraph).filter(isTiny) });

const withoutTinyText = (paragraph: XmlElement): XmlElement => ({
  ...paragraph,
  children: elementsOf(paragraph).filter((run) => !isTiny(run)),
});

/** The names of those who wrote comments, by their ids. */
function authorsOf(zip: Zip, main: string): Map<string, string> {
  const files = relationsOf(zip, main).flatMap(({ type, target }) =>
    type === 'commentAuthors' || type === 'authors' ? (zip.entry(target) ?? []) : [],
  );
  const authors = files.flatMap((file) => {
    const root = parseXml(file);
    return [...allOf(root, 'cmAuthor'), ...allOf(root, 'author')];
  });
  return new Map(authors.map((author) => [attribute(author, 'id') ?? '', attribute(author, 'name') ?? '']));
}

/** Newer programs write comments as threads, whose replies are inside of them. */
function readComments(blocks: MarkdownBlocks, file: Buffer | undefined, authors: Map<string, string>): void {
  for (const comment of file ? allOf(parseXml(file), 'cm') : []) {
    for (const one of [comment, ...allOf(comment, 'reply')]) {
      const body = childOf(one, 'txBody');
      const text = oneLine(
        body ? allOf(body, 'p').map(drawingLine).join(' ') : allOf(one, 'text').map(textOf).join(' '),
      );
      const author = authors.get(attribute(one, 'authorId') ?? '') ?? '';
      if (text !== '') blocks.paragraph(`[Comment${author && ` by ${author}`}: ${text}]`);
    }
  }
}
