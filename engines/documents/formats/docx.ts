/** DOCX: headings, numbered clauses, lists, tables, notes, text boxes, headers and footers, comments. */

import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
import { attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { mainPart, openZip, type Relation, relationsOf, type Zip } from '../zip.ts';

const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const MAX_ROMAN = 4_999;
const LETTERS = 26;

/** Formats a list number as office programs show it. */
function formatListNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'lowerLetter':
      return letter(number);
    case 'upperLetter':
      return letter(number).toUpperCase();
    default:
      return String(number);
  }
}

function roman(number: number): string {
  if (number < 1 || number > MAX_ROMAN) return String(number);
  let left = number;
  let text = '';
  for (const [value, sign] of ROMAN) {
    text += sign.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

/** z is followed by aa, then bb. */
function letter(number: number): string {
  if (number < 1 || number > LETTERS * LETTERS) return String(number);
  const sign = String.fromCharCode(97 + ((number - 1) % LETTERS));
  return sign.repeat(Math.ceil(number / LETTERS));
}

/** What a Word style says about a paragraph: its heading level and its numbering. */
type Style = { level?: number; numberId?: string; depth?: number };

const MAX_PARENTS = 20;

const valOf = (element: XmlElement | undefined): string | undefined => attribute(element, 'val');

/** Reads the properties of a paragraph or of a paragraph style, without inherited ones. */
function ownStyle(properties: XmlElement | undefined): Style {
  const outline = Number(valOf(childOf(properties, 'outlineLvl')) ?? Number.NaN);
  const numbering = childOf(properties, 'numPr');
  const numberId = valOf(childOf(numbering, 'numId'));
  const depth = valOf(childOf(numbering, 'ilvl'));
  return {
    // Level 9 is body text.
    ...(outline >= 0 && outline < 9 ? { level: outline + 1 } : {}),
    ...definedFields({ numberId }),
    ...(depth === undefined ? {} : { depth: Number(depth) }),
  };
}

function stylesOf(root: XmlElement | undefined): (id: string | undefined) => Style {
  const styles = new Map<string, { parent: string | undefined; own: Style }>();
  for (const style of root ? elementsOf(root).flatMap(elementsOf) : []) {
    const id = attribute(style, 'styleId');
    if (style.name !== 'style' || id === undefined) continue;
    const name = valOf(childOf(style, 'name')) ?? '';
    const own = { ...levelByName(name), ...ownStyle(firstOf(style, 'pPr')) };
    styles.set(id, { parent: valOf(childOf(style, 'basedOn')), own });
  }
  const styleOf = (id: string | undefined, hops = 0): Style => {
    const found = id === undefined ? undefined : styles.get(id);
    if (!found || hops > MAX_PARENTS) return {};
    return { ...styleOf(found.parent, hops + 1), ...found.own };
  };
  return styleOf;
}

function levelByName(name: string): Style {
  const [, level] = /^heading (\d)$/i.exec(name) ?? [];
  if (level !== undefined) return { level: Number(level) };
  return /^title$/i.test(name) ? { level: 1 } : {};
}

/** A level of a list: its first number, its number format, and its template, such as `%1.%2`. */
type Level = { start: number; format: string; text: string };
type List = { abstractId: string; starts: Map<number, number> };

/**
 * Returns the number that Word shows before a paragraph. The document's text does not contain these numbers, but
 * clauses are cited by them. It counts, so call it once for each numbered paragraph, in order.
 */
type Numbering = (numberId: string, depth: number) => string | undefined;

function numberingOf(root: XmlElement | undefined): Numbering {
  const all = root ? elementsOf(root).flatMap(elementsOf) : [];
  const levels = new Map<string, Level[]>();
  const lists = new Map<string, List>();
  for (const element of all) {
    if (element.name === 'abstractNum') levels.set(attribute(element, 'abstractNumId') ?? '', levelsOf(element));
    if (element.name === 'num') lists.set(attribute(element, 'numId') ?? '', listOf(element));
  }
  const counters = new Map<string, number[]>();
  const begun = new Set<string>();

  return function next(numberId, depth) {
    const list = lists.get(numberId);
    const own = list && levels.get(list.abstractId);
    const level = own?.[depth];
    if (!list || !own || !level) return undefined;
    if (level.format === 'bullet') return '-';
    const counts = counters.get(list.abstractId) ?? [];
    counters.set(list.abstractId, counts);
    const restart = begun.has(`${numberId}/${depth}`) ? undefined : list.starts.get(depth);
    begun.add(`${numberId}/${depth}`);
    counts[depth] = restart ?? (counts[depth] ?? level.start - 1) + 1;
    counts.length = depth + 1;
    const mark = level.text.replaceAll(/%(\d)/g, (_, place) => {
      const at = Number(place) - 1;
      return formatListNumber(counts[at] ?? own[at]?.start ?? 1, own[at]?.format ?? 'decimal');
    });
    return mark.trim() === '' ? undefined : mark;
  };
}

function levelsOf(abstract: XmlElement): Level[] {
  const levels: Level[] = [];
  for (const level of elementsOf(abstract).filter(({ name }) => name === 'lvl')) {
    levels[Number(attribute(level, 'ilvl') ?? 0)] = {
      start: Number(valOf(childOf(level, 'start')) ?? 1),
      format: valOf(childOf(level, 'numFmt')) ?? 'decimal',
      text: valOf(childOf(level, 'lvlText')) ?? '',
    };
  }
  return levels;
}

function listOf(list: XmlElement): List {
  const starts = new Map<number, number>();
  for (const override of elementsOf(list).filter(({ name }) => name === 'lvlOverride')) {
    const start = valOf(childOf(override, 'startOverride'));
    if (start !== undefined) starts.set(Number(attribute(override, 'ilvl') ?? 0), Number(start));
  }
  return { abstractId: valOf(childOf(list, 'abstractNumId')) ?? '', starts };
}

/** The text of a Word paragraph, without deleted text, and with marks for its notes. */

type InlineText = {
  text: string;
  /** References to notes, such as `footnote 2`. */
  notes: string[];
  /** Text boxes that are anchored to the paragraph. */
  boxes: XmlElement[];
};

const CHARACTERS: Record<string, string> = { tab: '\t', ptab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };

/** Elements that are not text of the paragraph: properties, deleted and moved text, field codes. */
const SKIPPED_ELEMENTS = new Set([
  'pPr',
  'rPr',
  'del',
  'moveFrom',
  'delText',
  'instrText',
  'Fallback',
  'sectPr',
  'posOffset',
]);

function inlineText(paragraph: XmlElement): InlineText {
  const inline: InlineText = { text: '', notes: [], boxes: [] };
  collect(paragraph, inline);
  return inline;
}

function collect(parent: XmlElement, into: InlineText): void {
  for (const child of elementsOf(parent)) {
    const sign = CHARACTERS[child.name];
    if (sign !== undefined) into.text += sign;
    else if (child.name === 't') into.text += textOf(child);
    else if (child.name === 'txbxContent') into.boxes.push(child);
    else if (/^(foot|end)noteReference$/.test(child.name)) addNote(child, into);
    else if (child.name === 'AlternateContent') collect(childOf(child, 'Choice') ?? child, into);
    else if (!SKIPPED_ELEMENTS.has(child.name) && !isHidden(child)) collect(child, into);
  }
}

/** Word never shows such a run. */
function isHidden(child: XmlElement): boolean {
  const mark = child.name === 'r' ? childOf(childOf(child, 'rPr'), 'vanish') : undefined;
  return mark !== undefined && !/^(0|false|off)$/.test(attribute(mark, 'val') ?? '');
}

function addNote(reference: XmlElement, into: InlineText): void {
  const id = attribute(reference, 'id');
  const kind = reference.name.replace('Reference', '');
  into.notes.push(`${kind} ${id}`);
  into.text += kind === 'footnote' ? `[^${id}]` : `[^e${id}]`;
}

type WordDocument = {
  styleOf(id: string | undefined): Style;
  numberOf: Numbering;
  /** Maps references such as `footnote 2` to notes. */
  notes: Map<string, XmlElement>;
};

/** Containers without a meaning of their own. */
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
    // Notes with a type are only separators.
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

/** Joins the paragraphs of a cell to one line. The cells of a nested table follow each other. */
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
