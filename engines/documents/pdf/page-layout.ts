/** Layout of a PDF: headers and footers set apart, tables joined over page breaks, and each page written as Markdown. */

import type { Box, DocumentBlock, TextTable } from '../../../shared/files/reading-format.ts';
import type { DocumentPart, ReaderResult, ReadingBudget } from '../document.ts';
import type { ScannedText } from '../formats/image.ts';
import { hiddenPart, joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown.ts';
import { type Area, type PdfLine, toPage } from './lines.ts';
import type { PageItem } from './reading-order.ts';
import { joinLine, type PageTable } from './tables.ts';

/** `view` is the part of the page that is shown; `toBox` gives positions on the page as it is shown. */
export type PdfPage = {
  items: PageItem[];
  view: Area;
  toBox(area: Area): Box;
  hidden: string;
  /** Values of form fields, with their names. */
  fields: string[];
  /** What OCR read on a page without text. Undefined if its picture cannot be decoded. */
  scanned: ScannedText | undefined;
};
/** The lines of the page's header and footer stand apart from what is read between them. */
type LaidOutPage = { header: PdfLine[]; items: PageItem[]; footer: PdfLine[] };

/** Writes all pages, with what is hidden on a page as a part of its own. */
export function writePages(pages: readonly PdfPage[], budget: ReadingBudget): ReaderResult {
  const levelOf = headingLevels(pages.flatMap(({ items }) => items.flatMap(sizedTexts)));
  const laidOut = separateMargins(pages, levelOf);
  const { tables, continued } = joinTables(laidOut);
  const parts = pages.flatMap(({ fields, scanned, hidden, toBox }, at): DocumentPart[] => {
    const blocks = markdownBlocks(budget);
    const page = laidOut[at];
    const textBlocks = page ? writePage(page, { blocks, levelOf, toBox, continued }) : [];
    const scan = budget.countText(scanned?.text ?? '');
    for (const field of fields) blocks.item(field, 0);
    const read = scanned?.text ? { ocr: { confidence: scanned.confidence } } : {};
    const pageBlocks = [...textBlocks, ...(scanned?.blocks ?? [])];
    // A scanned text keeps its gaps, as they part columns.
    const text = joinBlocks([...(scan === '' ? [] : [{ text: scan }]), ...blocks.all]);
    const part = { label: `page ${at + 1}`, text, blocks: pageBlocks, ...read };
    return hidden === '' ? [part] : [part, hiddenPart({ label: part.label, text: budget.countText(hidden) })];
  });
  return { parts, tables: toTextTables(tables, pages) };
}

const sizedTexts = ({ line, table }: PageItem) =>
  line ? [line] : [{ size: table.size, text: table.rows.map((row) => row.join(' ')).join(' ') }];

/** Headers and footers stand within this share of the page's height. */
const MARGIN = 0.14;
const MIN_PAGES = 3;

/** A header or footer is a line that stands at one height of several pages, with the same words and other numbers. */
function separateMargins(pages: readonly PdfPage[], levelOf: HeadingLevelOf): LaidOutPage[] {
  const counts = new Map<string, number>();
  for (const page of pages) {
    const keys = page.items.flatMap(({ line }) => (line && marginOf(line, page.view) ? keysOf(line) : []));
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const minCount = Math.min(MIN_PAGES, pages.length);
  const isRepeated = (line: PdfLine) =>
    pages.length > 1 && levelOf(line) === undefined && keysOf(line).some((key) => (counts.get(key) ?? 0) >= minCount);
  return pages.map(({ items, view }) => {
    const laidOut: LaidOutPage = { header: [], items: [], footer: [] };
    for (const item of items) {
      const margin = item.line && marginOf(item.line, view);
      if (item.line && margin && isRepeated(item.line)) laidOut[margin].push(item.line);
      else laidOut.items.push(item);
    }
    return laidOut;
  });
}

function marginOf({ left, right, base, size, turn }: PdfLine, { bottom, top }: Area): 'header' | 'footer' | undefined {
  const area = toPage({ left, right, bottom: base, top: base + size }, turn);
  const height = top - bottom;
  if (area.bottom > top - MARGIN * height) return 'header';
  return area.top < bottom + MARGIN * height ? 'footer' : undefined;
}

/** Positions are compared with a tolerance, so a line has the keys of two neighbouring steps. */
const STEP = 6;
const keysOf = ({ text, base }: PdfLine): string[] => {
  const words = text.replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ');
  return [0, 0.5].map((shift) => `${shift} ${Math.floor(base / STEP + shift)} ${words}`);
};

/** A table with the page that it begins on, and on each page the rows that stand there. */
type JoinedTable = { table: PageTable; page: number; rows: string[][]; headerRows: number };
type Continued = { from: JoinedTable; repeated: number };
type Continuations = Map<PageTable, Continued>;

const MAX_LINES_BETWEEN = 3;

/** Joins tables with the same columns over page breaks; header rows that are repeated count once. */
function joinTables(pages: readonly LaidOutPage[]): { tables: JoinedTable[]; continued: Continuations } {
  const tables: JoinedTable[] = [];
  const continued: Continuations = new Map();
  let open: JoinedTable | undefined;
  pages.forEach(({ items }, page) => {
    const pageTables = items.flatMap(({ table }) => table ?? []);
    pageTables.forEach((table, at) => {
      const before = items.findIndex((item) => item.table === table);
      if (at > 0 || !open || !appendContinuation(open, table, before, continued)) {
        open = { table, page, rows: [...table.rows], headerRows: headerRowsOf(table.rows) };
        tables.push(open);
      }
    });
    // Only a table at the end of a page can go on.
    const last = items.findLastIndex(({ table }) => table);
    if (last < 0 || items.length - 1 - last > MAX_LINES_BETWEEN) open = undefined;
  });
  return { tables, continued };
}

/** Adds the rows of the first table of a page to the last one of the page before, if it has the same columns. */
function appendContinuation(open: JoinedTable, table: PageTable, before: number, continued: Continuations): boolean {
  const mapping = columnsWithin(table, open.table);
  if (!mapping) return false;
  const repeated = repeatedRows(table, open, mapping);
  if (before > 0 && (repeated === 0 || before > MAX_LINES_BETWEEN)) return false;
  const width = open.table.columns.length;
  for (const row of table.rows.slice(repeated)) open.rows.push(mapCells(row, mapping, width));
  continued.set(table, { from: open, repeated });
  return true;
}

/** Returns the column of the earlier table for each column of the later one. */
function columnsWithin(later: PageTable, earlier: PageTable): number[] | undefined {
  if (later.isRuled !== earlier.isRuled) return undefined;
  if (later.columns.length > earlier.columns.length || later.columns.length * 2 < earlier.columns.length)
    return undefined;
  const mapping: number[] = [];
  for (const { left, right } of later.columns) {
    const overlaps = earlier.columns.map((column) => Math.min(column.right, right) - Math.max(column.left, left));
    const best = overlaps.indexOf(Math.max(...overlaps));
    if ((overlaps[best] ?? 0) <= 0 || best <= (mapping.at(-1) ?? -1)) return undefined;
    mapping.push(best);
  }
  return mapping;
}

function mapCells(row: readonly string[], mapping: readonly number[], width: number): string[] {
  const cells = Array.from({ length: width }, () => '');
  row.forEach((cell, at) => {
    cells[mapping[at] ?? 0] = cell;
  });
  return cells;
}

const comparableText = (row: readonly string[] | undefined): string =>
  (row ?? []).join('').replaceAll(/\s+/g, '').toLowerCase();

function repeatedRows(later: PageTable, { rows, headerRows }: JoinedTable, mapping: readonly number[]): number {
  let repeated = 0;
  while (repeated < Math.max(headerRows, 1) && repeated < later.rows.length) {
    const row = later.rows[repeated] ?? [];
    if (comparableText(row) !== comparableText(rows[repeated]) || comparableText(mapCells(row, mapping, 0)) === '')
      break;
    repeated++;
  }
  return repeated;
}

const MAX_HEADER_ROWS = 4;
const isNumber = (cell: string): boolean =>
  /\d/.test(cell) && /^[\p{Sc}A-Z]{0,3}[\p{Sc}\d\s.,'%()+–—/:-]+\p{Sc}?$/u.test(cell.trim());
const isYear = (cell: string): boolean => /^(?:19|20)\d\d$/.test(cell.trim());

/** Rows that hold no number where the rows below do. A table of words only has its first row as header. */
function headerRowsOf(rows: readonly string[][]): number {
  const hasNumbers = (row: readonly string[]) => row.some((cell) => isNumber(cell) && !isYear(cell));
  const first = rows.findIndex(hasNumbers);
  if (first < 0) return rows.length > 1 ? 1 : 0;
  if (first === 0) return 0;
  return first <= MAX_HEADER_ROWS ? first : 1;
}

/** Returns the tables as they are given out, with the places where they begin. */
const toTextTables = (tables: readonly JoinedTable[], pages: readonly PdfPage[]): TextTable[] =>
  tables.map(({ table, page, rows, headerRows }) => {
    const header = rows[headerRows - 1] ?? [];
    const box = pages[page]?.toBox(toPage(table, table.turn));
    return {
      place: `page ${page + 1}`,
      ...(box ? { box } : {}),
      headerRows,
      header: headerRows > 1 ? joinedHeader(rows.slice(0, headerRows)) : header,
      rows: rows.slice(headerRows),
      rowCount: rows.length - headerRows,
    };
  });

/** Names of several rows are joined from top to bottom, column by column, without titles over all columns. */
function joinedHeader(rows: readonly string[][]): string[] {
  const nameRows = rows.filter((row) => row.filter((cell) => cell !== '').length > 1);
  return (rows.at(-1) ?? []).map((_, at) => nameRows.map((row) => row[at] ?? '').reduce(joinNames, ''));
}

/** A name that goes on in the next row is one name; otherwise the upper one names a group. */
function joinNames(name: string, next: string): string {
  if (name === '' || next === '') return name + next;
  return /^[\p{Ll}(]/u.test(next) || /[/-]$/.test(name) ? `${name} ${next}` : `${name} / ${next}`;
}

/** These distances are fractions of the font size. */
const PARAGRAPH_LEADING = 1.75;
const INDENT = 4;
/** What stands further to the right on the same line is another paragraph, such as the other party's signature. */
const BESIDE = 6;
/** A clause or item, whose number stands close to its text. */
const NUMBERED = /^\(?\d{1,3}[.)]\s+\p{Lu}/u;
const BULLET = /^(?:[•▪◦‣●○■–\uf0b7]\s*|-\s+(?=\p{L}))(?=\S)/u;

type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'header' | 'footer';
type Writing = {
  blocks: MarkdownBlocks;
  levelOf: HeadingLevelOf;
  toBox(area: Area): Box;
  continued: Continuations;
};

/** Writes a page and returns its blocks with their positions. */
function writePage({ header, items, footer }: LaidOutPage, writing: Writing): DocumentBlock[] {
  const pageBlocks: DocumentBlock[] = [];
  const { blocks, levelOf, toBox, continued } = writing;
  const add = (kind: BlockKind, area: Area, write: () => void) => {
    const before = blocks.all.length;
    write();
    const [block] = blocks.all.slice(before);
    if (block) pageBlocks.push({ kind, text: block.text, box: toBox(area) });
  };
  for (const line of header) add('header', areaOf([line]), () => blocks.paragraph(line.text));
  for (let at = 0; at < items.length; ) {
    const { table } = items[at] ?? {};
    const lines = table ? [] : paragraphAt(items, at, levelOf);
    if (table) add('table', toPage(table, table.turn), () => blocks.table(rowsToShow(table, continued.get(table))));
    else add(...paragraphOf(lines, writing));
    at += Math.max(lines.length, 1);
  }
  for (const line of footer) add('footer', areaOf([line]), () => blocks.paragraph(line.text));
  return pageBlocks;
}

/** Returns the kind of a paragraph, its position, and how it is written. */
function paragraphOf(
  lines: readonly PdfLine[],
  { blocks, levelOf }: Writing,
): [kind: BlockKind, area: Area, write: () => void] {
  const area = areaOf(lines);
  const text = textOf(lines);
  const [first] = lines;
  const { mark } = first ?? {};
  if (mark !== undefined) return ['list', area, () => blocks.item(text, 0, /\w/.test(mark) ? mark : '-')];
  // A number in large type alone does not name what follows.
  const level = first && /\p{L}/u.test(text) ? levelOf(first) : undefined;
  if (level !== undefined) return ['heading', area, () => blocks.heading(text, level)];
  if (BULLET.test(text)) return ['list', area, () => blocks.item(text.replace(BULLET, ''), 0)];
  return ['paragraph', area, () => blocks.paragraph(text)];
}

/** A label with its value on a line of its own, such as `Due date: 3 March`. */
const LABELLED = /^\p{L}[^:]{1,38}: \S/u;

/** Joins lines to running text, but lists of labels and values stay one below the other. */
const textOf = (lines: readonly PdfLine[]): string =>
  lines.reduce((text, line, at) => {
    const last = lines[at - 1];
    const isBelow = last !== undefined && Math.abs(last.base - line.base) > line.size / 2;
    const isListed = isLabelled(line) && lines.slice(Math.max(0, at - 2), at).some(isLabelled);
    return isBelow && (isListed || isOfOtherSize(last, line)) ? `${text}\n${line.text}` : joinLine(text, line.text);
  }, '');

/** Running text has one size; the label above a value is smaller. */
const isOfOtherSize = (last: PdfLine, line: PdfLine): boolean =>
  Math.max(last.size, line.size) > MIN_SIZE_RATIO * Math.min(last.size, line.size);
const MIN_SIZE_RATIO = 1.2;

const isLabelled = ({ text }: PdfLine): boolean => LABELLED.test(text);

/** A table that goes on from the page before is shown under the same header. */
function rowsToShow({ rows }: PageTable, continued: Continued | undefined): string[][] {
  if (!continued || continued.repeated > 0) return rows;
  const { from } = continued;
  const header = from.rows.slice(0, from.headerRows);
  return header.length > 0 && from.table.columns.length === rows[0]?.length ? [...header, ...rows] : rows;
}

function areaOf(lines: readonly PdfLine[]): Area {
  const areas = lines.map(({ left, right, base, size, turn }) =>
    toPage({ left, right, bottom: base - 0.2 * size, top: base + 0.9 * size }, turn),
  );
  return {
    left: Math.min(...areas.map(({ left }) => left)),
    right: Math.max(...areas.map(({ right }) => right)),
    bottom: Math.min(...areas.map(({ bottom }) => bottom)),
    top: Math.max(...areas.map(({ top }) => top)),
  };
}

/** Returns the lines of one heading, list item or paragraph. */
function paragraphAt(items: readonly PageItem[], begin: number, levelOf: HeadingLevelOf): PdfLine[] {
  const first = items[begin]?.line;
  if (!first) return [];
  const lines = [first];
  const level = levelOf(first);
  let { left } = first;
  for (let at = begin + 1; ; at++) {
    const line = items[at]?.line;
    const last = lines.at(-1) ?? first;
    if (!line || levelOf(line) !== level || !belongsToParagraph(last, line, left) || beginsParagraph(line))
      return lines;
    // A label below the mark of an item is not part of it.
    if (BULLET.test(first.text) && isLabelled(line) && line.left - first.left < first.size / 2) return lines;
    left = Math.min(left, line.left);
    lines.push(line);
  }
}

const beginsParagraph = ({ mark, text }: PdfLine): boolean =>
  mark !== undefined || BULLET.test(text) || NUMBERED.test(text);

/** `left` is the left edge of the paragraph. */
function belongsToParagraph(last: PdfLine, line: PdfLine, left: number): boolean {
  if (last.turn !== line.turn) return false;
  const down = last.base - line.base;
  const size = Math.max(last.size, line.size);
  if (Math.abs(down) < size / 2) return /[:：]$/.test(last.text) || line.left - last.right < BESIDE * size;
  return down > 0 && down < PARAGRAPH_LEADING * size && Math.abs(line.left - left) < INDENT * size;
}

const MIN_HEADING_RATIO = 1.12;
const MAX_LEVELS = 4;
const MAX_HEADING_LENGTH = 150;
/** If more than this share of all text has a size, that size is not a heading. */
const MAX_SHARE = 0.2;

type HeadingLevelOf = (line: PdfLine) => number | undefined;

/** Finds headings: lines in a larger font than most of the document. The largest font is level 1. */
function headingLevels(lines: readonly Pick<PdfLine, 'size' | 'text'>[]): HeadingLevelOf {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    lengths.set(roundedSize(size), (lengths.get(roundedSize(size)) ?? 0) + text.length);
  }
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const [body = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
  const sizes = [...lengths]
    .filter(([size, length]) => size > body * MIN_HEADING_RATIO && length < total * MAX_SHARE)
    .map(([size]) => size)
    .sort((a, b) => b - a);
  return ({ size, text }) => {
    const at = sizes.indexOf(roundedSize(size));
    return at < 0 || text.length > MAX_HEADING_LENGTH ? undefined : Math.min(at + 1, MAX_LEVELS);
  };
}

const roundedSize = (size: number): number => Math.round(size * 2) / 2;
