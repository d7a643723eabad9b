/** DOCX: headings, numbered clauses, lists, tables, notes, text boxes, headers and footers, comments. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown/blocks.ts';
import { sectionsOf } from '../markdown/sections.ts';
import { attribute, childOf, elementsOf, firstOf, parseXml, type XmlElement } from '../markup/parse-xml.ts';
import type { ReaderInput } from '../read-document.ts';
import { openZip, type Zip } from '../zip/open-zip.ts';
import { mainPart, type Relation, relationsOf } from '../zip/relations.ts';
import { inlineText } from './inline.ts';
import { type Numbering, numberingOf } from './numbering.ts';
import { ownStyle, type Style, stylesOf, valOf } from './styles.ts';

type WordDocument = {
  styleOf(id: string | undefined): Style;
  numberOf: Numbering;
  /** By `footnote 2`. */
  notes: Map<string, XmlElement>;
};

/** Holds others without meaning anything itself. */
const TRANSPARENT = new Set(['sdt', 'sdtContent', 'customXml', 'ins', 'moveTo', 'smartTag', 'body', 'document', '']);

export function readDocx({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'word/document.xml');
  const relations = relationsOf(zip, main);
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const partOf = (type: string) => rootOf(zip, relations, type)[0];
  const document: WordDocument = {
    styleOf: stylesOf(partOf('styles')),
    numberOf: numberingOf(partOf('numbering')),
    notes: notesOf([partOf('footnotes'), partOf('endnotes')]),
  };
  const read = (root: XmlElement): MarkdownBlocks => {
    const blocks = markdownBlocks(budget);
    readInto(blocks, root, document);
    return blocks;
  };
  const parts = sectionsOf(read(parseXml(file)).all);
  const aside = ['header', 'footer', 'comments'].flatMap((type) => {
    const texts = rootOf(zip, relations, type).map((root) => joinBlocks(read(root).all));
    return [...new Set(texts)].map((text) => ({ label: type, text }));
  });
  return [...parts, ...aside];
}

function rootOf(zip: Zip, relations: Relation[], type: string): XmlElement[] {
  return relations.flatMap((relation) => {
    const file = relation.type === type ? zip.entry(relation.target) : undefined;
    return file ? elementsOf(parseXml(file)).map((root) => ({ ...root, name: '', children: [root] })) : [];
  });
}

function notesOf(roots: (XmlElement | undefined)[]): Map<string, XmlElement> {
  const notes = new Map<string, XmlElement>();
  for (const note of roots.flatMap((root) => (root ? elementsOf(root).flatMap(elementsOf) : []))) {
    // Separators are notes by their name only.
    if (attribute(note, 'type') === undefined) notes.set(`${note.name} ${attribute(note, 'id')}`, note);
  }
  return notes;
}

function readInto(blocks: MarkdownBlocks, parent: XmlElement, document: WordDocument): void {
  for (const child of elementsOf(parent)) {
    if (child.name === 'p') readParagraph(blocks, child, document);
    else if (child.name === 'tbl') readTable(blocks, child, document);
    else if (child.name === 'AlternateContent') readInto(blocks, childOf(child, 'Choice') ?? child, document);
    else if (TRANSPARENT.has(child.name) || /^(hdr|ftr|comments?|txbxContent)$/.test(child.name)) {
      readInto(blocks, child, document);
    }
  }
}

function readParagraph(blocks: MarkdownBlocks, paragraph: XmlElement, document: WordDocument): void {
  const { text, notes, boxes } = inlineText(paragraph);
  const properties = childOf(paragraph, 'pPr');
  const style = { ...document.styleOf(valOf(childOf(properties, 'pStyle'))), ...ownStyle(properties) };
  const depth = style.depth ?? 0;
  const isNumbered = style.numberId !== undefined && style.numberId !== '0' && text.trim() !== '';
  const mark = isNumbered ? document.numberOf(style.numberId ?? '', depth) : undefined;
  if (style.level !== undefined) blocks.heading(mark && mark !== '-' ? `${mark} ${text}` : text, style.level);
  else if (mark !== undefined) blocks.item(text, depth, mark);
  else blocks.paragraph(text);
  for (const box of boxes) readInto(blocks, box, document);
  readNotes(blocks, notes, document);
}

function readNotes(blocks: MarkdownBlocks, notes: string[], { notes: noteElements }: WordDocument): void {
  for (const name of notes) {
    const note = noteElements.get(name);
    const [kind, id] = name.split(' ');
    if (note) blocks.paragraph(`[^${kind === 'endnote' ? 'e' : ''}${id}]: ${plainText(note).trim()}`);
  }
}

/** A cell's paragraphs on one line; a table inside a cell gives its cells one after the other. */
function readTable(blocks: MarkdownBlocks, table: XmlElement, document: WordDocument): void {
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

const childrenThrough = (parent: XmlElement, name: string): XmlElement[] =>
  elementsOf(parent).flatMap((child) =>
    child.name === name ? [child] : TRANSPARENT.has(child.name) ? childrenThrough(child, name) : [],
  );
const rowsOf = (table: XmlElement) => childrenThrough(table, 'tr');
const cellsOf = (row: XmlElement) => childrenThrough(row, 'tc');

function plainText(parent: XmlElement, notes: string[] = []): string {
  return elementsOf(parent)
    .map((child) => {
      if (child.name !== 'p') return child.name === 'tcPr' ? '' : plainText(child, notes);
      const inline = inlineText(child);
      notes.push(...inline.notes);
      return [inline.text, ...inline.boxes.map((box) => plainText(box, notes))].join(' ');
    })
    .filter((text) => text !== '')
    .join(' ');
}
