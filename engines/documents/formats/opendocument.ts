/** ODT, ODS and ODP: text in sections, one part per sheet or slide. */

import { oneLine } from '../../../shared/core/one-line.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { type DocumentPart, type ReaderInput, type ReaderResult, type ReadingBudget, unreadable } from '../document.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks, sectionsOf, slideParts } from '../markdown.ts';
import { type CellRange, type CellRows, cellName, type RawSheet, type SheetCell, textCell } from '../sheets/sheet.ts';
import { describeSheets } from '../sheets/sheet-parts.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, type XmlElement } from '../xml.ts';
import { openZip, type Zip } from '../zip.ts';

/** The text of a paragraph, with the notes, comments and frames anchored to it. */
type InlineText = { text: string; hidden: string; notes: XmlElement[]; comments: string[]; frames: XmlElement[] };

const MAX_SPACES = 100;
const SKIPPED_INLINE = new Set(['tracked-changes', 'annotation-end', 'bookmark', 'desc', 'title', 'ruby-text']);

/** The name that `markHidden` gives to text that a person does not see. */
const HIDDEN = '#hidden';
const WHITE = /^#f[a-f]f[a-f]f[a-f]$/i;
/** In points: smaller text cannot be read. */
const TINY = 3;

type Unseen = 'always' | 'onPaper';

/** What a style says of its text itself; the rest comes from its parent. */
type Look = { isOff?: boolean; points?: string; color?: string; background?: string };

const LOOKS = { display: 'isOff', 'font-size': 'points', color: 'color', 'background-color': 'background' } as const;
const MOST_PARENTS = 20;

function lookOf(style: XmlElement): Look {
  const propertySets = [childOf(style, 'paragraph-properties'), childOf(style, 'text-properties')];
  const entries = Object.entries(LOOKS).flatMap(([name, key]) => {
    const value = propertySets
      .map((properties) => attribute(properties, name))
      .findLast((value) => value !== undefined && value !== 'transparent');
    return value === undefined ? [] : [[key, key === 'isOff' ? value === 'none' : value]];
  });
  return Object.fromEntries(entries);
}

/** Text of a style is unseen if it is switched off or under 3 pt, and on white paper if it is white itself. */
function unseenKind({ isOff, points, color, background }: Look): Unseen | undefined {
  const [, size] = /^([\d.]+)pt$/.exec(points ?? '') ?? [];
  if (isOff || (size !== undefined && Number(size) < TINY)) return 'always';
  const isOnWhite = background === undefined || WHITE.test(background);
  return isOnWhite && WHITE.test(color ?? '') ? 'onPaper' : undefined;
}

/** The styles of the document itself come before the common ones of the same name. */
function unseenStyles(files: readonly (XmlElement | undefined)[]): Map<string | undefined, Unseen> {
  const styles = new Map(
    files.flatMap((file) => allOf(file, 'style').map((style) => [attribute(style, 'name'), style] as const)),
  );
  const whole = (style: XmlElement | undefined, depth = 0): Look =>
    style && depth < MOST_PARENTS
      ? { ...whole(styles.get(attribute(style, 'parent-style-name')), depth + 1), ...lookOf(style) }
      : {};
  return new Map(
    Array.from(styles, ([name, style]) => [name, unseenKind(whole(style))] as const).filter(
      (entry): entry is [string | undefined, Unseen] => entry[1] !== undefined,
    ),
  );
}

/** Renames the spans, and wraps the content of the paragraphs, whose style hides them. */
function markHidden(root: XmlElement, common: XmlElement | undefined): void {
  const unseen = unseenStyles([common, root]);
  const mark = (parent: XmlElement, isOnWhite: boolean): void => {
    for (const child of elementsOf(parent).filter(({ name }) => !WITHOUT_TEXT.has(name))) {
      mark(child, isOnWhite && !MAY_HAVE_BACKGROUND.has(child.name));
      const how = unseen.get(attribute(child, 'style-name'));
      if (how === 'always' || (how === 'onPaper' && isOnWhite)) wrapHidden(child);
    }
  };
  if (unseen.size > 0) mark(root, true);
}

function wrapHidden(element: XmlElement): void {
  if (element.name === 'span') element.name = HIDDEN;
  else if (element.name === 'p' || element.name === 'h') element.children = [{ ...element, name: HIDDEN }];
}

/** What `markHidden` found within an element that is read as one line. */
const hiddenWithin = (element: XmlElement): string => allOf(element, HIDDEN).map(textOf).join('\n');

const WITHOUT_TEXT = new Set(['styles', 'automatic-styles']);
const MAY_HAVE_BACKGROUND = new Set(['table', 'frame', 'custom-shape', 'page']);

const FRAMES = new Set(['frame', 'custom-shape']);
const CHARACTERS: Record<string, (sign: XmlElement) => string> = {
  s: (sign) => ' '.repeat(Math.min(Number(attribute(sign, 'c') ?? 1) || 1, MAX_SPACES)),
  tab: () => '\t',
  'line-break': () => '\n',
};

function inlineText(paragraph: XmlElement): InlineText {
  const inline: InlineText = { text: '', hidden: '', notes: [], comments: [], frames: [] };
  collect(paragraph, inline);
  return inline;
}

function collect(parent: XmlElement, into: InlineText): void {
  for (const child of parent.children) {
    if (typeof child === 'string') into.text += child.replaceAll(/\s+/g, ' ');
    else if (child.name in CHARACTERS) into.text += CHARACTERS[child.name]?.(child) ?? '';
    else if (FRAMES.has(child.name)) into.frames.push(child);
    else if (!SKIPPED_INLINE.has(child.name)) collectElement(child, into);
  }
}

function collectElement(child: XmlElement, into: InlineText): void {
  if (child.name === 'note') addNote(child, into);
  else if (child.name === 'annotation') into.comments.push(commentText(child));
  else if (child.name === HIDDEN) into.hidden += inlineText(child).text;
  else collect(child, into);
}

function addNote(note: XmlElement, into: InlineText): void {
  const citation = childOf(note, 'note-citation');
  into.text += `[^${citation ? textOf(citation).trim() : into.notes.length + 1}]`;
  into.notes.push(note);
}

/** Blocks without text of the document itself. */
const SKIPPED_BLOCKS = new Set(['tracked-changes', 'forms', 'notes', 'annotation', 'sequence-decls', 'desc', 'title']);

/** Reads headings, paragraphs, lists, tables, frames and notes. `depth` is the list nesting, or 0 outside of lists. */
function readFlow(blocks: MarkdownBlocks, parent: XmlElement, depth = 0): void {
  for (const child of elementsOf(parent)) readChild(blocks, child, depth);
}

function readChild(blocks: MarkdownBlocks, child: XmlElement, depth: number): void {
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
    case 'annotation':
      readComments(blocks, [commentText(child)]);
      break;
    case 'frame':
    case 'custom-shape':
      readFrame(blocks, child, depth);
      break;
    case 'section':
      if (attribute(child, 'display') === 'none') blocks.hide(`${elementText(child)}\n${hiddenWithin(child)}`);
      else readFlow(blocks, child, depth);
      break;
    default:
      if (!SKIPPED_BLOCKS.has(child.name)) readFlow(blocks, child, depth);
  }
}

function readText(blocks: MarkdownBlocks, element: XmlElement, add: (text: string) => void): void {
  const { text, hidden, notes, comments, frames } = inlineText(element);
  add(text);
  blocks.hide(hidden);
  readComments(blocks, comments);
  for (const frame of frames) readChild(blocks, frame, 0);
  for (const note of notes) {
    const [, mark] = /(\[\^[^\]]*\])/.exec(inlineText({ ...note, children: [note] }).text) ?? [];
    blocks.paragraph(`${mark}: ${elementText(childOf(note, 'note-body'))}`);
  }
}

function readComments(blocks: MarkdownBlocks, comments: readonly string[]): void {
  for (const comment of comments) if (comment !== '') blocks.paragraph(`[Comment: ${comment}]`);
}

/** The author and the text of a comment. */
function commentText(comment: XmlElement): string {
  const text = oneLine(elementText(comment));
  const author = oneLine(childOf(comment, 'creator')?.children.join('') ?? '');
  return text === '' || author === '' ? text : `${author}: ${text}`;
}

/** The alternative text that an author gave to a picture or a shape. */
function readAltText(blocks: MarkdownBlocks, frame: XmlElement): void {
  const texts = ['title', 'desc']
    .map((name) => childOf(frame, name))
    .map((element) => (element ? oneLine(textOf(element)) : ''));
  const text = [...new Set(texts.filter(Boolean))].join(': ');
  if (text !== '') blocks.paragraph(`[Picture: ${text}]`);
}

function readFrame(blocks: MarkdownBlocks, frame: XmlElement, depth: number): void {
  const isTitle = attribute(frame, 'class') === 'title';
  readAltText(blocks, frame);
  if (isTitle) {
    blocks.heading(elementText(frame), 1);
    blocks.hide(hiddenWithin(frame));
  } else readFlow(blocks, frame, depth);
}

function readTable(blocks: MarkdownBlocks, table: XmlElement): void {
  blocks.table(allOf(table, 'table-row').map((row) => cellsOf(row).map(elementText)));
  blocks.hide(hiddenWithin(table));
}

/** Covered cells are kept, so that columns stay aligned. */
const cellsOf = (row: XmlElement): XmlElement[] =>
  elementsOf(row).filter(({ name }) => name === 'table-cell' || name === 'covered-table-cell');

function elementText(element: XmlElement | undefined): string {
  if (!element) return '';
  return elementsOf(element)
    .filter(({ name }) => !SKIPPED_BLOCKS.has(name))
    .map((child) => {
      if (child.name !== 'p' && child.name !== 'h') return elementText(child);
      const { text, frames, notes, comments } = inlineText(child);
      const aside = notes.map((note) => elementText(childOf(note, 'note-body')));
      return [text, ...frames.map(elementText), ...aside, ...comments.map((comment) => `[Comment: ${comment}]`)].join(
        ' ',
      );
    })
    .join(' ')
    .trim();
}

export function readOpenDocument({ bytes, budget }: ReaderInput): ReaderResult {
  const zip = openZip(bytes, budget);
  if (isEncrypted(zip)) throw unreadable('encrypted');
  const file = zip.entry('content.xml');
  if (!file) throw unreadable('corrupt');
  const root = parseXml(file);
  const body = firstOf(root, 'body');
  const [main] = body ? elementsOf(body) : [];
  switch (main?.name) {
    case 'text': {
      const styles = stylesIn(zip);
      markHidden(root, styles);
      return [...sectionsOf(flow(main, budget).all), ...marginsOf(styles, budget)];
    }
    case 'spreadsheet':
      return describeSheets(rawSheets(main, root, budget), budget);
    case 'presentation':
      markHidden(root, stylesIn(zip));
      return slidesOf(main, root, budget);
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

function stylesIn(zip: Zip): XmlElement | undefined {
  const file = zip.entry('styles.xml');
  return file ? parseXml(file) : undefined;
}

/** Headers and footers are part of the master pages. */
function marginsOf(styles: XmlElement | undefined, budget: ReadingBudget): DocumentPart[] {
  const masters = firstOf(styles, 'master-styles');
  return ['header', 'footer'].flatMap((name) => {
    const texts = allOf(masters, name).map((margin) => joinBlocks(flow(margin, budget).all));
    return [...new Set(texts)].map((text) => ({ label: name, text }));
  });
}

/** The show leaves out slides whose style hides them. */
function slidesOf(show: XmlElement, root: XmlElement, budget: ReadingBudget): DocumentPart[] {
  const hidden = allOf(root, 'style').filter(
    (style) => attribute(childOf(style, 'drawing-page-properties'), 'visibility') === 'hidden',
  );
  const names = new Set(hidden.map((style) => attribute(style, 'name')));
  return allOf(show, 'page').flatMap((page, at) =>
    slideParts(`slide ${at + 1}`, slideBlocks(page, budget), !names.has(attribute(page, 'style-name'))),
  );
}

function slideBlocks(page: XmlElement, budget: ReadingBudget): MarkdownBlocks {
  const blocks = flow(page, budget);
  const notes = childOf(page, 'notes');
  const spoken = notes ? joinBlocks(flow(notes, budget).all) : '';
  if (spoken !== '') blocks.paragraph(`Notes: ${spoken}`);
  return blocks;
}

const MAX_COLUMNS = 16_384;

/** The sheets of an ODS file: typed cells, merged ranges, hidden sheets, rows and columns, comments. */
function rawSheets(spreadsheet: XmlElement, styles: XmlElement | undefined, budget: ReadingBudget): RawSheet[] {
  const hiddenStyles = new Set(
    allOf(styles, 'style')
      .filter((style) => attribute(childOf(style, 'table-properties'), 'display') === 'false')
      .map((style) => attribute(style, 'name')),
  );
  return allOf(spreadsheet, 'table').map((sheet) => ({
    name: attribute(sheet, 'name') ?? '',
    hidden: hiddenStyles.has(attribute(sheet, 'style-name') ?? ''),
    ...rawSheet(sheet, budget),
  }));
}

const repetitions = (element: XmlElement, what: string): number =>
  Math.max(Number(attribute(element, what) ?? 1) || 1, 1);

const isHidden = (element: XmlElement): boolean => /^(?:collapse|filter)$/.test(attribute(element, 'visibility') ?? '');

/** Rows and cells of a sheet may claim to be repeated a million times. */
function rawSheet(sheet: XmlElement, budget: ReadingBudget): RawSheet {
  const rows: CellRows = new Map();
  const merges: CellRange[] = [];
  const comments: { cell: string; text: string }[] = [];
  const hiddenRows = new Set<number>();
  let number = 1;
  for (const row of allOf(sheet, 'table-row')) {
    const repeated = repetitions(row, 'number-rows-repeated');
    const rowContent = readRow(row, budget);
    // Empty rows are only counted, whatever their repetition.
    for (let n = 0; rowContent.cells.length > 0 && n < repeated; n++) {
      budget.countCells(rowContent.cells.length);
      rows.set(number + n, n === 0 ? rowContent.cells : rowContent.cells.map((cell) => ({ ...cell })));
      if (isHidden(row)) hiddenRows.add(number + n);
    }
    for (const { left, right, rows: height } of rowContent.spans)
      merges.push({ top: number, left, right, bottom: number + height - 1 });
    for (const { column, text } of rowContent.comments) comments.push({ cell: cellName(number, column), text });
    number += repeated;
  }
  return { rows, merges, hiddenRows, hiddenColumns: hiddenColumnsOf(sheet), comments };
}

function hiddenColumnsOf(sheet: XmlElement): Set<number> {
  const hidden = new Set<number>();
  let column = 0;
  for (const columnElement of allOf(sheet, 'table-column')) {
    const end = Math.min(column + repetitions(columnElement, 'number-columns-repeated'), MAX_COLUMNS);
    for (let at = column; isHidden(columnElement) && at < end; at++) hidden.add(at);
    column = end;
  }
  return hidden;
}

type ReadRow = {
  /** Sparse: empty cells are holes. */
  cells: SheetCell[];
  spans: { left: number; right: number; rows: number }[];
  comments: { column: number; text: string }[];
};

function readRow(row: XmlElement, budget: ReadingBudget): ReadRow {
  const content: ReadRow = { cells: [], spans: [], comments: [] };
  let column = 0;
  for (const element of elementsOf(row)) {
    if (element.name !== 'table-cell' && element.name !== 'covered-table-cell') continue;
    const repeated = repetitions(element, 'number-columns-repeated');
    const cell = cellOf(element, elementText(element));
    if (cell) {
      budget.countCells(repeated);
      for (let n = 0; n < repeated; n++) content.cells[column + n] = n === 0 ? cell : { ...cell };
      content.spans.push(...spanOf(element, column));
    }
    const text = commentOf(element);
    if (text !== '') content.comments.push({ column, text });
    column += repeated;
  }
  return content;
}

function spanOf(element: XmlElement, left: number): ReadRow['spans'] {
  const width = repetitions(element, 'number-columns-spanned');
  const rows = repetitions(element, 'number-rows-spanned');
  return width > 1 || rows > 1 ? [{ left, right: left + width - 1, rows }] : [];
}

function commentOf(element: XmlElement): string {
  const comment = childOf(element, 'annotation');
  return comment ? commentText(comment) : '';
}

/** Dates, percentages and currencies are stored with their type, whatever the format shows. */
function cellOf(element: XmlElement, text: string): SheetCell | undefined {
  if (text === '') return undefined;
  const value = Number(attribute(element, 'value') ?? Number.NaN);
  const type = attribute(element, 'value-type');
  switch (type) {
    case 'float':
      return Number.isFinite(value) ? { text, value, type: 'number' } : textCell(text);
    case 'percentage':
      return Number.isFinite(value) ? { text, value, type: 'percent' } : textCell(text);
    case 'currency': {
      const currency = attribute(element, 'currency');
      return Number.isFinite(value)
        ? { text, value, type: 'currency', ...definedFields({ currency }) }
        : textCell(text);
    }
    case 'date':
      return { text, value: attribute(element, 'date-value') ?? text, type: 'date' };
    case 'time':
      return { text, value: timeOf(attribute(element, 'time-value') ?? '') ?? text, type: 'date' };
    case 'boolean':
      return { text, value: attribute(element, 'boolean-value') === 'true', type: 'boolean' };
    default:
      return textCell(text);
  }
}

/** Writes a time of day such as `PT08H30M00S` as `08:30:00`. */
function timeOf(duration: string): string | undefined {
  const [, hours = '', minutes = '', seconds = ''] = /^PT(\d\d)H(\d\d)M(\d\d)(?:[.,]\d+)?S$/.exec(duration) ?? [];
  return hours === '' ? undefined : `${hours}:${minutes}:${seconds}`;
}
