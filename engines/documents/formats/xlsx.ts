/**
 * XLSX: the cells of every sheet as displayed and stored, streamed so that a huge sheet reaches a limit before the heap
 * is full.
 */
import { type ReaderInput, type ReaderResult, type ReadingBudget, unreadable } from '../document.ts';
import { joinBlocks, markdownBlocks } from '../markdown.ts';
import { type DrawingSource, drawingLine, drawingSource, isOpaquePhoto, readGraphic } from '../office/drawings.ts';
import { type NumberFormatter, numberFormatter } from '../sheets/number-formats.ts';
import {
  booleanCell,
  type CellRange,
  type CellRows,
  cellName,
  columnOf,
  parseRange,
  type RawSheet,
  type SheetCell,
  textCell,
} from '../sheets/sheet.ts';
import { describeSheets } from '../sheets/sheet-parts.ts';
import { allOf, attribute, childOf, elementsOf, firstOf, parseXml, textOf, walkXml, type XmlElement } from '../xml.ts';
import { mainPart, openZip, type Relation, relationsOf, type Zip } from '../zip.ts';

/** The number format of each cell style: a code, or the number of a built-in one. */
function formatsOf(styles: XmlElement | undefined): (string | number)[] {
  const sheet = childOf(styles, 'styleSheet');
  const customFormats = new Map(
    children(childOf(sheet, 'numFmts')).map((format) => [
      Number(attribute(format, 'numFmtId')),
      attribute(format, 'formatCode') ?? 'General',
    ]),
  );
  return children(childOf(sheet, 'cellXfs')).map((style) => {
    const id = Number(attribute(style, 'numFmtId') ?? 0);
    return customFormats.get(id) ?? id;
  });
}

/** Whether a person sees cells of a style: never, or not on a white background. */
type Unseen = 'always' | 'onWhite' | undefined;

/** In points: smaller text cannot be read. */
const TINY = 3;

/** Judges each cell style by its font, its fill, and a number format that shows nothing. */
function unseenStyles(styles: XmlElement | undefined, formats: readonly (string | number)[]): Unseen[] {
  const sheet = childOf(styles, 'styleSheet');
  const fonts = children(childOf(sheet, 'fonts'));
  const fills = children(childOf(sheet, 'fills'));
  return children(childOf(sheet, 'cellXfs')).map((style, at) => {
    const font = fonts[Number(attribute(style, 'fontId') ?? 0)];
    const fill = firstOf(fills[Number(attribute(style, 'fillId') ?? 0)], 'patternFill');
    const color = childOf(font, 'color');
    const isWhite = /^(?:FF)?FFFFFF$/i.test(attribute(color, 'rgb') ?? '') || attribute(color, 'theme') === '0';
    const size = Number(attribute(childOf(font, 'sz'), 'val') ?? TINY);
    if (size < TINY || String(formats[at]).startsWith(';;;')) return 'always';
    return isWhite && (attribute(fill, 'patternType') ?? 'none') === 'none' ? 'onWhite' : undefined;
  });
}

const children = (element: XmlElement | undefined): XmlElement[] => (element ? elementsOf(element) : []);

type Workbook = {
  shared: string[];
  formats: (string | number)[];
  unseen: Unseen[];
  format: NumberFormatter;
  budget: ReadingBudget;
};

export function readXlsx({ bytes, budget }: ReaderInput): ReaderResult {
  const zip = openZip(bytes, budget);
  const main = mainPart(zip, 'xl/workbook.xml');
  const file = zip.entry(main);
  if (!file) throw unreadable('corrupt');
  const root = parseXml(file);
  const relations = relationsOf(zip, main);
  const fileOf = (type: string) => {
    const relation = relations.find((candidate) => candidate.type === type);
    return relation && zip.entry(relation.target);
  };
  const stylesFile = fileOf('styles');
  const styles = stylesFile && parseXml(stylesFile);
  const formats = formatsOf(styles);
  const authors = authorsIn(fileOf('person'));
  const date1904 = isOn(attribute(firstOf(root, 'workbookPr'), 'date1904'));
  const workbook: Workbook = {
    shared: sharedStrings(fileOf('sharedStrings'), budget),
    formats,
    unseen: unseenStyles(styles, formats),
    format: numberFormatter(date1904),
    budget,
  };
  const sheets = allOf(root, 'sheet').flatMap((sheet): RawSheet[] => {
    const id = Object.entries(sheet.attributes).find(([name]) => name.endsWith(':id'))?.[1];
    const path = relations.find((relation) => relation.id === id && relation.type === 'worksheet')?.target;
    const cells = path === undefined ? undefined : zip.entry(path);
    if (path === undefined || !cells) return [];
    const name = attribute(sheet, 'name') ?? '';
    const hidden = /^(?:hidden|veryHidden)$/.test(attribute(sheet, 'state') ?? '');
    const sheetRelations = relationsOf(zip, path);
    const raw = rawSheet(cells, workbook);
    const declared = [...(raw.declared ?? []), ...tablesIn(zip, sheetRelations)];
    const drawings = drawingsIn(zip, sheetRelations, budget);
    raw.hiddenCells?.push(...cellsBehind(zip, sheetRelations, raw.rows));
    return [{ name, hidden, ...raw, declared, comments: commentsIn(zip, sheetRelations, authors), drawings }];
  });
  return describeSheets(sheets, budget);
}

const isOn = (value: string | undefined): boolean => /^(?:1|true)$/.test(value ?? '');

function sharedStrings(file: Buffer | undefined, budget: ReadingBudget): string[] {
  const strings: string[] = [];
  let text = '';
  let inside = false;
  let phonetic = false;
  if (file) {
    walkXml(file, {
      open(name) {
        if (name === 'si') text = '';
        if (name === 't') inside = true;
        if (name === 'rPh') phonetic = true;
      },
      text(piece) {
        if (inside && !phonetic) text += piece;
      },
      close(name) {
        if (name === 't') inside = false;
        if (name === 'rPh') phonetic = false;
        if (name !== 'si') return;
        budget.countCells(1);
        strings.push(text);
      },
    });
  }
  return strings;
}

/** The ranges of the tables that the workbook declares, if they have a header. */
const tablesIn = (zip: Zip, relations: readonly Relation[]): CellRange[] =>
  filesOf(zip, relations, 'table').flatMap((root) => {
    const table = childOf(root, 'table');
    return attribute(table, 'headerRowCount') === '0' ? [] : (parseRange(attribute(table, 'ref') ?? '') ?? []);
  });

type Cell = { reference: string; type: string; style: number; value: string; formula: string };

/** Merged ranges and hidden columns that are read of a sheet; a hostile one may declare millions. */
const MAX_RANGES = 20_000;
const MAX_COLUMNS = 16_384;

const VALUE_END = '</v>';

/** Counts the values before they are read, which takes a fraction of the time, so that a huge sheet is refused at once. */
function limitValues(file: Buffer, budget: ReadingBudget): void {
  let remaining = budget.cellsLeft();
  for (let at = file.indexOf(VALUE_END); at >= 0; at = file.indexOf(VALUE_END, at + VALUE_END.length)) {
    if (--remaining < 0) throw unreadable('tooLarge');
  }
}

function rawSheet(file: Buffer, workbook: Workbook): RawSheet {
  limitValues(file, workbook.budget);
  const rows: CellRows = new Map();
  const merges: CellRange[] = [];
  const declared: CellRange[] = [];
  const hiddenRows = new Set<number>();
  const hiddenColumns = new Set<number>();
  const unseen: { row: number; column: number; look: Unseen }[] = [];
  let hasBackground = false;
  const setBackground = () => {
    hasBackground = true;
  };
  let row = 0;
  let column = -1;
  let cell: Cell | undefined;
  let into: 'value' | 'formula' | undefined;
  const openers: Record<string, (attributes: Record<string, string>) => void> = {
    row({ r, hidden }) {
      row = Number(r ?? row + 1);
      column = -1;
      if (isOn(hidden)) hiddenRows.add(row);
    },
    c({ r = '', t = 'n', s = '0' }) {
      cell = { reference: r, type: t, style: Number(s), value: '', formula: '' };
    },
    col(attributes) {
      if (isOn(attributes.hidden)) addColumns(hiddenColumns, attributes);
    },
    mergeCell(attributes) {
      if (merges.length < MAX_RANGES) merges.push(...rangesOf(attributes));
    },
    autoFilter: (attributes) => declared.push(...rangesOf(attributes)),
    conditionalFormatting: setBackground,
    tablePart: setBackground,
    picture: setBackground,
  };
  walkXml(file, {
    open(name, attributes) {
      openers[name]?.(attributes);
      into = INTO[name] ?? into;
    },
    text(piece) {
      if (cell && into) cell[into] += piece;
    },
    close(name) {
      if (name in INTO) into = undefined;
      if (name !== 'c' || !cell) return;
      column = columnOf(cell.reference) ?? column + 1;
      const parsedCell = cellOf(cell, workbook);
      const look = workbook.unseen[cell.style];
      cell = undefined;
      if (!parsedCell) return;
      workbook.budget.countCells(1);
      const cells = rows.get(row) ?? [];
      cells[column] = parsedCell;
      rows.set(row, cells);
      if (look) unseen.push({ row, column, look });
    },
  });
  const hiddenCells = unseen.flatMap(({ row: at, column: index, look }) =>
    look === 'always' || !hasBackground ? takeCell(rows, at, index) : [],
  );
  return { rows, merges, declared, hiddenRows, hiddenColumns, hiddenCells };
}

/** Removes a cell, and its row if nothing else stands in it. */
function takeCell(rows: CellRows, row: number, column: number): { cell: string; text: string }[] {
  const cells = rows.get(row);
  const removed = cells?.[column];
  if (!cells || !removed) return [];
  delete cells[column];
  if (!cells.some(Boolean)) rows.delete(row);
  return [{ cell: cellName(row, column), text: removed.text }];
}

/** The elements whose text is the value or the formula of a cell. */
const INTO: Record<string, 'value' | 'formula'> = { v: 'value', t: 'value', f: 'formula' };

const rangesOf = ({ ref = '' }: Record<string, string>): CellRange[] => {
  const range = parseRange(ref);
  return range ? [range] : [];
};

function addColumns(columns: Set<number>, { min = '0', max = '0' }: Record<string, string>): void {
  for (let column = Number(min); column <= Math.min(Number(max), MAX_COLUMNS); column++) columns.add(column - 1);
}

function cellOf({ type, style, value, formula }: Cell, { shared, formats, format }: Workbook): SheetCell | undefined {
  if (value === '') return formula === '' ? undefined : { text: `=${formula}`, value: null, type: 'text' };
  switch (type) {
    case 's': {
      const text = shared[Number(value)] ?? '';
      return text.trim() === '' ? undefined : textCell(text);
    }
    case 'b':
      return booleanCell(value === '1');
    case 'd':
      return { text: value, value, type: 'date' };
    case 'n': {
      const number = Number(value);
      return Number.isFinite(number) ? format(number, formats[style] ?? 0) : textCell(value);
    }
    default:
      return value.trim() === '' ? undefined : textCell(value);
  }
}

const filesOf = (zip: Zip, relations: readonly Relation[], type: string): XmlElement[] =>
  relations.flatMap((relation) => {
    const file = relation.type === type ? zip.entry(relation.target) : undefined;
    return file ? [parseXml(file)] : [];
  });

/** The names of those who wrote threaded comments, by their ids. */
const authorsIn = (file: Buffer | undefined): Map<string, string> =>
  new Map(
    (file ? allOf(parseXml(file), 'person') : []).map((person) => [
      attribute(person, 'id') ?? '',
      attribute(person, 'displayName') ?? '',
    ]),
  );

type Comment = { cell: string; text: string };

/** Excel writes a threaded comment a second time as a note with an explanation, which is left out. */
function commentsIn(zip: Zip, relations: readonly Relation[], authors: Map<string, string>): Comment[] {
  const threaded = filesOf(zip, relations, 'threadedComment').flatMap((root) =>
    allOf(root, 'threadedComment').map((comment) => {
      const author = authors.get(attribute(comment, 'personId') ?? '') ?? '';
      return commentOf(comment, author, textOf(childOf(comment, 'text') ?? comment));
    }),
  );
  const cells = new Set(threaded.map(({ cell }) => cell));
  const notes = filesOf(zip, relations, 'comments').flatMap((root) => {
    const authors = allOf(firstOf(root, 'authors'), 'author').map(textOf);
    return allOf(root, 'comment').map((comment) => {
      const author = authors[Number(attribute(comment, 'authorId') ?? -1)] ?? '';
      return commentOf(comment, author, allOf(childOf(comment, 'text'), 't').map(textOf).join(''));
    });
  });
  return [...threaded, ...notes.filter(({ cell }) => !cells.has(cell))].filter(({ text }) => text !== '');
}

/** Excel begins the text of a note with its author's name. */
function commentOf(comment: XmlElement, author: string, text: string): Comment {
  const content = text.trim().replaceAll(/\s+/g, ' ');
  const isNamed = author === '' || author.startsWith('tc=') || content === '' || content.startsWith(`${author}:`);
  return { cell: attribute(comment, 'ref') ?? '', text: isNamed ? content : `${author}: ${content}` };
}

/** Writes text boxes, charts and alternative texts, each with the cell that it is anchored to. */
function drawingsIn(zip: Zip, relations: readonly Relation[], budget: ReadingBudget): SheetDrawing[] {
  return relations.flatMap(({ type, target }) => {
    const file = type === 'drawing' ? zip.entry(target) : undefined;
    if (!file) return [];
    const source = drawingSource(zip, target);
    return elementsOf(parseXml(file))
      .flatMap(elementsOf)
      .flatMap((anchor) => anchored(anchor, source, budget));
  });
}

const MAX_PHOTOS = 20;
/** Takes the cells that stand wholly behind a photo. */
function cellsBehind(zip: Zip, relations: readonly Relation[], rows: CellRows): { cell: string; text: string }[] {
  const behind = relations.flatMap(({ type, target }) => {
    const file = type === 'drawing' ? zip.entry(target) : undefined;
    if (!file) return [];
    const source = drawingSource(zip, target);
    return allOf(parseXml(file), 'twoCellAnchor').flatMap((anchor) =>
      elementsOf(anchor).some((drawing) => isOpaquePhoto(drawing, source)) ? [coveredRange(anchor)] : [],
    );
  });
  return behind
    .slice(0, MAX_PHOTOS)
    .flatMap(({ top, left, bottom, right }) =>
      [...rows]
        .filter(([row]) => row >= top && row <= bottom)
        .flatMap(([row, cells]) =>
          [...cells.keys()].flatMap((column) => (column >= left && column <= right ? takeCell(rows, row, column) : [])),
        ),
    );
}

/** A cell at an edge of the drawing is covered only if the edge is its own. */
function coveredRange(anchor: XmlElement): CellRange {
  const numberAt = (corner: string, name: string) =>
    Math.max(0, Math.floor(Number(textOf(childOf(childOf(anchor, corner), name) ?? anchor)))) || 0;
  const first = (axis: string) => numberAt('from', axis) + (numberAt('from', `${axis}Off`) > 0 ? 1 : 0);
  return {
    top: first('row') + 1,
    left: first('col'),
    bottom: numberAt('to', 'row'),
    right: numberAt('to', 'col') - 1,
  };
}

type SheetDrawing = { cell: string; text: string };

function anchored(anchor: XmlElement, source: DrawingSource, budget: ReadingBudget): SheetDrawing[] {
  const blocks = markdownBlocks(budget);
  for (const body of allOf(anchor, 'txBody'))
    for (const paragraph of allOf(body, 'p')) blocks.paragraph(drawingLine(paragraph));
  readGraphic(blocks, anchor, source);
  if (blocks.all.length === 0) return [];
  const from = childOf(anchor, 'from');
  const numberOf = (name: string): number => {
    const element = childOf(from, name);
    return element ? Math.max(0, Math.floor(Number(textOf(element)))) || 0 : 0;
  };
  return [{ cell: cellName(numberOf('row') + 1, numberOf('col')), text: joinBlocks(blocks.all) }];
}
