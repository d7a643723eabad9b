/** Puts the blocks of a report on pages of a PDF: paragraphs, lists, quotes, tables that continue on the next page, and charts. */

import { type Chart, cleanLabel, describeChart } from '../../charts/chart.ts';
import { drawChart } from '../../charts/chart-image.ts';
import { colourOf, type Drawing, type DrawingShape, LIGHT } from '../../charts/drawing.ts';
import { type ReportBlock, reportWords, type TextRun } from '../report-document.ts';
import {
  A4,
  BOTTOM,
  breakLines,
  ensureSpace,
  fill,
  INK,
  type LaidOutLine,
  MARGIN,
  type PageFlow,
  type PdfFonts,
  putLine,
  putLines,
  type ReportPage,
  type StructureTag,
  type StyledText,
  short,
  startPage,
  stroke,
  type TextStyle,
  WIDTH,
} from './pages.ts';

const MAX_WORD_WIDTH = 90;
const MAX_CELL_WIDTH = 260;

/**
 * Divides the width of a page among the columns of a table: each gets its preferred width if possible, otherwise a
 * proportional share.
 */
function columnWidths(rows: readonly StyledText[][][], room: number, padding: number): number[] {
  const count = rows[0]?.length ?? 0;
  const inner = room - 2 * padding * (count - 1);
  const preferred = columnMaxima(rows, count, (cell) => Math.min(widthOf(cell), MAX_CELL_WIDTH));
  const ofWords = columnMaxima(rows, count, (cell) => Math.min(longestWord(cell), MAX_WORD_WIDTH));
  // Short cells, such as dates and names, stay on one line if the others have room to wrap.
  const unbroken = preferred.map((width, at) => (width <= MAX_WORD_WIDTH ? width : (ofWords[at] ?? 0)));
  const minimal = sum(unbroken) <= inner ? unbroken : ofWords;
  const [preferredSum, minimalSum] = [sum(preferred), sum(minimal)];
  if (preferredSum <= inner) return preferred.map((width) => width + (inner - preferredSum) / count);
  if (minimalSum >= inner) return minimal.map((width) => (width / minimalSum) * inner);
  const share = (inner - minimalSum) / (preferredSum - minimalSum);
  return preferred.map((width, at) => (minimal[at] ?? 0) + (width - (minimal[at] ?? 0)) * share);
}

const columnMaxima = (
  rows: readonly StyledText[][][],
  count: number,
  width: (cell: readonly StyledText[]) => number,
): number[] =>
  Array.from({ length: count }, (_, at) => rows.reduce((widest, row) => Math.max(widest, width(row[at] ?? [])), 8) + 1);

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

const widthOf = (cell: readonly StyledText[]): number =>
  sum(cell.map(({ text, look }) => look.font.widthOf(text, look.size, look.isTabular)));

/** The citations after the last word count as part of it. */
function longestWord(cell: readonly StyledText[]): number {
  const [first, ...citationPieces] = cell;
  if (!first) return 0;
  const { font, size, isTabular } = first.look;
  const words = first.text.split(/\s+/).map((word) => font.widthOf(word, size, isTabular));
  return Math.max(...words.slice(0, -1), (words.at(-1) ?? 0) + widthOf(citationPieces));
}

export const BODY = { size: 10, leading: 15 };
const GAP = 8;
const INDENT = 18;

const lookOf = ({ fonts }: PageFlow, more: Partial<TextStyle> & { strong?: boolean } = {}): TextStyle => {
  const { strong = false, ...style } = more;
  return { font: strong ? fonts.semiBold : fonts.regular, size: BODY.size, colour: INK.text, ...style };
};

function citedPieces(flow: PageFlow, citations: readonly number[] = [], size = BODY.size): StyledText[] {
  return citations.map((number) => ({
    text: `[${number}]`,
    look: lookOf(flow, { size: size * 0.72, rise: size * 0.33, colour: INK.link, target: { to: `source-${number}` } }),
  }));
}

function piecesOf(flow: PageFlow, runs: readonly TextRun[]): StyledText[] {
  const [plain, strong] = [lookOf(flow), lookOf(flow, { strong: true })];
  return runs.flatMap((run) => [
    { text: run.text, look: run.strong ? strong : plain },
    ...citedPieces(flow, run.citations),
    ...(run.mark ? [{ text: ` (${run.mark})`, look: lookOf(flow, { size: MARK_SIZE, colour: INK.soft }) }] : []),
  ]);
}

const MARK_SIZE = 8;
const LEAD_LINES = 3;

/**
 * The height of the part of a block that has to stand on the page of the heading above it: the whole of a chart or of a
 * short quote, the head and first row of a table, the first lines of a text.
 */
export function leadHeight(flow: PageFlow, block: ReportBlock | undefined, language: string): number {
  switch (block?.kind) {
    case 'chart':
      return chartLayout(flow, block.chart, citedPieces(flow, block.citations), language).height;
    case 'table': {
      const { caption, headRow, rows } = tableLayout(flow, block);
      return caption.length * CAPTION.leading + 3 + headRow.height + (rows[0]?.height ?? 0);
    }
    case 'quote': {
      const height = quoteLines(flow, block).length * BODY.leading;
      return height < MAX_WHOLE_QUOTE ? height : LEAD_LINES * BODY.leading;
    }
    default:
      return LEAD_LINES * BODY.leading;
  }
}

export function putBlock(flow: PageFlow, block: ReportBlock, language: string): void {
  switch (block.kind) {
    case 'paragraph':
      putText(flow, piecesOf(flow, block.runs), 'P');
      break;
    case 'list':
      putList(flow, block);
      break;
    case 'quote':
      putQuote(flow, block);
      break;
    case 'table':
      putTable(flow, block);
      break;
    case 'chart':
      putChart(flow, block.chart, citedPieces(flow, block.citations), language);
  }
  flow.y += GAP;
}

function putText(flow: PageFlow, pieces: StyledText[], role: string): void {
  const tag = flow.tags.open(flow.tags.root, role);
  putLines(flow, breakLines(pieces, WIDTH), { x: MARGIN.side, leading: BODY.leading, tag });
}

function putList(flow: PageFlow, { items, ordered }: Extract<ReportBlock, { kind: 'list' }>): void {
  const list = flow.tags.open(flow.tags.root, 'L');
  for (const [at, item] of items.entries()) {
    const tag = flow.tags.open(list, 'LI');
    const label = ordered ? `${at + 1}.` : '•';
    putItem(flow, {
      label,
      pieces: piecesOf(flow, item),
      tag: { label: flow.tags.open(tag, 'Lbl'), body: flow.tags.open(tag, 'LBody') },
    });
    flow.y += 2;
  }
}

type Item = {
  label: string;
  pieces: StyledText[];
  tag: { label: ReturnType<PageFlow['tags']['open']>; body: ReturnType<PageFlow['tags']['open']> };
  indent?: number;
};

/** The label is placed next to the first line, even if that line moves to the next page. */
export function putItem(flow: PageFlow, { label, pieces, tag, indent = INDENT }: Item): void {
  const look = lookOf(flow, { isTabular: true });
  const lines = breakLines(pieces, WIDTH - indent);
  putLines(flow, lines, {
    x: MARGIN.side + indent,
    leading: BODY.leading,
    tag: tag.body,
    before: (page, top) => {
      const x = MARGIN.side + indent - 6 - look.font.widthOf(label, look.size, true);
      const y = top + BODY.leading / 2 + BODY.size * 0.36;
      page.within(tag.label, () => page.text({ ...look, text: `${label} `, x, y }));
    },
  });
}

type Quote = Extract<ReportBlock, { kind: 'quote' }>;

/** A shorter quote is not broken. */
const MAX_WHOLE_QUOTE = 300;

const quoteLines = (flow: PageFlow, { text, citations }: Quote): LaidOutLine[] =>
  breakLines([{ text, look: lookOf(flow, { colour: INK.soft }) }, ...citedPieces(flow, citations)], WIDTH - INDENT);

function putQuote(flow: PageFlow, quote: Quote): void {
  const tag = flow.tags.open(flow.tags.root, 'BlockQuote');
  const lines = quoteLines(flow, quote);
  const height = lines.length * BODY.leading;
  // The bar at its side is drawn only for a quote that stands on one page.
  if (height < MAX_WHOLE_QUOTE) {
    ensureSpace(flow, height);
    bar(flow, height);
  }
  putLines(flow, lines, { x: MARGIN.side + INDENT, leading: BODY.leading, tag });
}

function bar({ page, y }: PageFlow, height: number): void {
  const x = short(MARGIN.side + 5);
  const [from, to] = [A4.height - y - 1, A4.height - y - height + 1].map(short);
  page.within(undefined, () => page.raw(`${stroke(INK.line)} 2 w ${x} ${from} m ${x} ${to} l S`));
}

export function putNote(flow: PageFlow, text: string): void {
  const lines = breakLines([{ text, look: lookOf(flow) }], WIDTH - 24);
  const height = lines.length * BODY.leading + 12;
  ensureSpace(flow, height);
  const bottom = short(A4.height - flow.y - height);
  flow.page.within(undefined, () => {
    flow.page.raw(`${fill(INK.note)} ${MARGIN.side} ${bottom} ${short(WIDTH)} ${short(height)} re f`);
    flow.page.raw(`${fill(INK.noteLine)} ${MARGIN.side} ${bottom} 3 ${short(height)} re f`);
  });
  flow.y += 6;
  putLines(flow, lines, { x: MARGIN.side + 14, leading: BODY.leading, tag: flow.tags.open(flow.tags.root, 'Note') });
  flow.y += 12;
}

type TableBlock = Extract<ReportBlock, { kind: 'table' }>;
type Row = { cells: LaidOutLine[][]; height: number };
type Column = { x: number; width: number; align: 'start' | 'end' };

const SMALL = { size: 8.5, leading: 12 };
const PADDING = { side: 5, row: 4 };
const MAX_LINES = 40;

type TableLayout = { caption: LaidOutLine[]; columns: Column[]; headRow: Row; rows: Row[] };

function tableLayout(flow: PageFlow, table: TableBlock): TableLayout {
  const strong: TextStyle = { font: flow.fonts.semiBold, size: SMALL.size, colour: INK.strong };
  const plain: TextStyle = { font: flow.fonts.regular, size: SMALL.size, colour: INK.text };
  const head = table.columns.map(({ heading }): StyledText[] => [{ text: heading, look: strong }]);
  const body = table.rows.map((row) =>
    row.map(({ text, citations }, at): StyledText[] => [
      { text, look: table.columns[at]?.align === 'end' ? { ...plain, isTabular: true } : plain },
      ...citedPieces(flow, citations, SMALL.size),
    ]),
  );
  const columns = tableColumns(table, columnWidths([head, ...body], WIDTH, PADDING.side));
  const title = { text: table.caption ?? '', look: { ...strong, size: CAPTION.size } };
  return {
    caption: table.caption ? breakLines([title], WIDTH) : [],
    columns,
    headRow: rowOf(head, columns),
    rows: body.map((cells) => rowOf(cells, columns)),
  };
}

/** Breaks a table between rows and repeats its header on each page. */
function putTable(flow: PageFlow, table: TableBlock): void {
  const { tags } = flow;
  const tag = tags.open(tags.root, 'Table');
  const { caption, columns, headRow, rows } = tableLayout(flow, table);
  const first = rows[0]?.height ?? 0;
  if (caption.length > 0) putCaption(flow, caption, tags.open(tag, 'Caption'), headRow.height + first);
  if (flow.y + headRow.height + first > BOTTOM) startPage(flow);
  putRow(flow, headRow, columns, { row: tags.open(tag, 'TR'), role: 'TH' });
  for (const row of rows) {
    if (flow.y + row.height > BOTTOM) {
      startPage(flow);
      putRow(flow, headRow, columns, undefined);
    }
    putRow(flow, row, columns, { row: tags.open(tag, 'TR'), role: 'TD' });
  }
  flow.y += 4;
  if (!table.remark) return;
  const look = lookOf(flow, { size: SMALL.size, colour: INK.soft });
  putLines(flow, breakLines([{ text: table.remark, look }], WIDTH), {
    x: MARGIN.side,
    leading: SMALL.leading,
    tag: tags.open(tags.root, 'P'),
  });
}

function putCaption(flow: PageFlow, lines: readonly LaidOutLine[], tag: StructureTag, below: number): void {
  if (flow.y + lines.length * CAPTION.leading + below > BOTTOM) startPage(flow);
  putLines(flow, lines, { x: MARGIN.side, leading: CAPTION.leading, tag });
  flow.y += 3;
}

function tableColumns({ columns }: TableBlock, widths: readonly number[]): Column[] {
  let x = MARGIN.side;
  return columns.map(({ align = 'start' }, at) => {
    const column = { x: x + (at === 0 ? 0 : PADDING.side), width: widths[at] ?? 0, align };
    x = column.x + column.width + PADDING.side;
    return column;
  });
}

function rowOf(cells: readonly StyledText[][], columns: readonly Column[]): Row {
  const lines = columns.map(({ width }, at) => breakLines(cells[at] ?? [], width).slice(0, MAX_LINES));
  return { cells: lines, height: Math.max(1, ...lines.map(({ length }) => length)) * SMALL.leading + 2 * PADDING.row };
}

/** Without `tagged`, the row is a repeated header, which screen readers skip. */
function putRow(
  flow: PageFlow,
  { cells, height }: Row,
  columns: readonly Column[],
  tagged: { row: StructureTag; role: 'TH' | 'TD' } | undefined,
): void {
  const { page, tags, y } = flow;
  for (const [at, lines] of cells.entries()) {
    const { x, width, align } = columns[at] ?? { x: 0, width: 0, align: 'start' };
    const attributes = tagged?.role === 'TH' ? '<< /O /Table /Scope /Column >>' : '';
    const tag = tagged && tags.open(tagged.row, tagged.role, { attributes });
    for (const [index, line] of lines.entries()) {
      const top = y + PADDING.row + index * SMALL.leading;
      if (tag) putLine(page, tags, line, top, { x, leading: SMALL.leading, tag, align, room: width });
      else
        page.within(undefined, () => drawRepeatedHead(flow, line, x + (align === 'end' ? width - line.width : 0), top));
    }
  }
  flow.y += height;
  rule(flow, tagged?.role === 'TD' ? INK.line : INK.strong);
}

function drawRepeatedHead({ page }: PageFlow, { placed }: LaidOutLine, x: number, top: number): void {
  for (const { text, look, x: at } of placed)
    page.text({ ...look, text, x: x + at, y: top + SMALL.leading / 2 + SMALL.size * 0.36 });
}

function rule({ page, y }: PageFlow, colour: string): void {
  const at = short(A4.height - y);
  page.within(undefined, () =>
    page.raw(`${stroke(colour)} 0.6 w ${MARGIN.side} ${at} m ${short(MARGIN.side + WIDTH)} ${at} l S`),
  );
}

/** Points per pixel: charts are laid out in pixels, which would be too large on paper. */
const SCALE = 0.74;
const CAPTION = { size: 9.5, leading: 14 };
const SOURCE = { size: 8, leading: 11 };
const MAX_TITLE_LENGTH = 300;

type ChartLayout = { drawing: Drawing; caption: LaidOutLine[]; source: string; height: number };

function chartLayout(flow: PageFlow, chart: Chart, citations: StyledText[], language: string): ChartLayout {
  const drawing = drawChart(chart, { widthPixels: WIDTH / SCALE, language, withTitle: false });
  const title = {
    text: cleanLabel(chart.title, MAX_TITLE_LENGTH),
    look: { font: flow.fonts.semiBold, size: CAPTION.size, colour: INK.strong },
  };
  const caption = breakLines([title, ...citations], WIDTH);
  const source = cleanLabel(chart.source ?? '', MAX_TITLE_LENGTH);
  const height = caption.length * CAPTION.leading + drawing.height * SCALE + (source ? SOURCE.leading : 0);
  return { drawing, caption, source, height };
}

function putChart(flow: PageFlow, chart: Chart, citations: StyledText[], language: string): void {
  const { drawing, caption, source, height: wholeHeight } = chartLayout(flow, chart, citations, language);
  const height = drawing.height * SCALE;
  ensureSpace(flow, wholeHeight);
  const { tags } = flow;
  const figure = tags.open(tags.root, 'Sect');
  putLines(flow, caption, { x: MARGIN.side, leading: CAPTION.leading, tag: tags.open(figure, 'P') });
  const tag = tags.open(figure, 'Figure', { alt: describeChart(chart, language), attributes: boxOf(flow, height) });
  flow.page.within(tag, () => drawOn(flow.page, drawing, flow.fonts, flow.y));
  flow.y += height;
  if (!source) return;
  const look = { font: flow.fonts.regular, size: SOURCE.size, colour: INK.soft };
  putLines(flow, breakLines([{ text: `${reportWords(language).source}: ${source}`, look }], WIDTH), {
    x: MARGIN.side,
    leading: SOURCE.leading,
    tag: tags.open(figure, 'P'),
  });
}

const boxOf = ({ y }: PageFlow, height: number): string => {
  const box = [MARGIN.side, A4.height - y - height, MARGIN.side + WIDTH, A4.height - y].map(short).join(' ');
  return `<< /O /Layout /Placement /Block /BBox [${box}] >>`;
};

function drawOn(page: ReportPage, { shapes }: Drawing, fonts: PdfFonts, top: number): void {
  const x = (value: number) => MARGIN.side + value * SCALE;
  const y = (value: number) => top + value * SCALE;
  page.raw('q 1 J 1 j');
  for (const shape of shapes) {
    if (shape.kind === 'text') drawText(page, shape, fonts, x(shape.x), y(shape.y));
    else
      page.raw(
        pathOf(
          shape,
          (value) => short(x(value)),
          (value) => short(A4.height - y(value)),
        ),
      );
  }
  page.raw('Q');
}

function drawText(
  page: ReportPage,
  shape: Extract<DrawingShape, { kind: 'text' }>,
  fonts: PdfFonts,
  x: number,
  y: number,
): void {
  const font = shape.strong ? fonts.semiBold : fonts.regular;
  const size = shape.size * SCALE;
  const text = font.plain(shape.text);
  const width = font.widthOf(text, size);
  const shift = { start: 0, middle: width / 2, end: width }[shape.anchor];
  page.text({ text, x: x - shift, y, size, font, colour: colourOf(shape.paint, LIGHT) });
}

type To = (value: number) => string;

function pathOf(shape: Exclude<DrawingShape, { kind: 'text' }>, x: To, y: To): string {
  const colour = colourOf(shape.paint, LIGHT);
  if (shape.kind === 'line') {
    const [first, ...rest] = shape.points.map(([left, down]) => `${x(left)} ${y(down)}`);
    const dash = shape.dashed ? `[${short(6 * SCALE)} ${short(4 * SCALE)}] 0 d` : '[] 0 d';
    return `${stroke(colour)} ${short(shape.thickness * SCALE)} w ${dash} ${first} m ${rest.map((point) => `${point} l`).join(' ')} S`;
  }
  const paint = shape.hollow ? `${stroke(colour)} ${short(1.5 * SCALE)} w [] 0 d` : fill(colour);
  const how = shape.hollow ? 'S' : 'f';
  if (shape.kind === 'dot') return `${paint} ${circle(shape.x, shape.y, shape.radius, x, y)} ${how}`;
  const [width, height] = [shape.width, shape.height].map((side) => short(side * SCALE));
  return `${paint} ${x(shape.x)} ${y(shape.y + shape.height)} ${width} ${height} re ${how}`;
}

/** The control point distance at which four Bézier curves approximate a circle. */
const ROUNDNESS = 0.5523;

function circle(cx: number, cy: number, radius: number, x: To, y: To): string {
  const k = radius * ROUNDNESS;
  const curve = (...points: [number, number][]) =>
    `${points.map(([dx, dy]) => `${x(cx + dx)} ${y(cy + dy)}`).join(' ')} c`;
  return [
    `${x(cx + radius)} ${y(cy)} m`,
    curve([radius, k], [k, radius], [0, radius]),
    curve([-k, radius], [-radius, k], [-radius, 0]),
    curve([-radius, -k], [-k, -radius], [0, -radius]),
    curve([k, -radius], [radius, -k], [radius, 0]),
  ].join(' ');
}
