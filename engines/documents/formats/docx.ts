/** DOCX: headings, numbered clauses, lists, tables, notes, text boxes, charts, headers and footers, comments. */

import { oneLine } from '../../../shared/core/one-line.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { detectFromHead, HEAD_BYTES } from '../../../shared/files/detect-type.ts';
import { type DocumentPart, type ReaderInput, type ReadingBudget, unreadable } from '../document.ts';
import { hiddenPart, joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf } from '../markdown.ts';
import { type DrawingSource, readGraphic } from '../office/drawings.ts';
import { decodeText, kindOfText } from '../text.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { mainPart, openZip, type Relation, relationsOf, type Zip } from '../zip.ts';
import { readHtml } from './html.ts';

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
  let remainder = number;
  let text = '';
  for (const [value, sign] of ROMAN) {
    text += sign.repeat(Math.floor(remainder / value));
    remainder %= value;
  }
  return text;
}

/** z is followed by aa, then bb. */
function letter(number: number): string {
  if (number < 1 || number > LETTERS * LETTERS) return String(number);
  const sign = String.fromCharCode(97 + ((number - 1) % LETTERS));
  return sign.repeat(Math.ceil(number / LETTERS));
}

/** How text looks, as far as it tells whether a person sees it. Sizes are in half-points. */
type Look = { vanish?: boolean; color?: string; size?: number; shaded?: boolean };

/** What a Word style says about a paragraph: its heading level, its numbering and its look. */
type Style = { level?: number; numberId?: string; depth?: number } & Look;

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
    ...(isShaded(properties) ? { shaded: true } : {}),
  };
}

/** Reads the properties of a run or of a style. */
function lookOf(properties: XmlElement | undefined): Look {
  const vanish = childOf(properties, 'vanish');
  const size = valOf(childOf(properties, 'sz'));
  return {
    ...(vanish ? { vanish: !/^(0|false|off)$/.test(valOf(vanish) ?? '') } : {}),
    ...definedFields({ color: valOf(childOf(properties, 'color')) }),
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(isShaded(properties) ? { shaded: true } : {}),
  };
}

const WHITE = /^(?:auto|clear|none|f[a-f]f[a-f]f[a-f]|white)$/i;

const isShaded = (properties: XmlElement | undefined): boolean =>
  childOf(properties, 'highlight') !== undefined ||
  !WHITE.test(attribute(childOf(properties, 'shd'), 'fill') ?? 'auto');

/** Text under 3 pt cannot be read. */
const TINY = 6;

/** `onWhite` is false where the background may have another color than white. */
const isUnseen = ({ vanish = false, color = '', size = TINY, shaded = false }: Look, onWhite: boolean): boolean =>
  vanish || size < TINY || (onWhite && !shaded && color !== 'auto' && WHITE.test(color));

function stylesOf(root: XmlElement | undefined): (id: string | undefined) => Style {
  const styles = new Map<string, { parent: string | undefined; declared: Style }>();
  for (const style of root ? elementsOf(root).flatMap(elementsOf) : []) {
    const id = attribute(style, 'styleId');
    if (style.name !== 'style' || id === undefined) continue;
    const name = valOf(childOf(style, 'name')) ?? '';
    const declared = { ...levelByName(name), ...ownStyle(firstOf(style, 'pPr')), ...lookOf(childOf(style, 'rPr')) };
    styles.set(id, { parent: valOf(childOf(style, 'basedOn')), declared });
  }
  const styleOf = (id: string | undefined, hops = 0): Style => {
    const entry = id === undefined ? undefined : styles.get(id);
    if (!entry || hops > MAX_PARENTS) return {};
    return { ...styleOf(entry.parent, hops + 1), ...entry.declared };
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
  const elements = root ? elementsOf(root).flatMap(elementsOf) : [];
  const levels = new Map<string, Level[]>();
  const lists = new Map<string, List>();
  for (const element of elements) {
    if (element.name === 'abstractNum') levels.set(attribute(element, 'abstractNumId') ?? '', levelsOf(element));
    if (element.name === 'num') lists.set(attribute(element, 'numId') ?? '', listOf(element));
  }
  const counters = new Map<string, number[]>();
  const begun = new Set<string>();

  return function next(numberId, depth) {
    const list = lists.get(numberId);
    const listLevels = list && levels.get(list.abstractId);
    const level = listLevels?.[depth];
    if (!list || !listLevels || !level) return undefined;
    if (level.format === 'bullet') return '-';
    const counts = counters.get(list.abstractId) ?? [];
    counters.set(list.abstractId, counts);
    const restart = begun.has(`${numberId}/${depth}`) ? undefined : list.starts.get(depth);
    begun.add(`${numberId}/${depth}`);
    counts[depth] = restart ?? (counts[depth] ?? level.start - 1) + 1;
    counts.length = depth + 1;
    const mark = level.text.replaceAll(/%(\d)/g, (_, place) => {
      const at = Number(place) - 1;
      return formatListNumber(counts[at] ?? listLevels[at]?.start ?? 1, listLevels[at]?.format ?? 'decimal');
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
  /** What a person does not see. */
  hidden: string;
  /** References to notes, such as `footnote 2`. */
  notes: string[];
  /** Text boxes that are anchored to the paragraph. */
  boxes: XmlElement[];
  drawings: XmlElement[];
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

function inlineText(paragraph: XmlElement, document: WordDocument): InlineText {
  const inline: InlineText = { text: '', hidden: '', notes: [], boxes: [], drawings: [] };
  const properties = childOf(paragraph, 'pPr');
  const look = { ...document.styleOf(valOf(childOf(properties, 'pStyle'))), ...ownStyle(properties) };
  collect(paragraph, inline, { document, look });
  return inline;
}

type Around = { document: WordDocument; look: Look };

function collect(parent: XmlElement, into: InlineText, around: Around): void {
  for (const child of elementsOf(parent)) {
    const sign = CHARACTERS[child.name];
    if (sign !== undefined) addText(into, sign, around);
    else if (child.name === 't') addText(into, textOf(child), around);
    else if (child.name === 'r') collectRun(child, into, around);
    else if (!SKIPPED_ELEMENTS.has(child.name)) collectOther(child, into, around);
  }
}

function collectOther(child: XmlElement, into: InlineText, around: Around): void {
  if (child.name === 'txbxContent') into.boxes.push(child);
  else if (/^(foot|end)noteReference$/.test(child.name)) addNote(child, into);
  else if (child.name === 'AlternateContent') collect(childOf(child, 'Choice') ?? child, into, around);
  else {
    if (child.name === 'drawing') into.drawings.push(child);
    watchComment(child, around.document);
    collect(child, into, around);
  }
}

function addText(into: InlineText, text: string, { document: { comments } }: Around): void {
  into.text += text;
  for (const id of comments.open) {
    const anchor = comments.anchors.get(id) ?? '';
    if (anchor.length < MAX_ANCHOR) comments.anchors.set(id, anchor + text);
  }
}

function collectRun(run: XmlElement, into: InlineText, { document, look: inherited }: Around): void {
  const properties = childOf(run, 'rPr');
  const look = { ...inherited, ...document.styleOf(valOf(childOf(properties, 'rStyle'))), ...lookOf(properties) };
  if (!isUnseen(look, document.onWhite)) {
    collect(run, into, { document, look });
    return;
  }
  const comments = { ...document.comments, open: new Set<string>() };
  const unseen = { ...into, text: '', ...(look.vanish ? { notes: [], boxes: [], drawings: [] } : {}) };
  collect(run, unseen, { document: { ...document, comments }, look });
  const boxes = look.vanish ? unseen.boxes.map((box) => plainText(box, document)) : [];
  into.hidden += [unseen.text, ...boxes].join(' ');
}

/** A comment is shown with the beginning of the text that it is about. */
const MAX_ANCHOR = 100;
const MAX_OPEN_COMMENTS = 50;

function watchComment(element: XmlElement, { comments: { open } }: WordDocument): void {
  const id = attribute(element, 'id') ?? '';
  if (element.name === 'commentRangeStart' && open.size < MAX_OPEN_COMMENTS) open.add(id);
  if (element.name === 'commentRangeEnd') open.delete(id);
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
  /** The ids of the comments on the text that is being read, and the texts that comments are about. */
  comments: { open: Set<string>; anchors: Map<string, string> };
  drawings: DrawingSource;
  budget: ReadingBudget;
  /** Whether the background is white, as far as is known. */
  onWhite: boolean;
};

/** Containers without a meaning of their own. */
const TRANSPARENT = new Set(['sdt', 'sdtContent', 'customXml', 'ins', 'moveTo', 'smartTag', 'body', 'document', '']);

export function readDocx({ bytes, budget }: ReaderInput): DocumentPart[] {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'word/document.xml');
  const relations = relationsOf(zip, main);
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const root = parseXml(file);
  const partOf = (type: string) => rootOf(zip, relations, type)[0];
  const document: WordDocument = {
    styleOf: stylesOf(partOf('styles')),
    numberOf: numberingOf(partOf('numbering')),
    notes: notesOf([partOf('footnotes'), partOf('endnotes')]),
    comments: { open: new Set(), anchors: new Map() },
    drawings: { zip, relations },
    budget,
    onWhite: WHITE.test(attribute(firstOf(root, 'background'), 'color') ?? 'auto'),
  };
  const read = (root: XmlElement): MarkdownBlocks => {
    const blocks = markdownBlocks(budget);
    readInto(blocks, root, document);
    return blocks;
  };
  const parts = sectionsOf(read(root).all);
  const margins = ['header', 'footer'].flatMap((type) => {
    const marginBlocks = rootOf(zip, relations, type).map((margin) => read(margin).all);
    const texts = [...new Set(marginBlocks.map(joinBlocks))].map((text) => ({ label: type, text }));
    const hidden = [...new Set(marginBlocks.flatMap((blocks) => blocks.flatMap((block) => block.hidden ?? [])))];
    return [...texts, ...hidden.map((text) => hiddenPart({ label: type, text }))];
  });
  const comments = rootOf(zip, relations, 'comments').flatMap((list) => commentsIn(list, document));
  return [...parts, ...margins, { label: 'comments', text: budget.countText(comments.join('\n')) }];
}

function commentsIn(list: XmlElement, document: WordDocument): string[] {
  return allOf(list, 'comment').flatMap((comment) => {
    const text = oneLine(plainText(comment, { ...document, onWhite: false }));
    const author = attribute(comment, 'author') ?? '';
    const anchor = oneLine(document.comments.anchors.get(attribute(comment, 'id') ?? '') ?? '');
    const place = anchor === '' ? '' : ` on “${anchor.slice(0, MAX_ANCHOR)}”`;
    return text === '' ? [] : [`[Comment${author && ` by ${author}`}${place}: ${text}]`];
  });
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
    watchComment(child, document);
    if (child.name === 'p') readParagraph(blocks, child, document);
    else if (child.name === 'tbl') readTable(blocks, child, document);
    else if (child.name === 'AlternateContent') readInto(blocks, childOf(child, 'Choice') ?? child, document);
    else if (child.name === 'altChunk') readChunk(blocks, child, document);
    else if (TRANSPARENT.has(child.name) || /^(hdr|ftr|txbxContent)$/.test(child.name)) {
      readInto(blocks, child, document);
    }
  }
}

/** A document of another format that Word shows at this place: HTML and plain text are read. */
function readChunk(
  blocks: MarkdownBlocks,
  chunk: XmlElement,
  { drawings: { zip, relations }, budget }: WordDocument,
): void {
  const id = attribute(chunk, 'id');
  const target = relations.find((relation) => relation.id === id && relation.type === 'aFChunk')?.target ?? '';
  const bytes = zip.entry(target);
  if (!bytes || detectFromHead(bytes.subarray(0, HEAD_BYTES)) !== 'text') return;
  const isHtml = kindOfText(bytes, target) === 'html';
  const parts: DocumentPart[] = isHtml ? readHtml({ bytes, budget }) : [{ label: '', text: decodeText(bytes) }];
  for (const { text, hidden } of parts) {
    if (hidden) blocks.hide(text);
    else blocks.paragraph(text);
  }
}

function readParagraph(blocks: MarkdownBlocks, paragraph: XmlElement, document: WordDocument): void {
  const { text, hidden, notes, boxes, drawings } = inlineText(paragraph, document);
  const properties = childOf(paragraph, 'pPr');
  const style = { ...document.styleOf(valOf(childOf(properties, 'pStyle'))), ...ownStyle(properties) };
  const depth = style.depth ?? 0;
  const isNumbered = style.numberId !== undefined && style.numberId !== '0' && text.trim() !== '';
  const mark = isNumbered ? document.numberOf(style.numberId ?? '', depth) : undefined;
  if (style.level !== undefined) blocks.heading(mark && mark !== '-' ? `${mark} ${text}` : text, style.level);
  else if (mark !== undefined) blocks.item(text, depth, mark);
  else blocks.paragraph(text);
  blocks.hide(hidden);
  for (const drawing of drawings) readGraphic(blocks, drawing, document.drawings);
  // A text box may be filled with a color.
  for (const box of boxes) readInto(blocks, box, { ...document, onWhite: false });
  readNotes(blocks, notes, document);
}

function readNotes(blocks: MarkdownBlocks, notes: string[], document: WordDocument): void {
  for (const name of notes) {
    const note = document.notes.get(name);
    const [kind, id] = name.split(' ');
    if (note) blocks.paragraph(`[^${kind === 'endnote' ? 'e' : ''}${id}]: ${plainText(note, document).trim()}`);
  }
}

/** What is written behind a table: the notes, hidden text and drawings of its cells. */
type Aside = { notes: string[]; hidden: string[]; drawings: XmlElement[] };

/** Joins the paragraphs of a cell to one line. The cells of a nested table follow each other. */
function readTable(blocks: MarkdownBlocks, table: XmlElement, document: WordDocument): void {
  const aside: Aside = { notes: [], hidden: [], drawings: [] };
  const style = valOf(childOf(childOf(table, 'tblPr'), 'tblStyle')) ?? '';
  // Other styles may fill rows with a color.
  const isPlain = /^(?:table(?:grid|normal))?$/i.test(style);
  const rows = rowsOf(table).map((row) =>
    cellsOf(row).flatMap((cell) => {
      const properties = childOf(cell, 'tcPr');
      const span = Number(valOf(firstOf(properties, 'gridSpan')) ?? 1);
      const onWhite = document.onWhite && isPlain && !isShaded(properties);
      const text = plainText(cell, { ...document, onWhite }, aside);
      return [text, ...Array<string>(Math.min(Math.max(span, 1), 64) - 1).fill('')];
    }),
  );
  blocks.table(rows);
  blocks.hide(aside.hidden.join('\n'));
  for (const drawing of aside.drawings) readGraphic(blocks, drawing, document.drawings);
  readNotes(blocks, aside.notes, document);
}

const childrenThrough = (parent: XmlElement, name: string): XmlElement[] =>
  elementsOf(parent).flatMap((child) =>
    child.name === name ? [child] : TRANSPARENT.has(child.name) ? childrenThrough(child, name) : [],
  );
const rowsOf = (table: XmlElement) => childrenThrough(table, 'tr');
const cellsOf = (row: XmlElement) => childrenThrough(row, 'tc');

function plainText(
  parent: XmlElement,
  document: WordDocument,
  aside: Aside = { notes: [], hidden: [], drawings: [] },
): string {
  return elementsOf(parent)
    .map((child) => {
      if (child.name !== 'p') return child.name === 'tcPr' ? '' : plainText(child, document, aside);
      const inline = inlineText(child, document);
      aside.notes.push(...inline.notes);
      aside.drawings.push(...inline.drawings);
      if (inline.hidden !== '') aside.hidden.push(inline.hidden);
      return [inline.text, ...inline.boxes.map((box) => plainText(box, document, aside))].join(' ');
    })
    .filter((text) => text !== '')
    .join(' ');
}
