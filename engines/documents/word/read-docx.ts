/** DOCX: headings, numbered clauses, lists, tables, notes, text boxes, headers and footers, comments. */
import type { Part } from '../document.ts';
import { unreadable } from '../failure.ts';
import { type Blocks, blocksFor, joined } from '../markdown/blocks.ts';
import { sectionsOf } from '../markdown/sections.ts';
import { attribute, childOf, type Element, elementsOf, firstOf, parseXml } from '../markup/parse-xml.ts';
import type { Reading } from '../read-document.ts';
import { openZip, type Zip } from '../zip/open-zip.ts';
import { mainPart, type Relation, relationsOf } from '../zip/relations.ts';
import { inlineOf } from './inline.ts';
import { type Numbering, numberingOf } from './numbering.ts';
import { ownStyle, type Style, stylesOf, valOf } from './styles.ts';

type Document = {
  styleOf(id: string | undefined): Style;
  numbered: Numbering;
  /** By `footnote 2`. */
  notes: Map<string, Element>;
};

/** Holds others without meaning anything itself. */
const TRANSPARENT = new Set(['sdt', 'sdtContent', 'customXml', 'ins', 'moveTo', 'smartTag', 'body', 'document', '']);

export function readDocx({ bytes, budget }: Reading): Part[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'word/document.xml');
  const relations = relationsOf(zip, main);
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const partOf = (type: string) => rootOf(zip, relations, type)[0];
  const document: Document = {
    styleOf: stylesOf(partOf('styles')),
    numbered: numberingOf(partOf('numbering')),
    notes: notesOf([partOf('footnotes'), partOf('endnotes')]),
  };
  const read = (root: Element): Blocks => {
    const blocks = blocksFor(budget);
    readInto(blocks, root, document);
    return blocks;
  };
  const parts = sectionsOf(read(parseXml(file)).all);
  const aside = ['header', 'footer', 'comments'].flatMap((type) => {
    const texts = rootOf(zip, relations, type).map((root) => joined(read(root).all));
    return [...new Set(texts)].map((text) => ({ label: type, text }));
  });
  return [...parts, ...aside];
}

function rootOf(zip: Zip, relations: Relation[], type: string): Element[] {
  return relations.flatMap((relation) => {
    const file = relation.type === type ? zip.entry(relation.target) : undefined;
    return file ? elementsOf(parseXml(file)).map((root) => ({ ...root, name: '', children: [root] })) : [];
  });
}

function notesOf(roots: (Element | undefined)[]): Map<string, Element> {
  const notes = new Map<string, Element>();
  for (const note of roots.flatMap((root) => (root ? elementsOf(root).flatMap(elementsOf) : []))) {
    // Separators are notes by their name only.
    if (attribute(note, 'type') === undefined) notes.set(`${note.name} ${attribute(note, 'id')}`, note);
  }
  return notes;
}

function readInto(blocks: Blocks, parent: Element, document: Document): void {
  for (const child of elementsOf(parent)) {
    if (child.name === 'p') readParagraph(blocks, child, document);
    else if (child.name === 'tbl') readTable(blocks, child, document);
    else if (child.name === 'AlternateContent') readInto(blocks, childOf(child, 'Choice') ?? child, document);
    else if (TRANSPARENT.has(child.name) || /^(hdr|ftr|comments?|txbxContent)$/.test(child.name)) {
      readInto(blocks, child, document);
    }
  }
}

function readParagraph(blocks: Blocks, paragraph: Element, document: Document): void {
  const { text, notes, boxes } = inlineOf(paragraph);
  const properties = childOf(paragraph, 'pPr');
  const style = { ...document.styleOf(valOf(childOf(properties, 'pStyle'))), ...ownStyle(properties) };
  const depth = style.depth ?? 0;
  const isNumbered = style.numberId !== undefined && style.numberId !== '0' && text.trim() !== '';
  const mark = isNumbered ? document.numbered(style.numberId ?? '', depth) : undefined;
  if (style.level !== undefined) blocks.heading(mark && mark !== '-' ? `${mark} ${text}` : text, style.level);
  else if (mark !== undefined) blocks.item(text, depth, mark);
  else blocks.paragraph(text);
  for (const box of boxes) readInto(blocks, box, document);
  readNotes(blocks, notes, document);
}

function readNotes(blocks: Blocks, notes: string[], { notes: known }: Document): void {
  for (const name of notes) {
    const note = known.get(name);
    const [kind, id] = name.split(' ');
    if (note) blocks.paragraph(`[^${kind === 'endnote' ? 'e' : ''}${id}]: ${plainText(note).trim()}`);
  }
}

/** A cell's paragraphs on one line; a table inside a cell gives its cells one after the other. */
function readTable(blocks: Blocks, table: Element, document: Document): void {
  const notes: string[] = [];
  const rows = rowsOf(table).map((row) =>
    cellsOf(row).flatMap((cell) => {
      const span = Number(valOf(firstOf(childOf(cell, 'tcPr'), 'gridSpan')) ?? 1);
      return [plainText(cell, notes), ...Array<string>(Math.min(Math.max(span, 1), 64) - 1).fill('')];
    }),
  );
  blocks.table(rows);
  readNotes(blocks, notes, document);
}

const through = (parent: Element, name: string): Element[] =>
  elementsOf(parent).flatMap((child) =>
    child.name === name ? [child] : TRANSPARENT.has(child.name) ? through(child, name) : [],
  );
const rowsOf = (table: Element) => through(table, 'tr');
const cellsOf = (row: Element) => through(row, 'tc');

function plainText(parent: Element, notes: string[] = []): string {
  return elementsOf(parent)
    .map((child) => {
      if (child.name !== 'p') return child.name === 'tcPr' ? '' : plainText(child, notes);
      const inline = inlineOf(child);
      notes.push(...inline.notes);
      return [inline.text, ...inline.boxes.map((box) => plainText(box, notes))].join(' ');
    })
    .filter((text) => text !== '')
    .join(' ');
}
