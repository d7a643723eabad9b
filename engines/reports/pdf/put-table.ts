/** A table on pages: broken between rows, its head on each page anew. */
import type { Block } from '../report-document.ts';
import { columnWidths } from './column-widths.ts';
import { BOTTOM, type Flow, INK, MARGIN, turnPage, WIDTH } from './flow.ts';
import { type Line, type Look, linesOf, type Piece } from './lines.ts';
import { A4, short, stroke } from './pdf-page.ts';
import { citedPieces } from './put-blocks.ts';
import { putLine, putLines } from './put-lines.ts';
import type { Tag } from './tags.ts';

type Table = Extract<Block, { kind: 'table' }>;
type Row = { cells: Line[][]; height: number };
type Column = { x: number; width: number; align: 'start' | 'end' };

const SMALL = { size: 8.5, leading: 12 };
const PADDING = { side: 5, row: 4 };
const MOST_LINES = 40;

export function putTable(flow: Flow, table: Table): void {
  const { tags } = flow;
  const tag = tags.open(tags.root, 'Table');
  const strong: Look = { font: flow.fonts.semiBold, size: SMALL.size, colour: INK.strong };
  const plain: Look = { font: flow.fonts.regular, size: SMALL.size, colour: INK.text };
  const head = table.columns.map(({ heading }): Piece[] => [{ text: heading, look: strong }]);
  const body = table.rows.map((row) =>
    row.map(({ text, citations }, at): Piece[] => [
      { text, look: table.columns[at]?.align === 'end' ? { ...plain, isTabular: true } : plain },
      ...citedPieces(flow, citations, SMALL.size),
    ]),
  );
  const columns = columnsOf(table, columnWidths([head, ...body], WIDTH, PADDING.side));
  const headRow = rowOf(head, columns);
  const rows = body.map((cells) => rowOf(cells, columns));
  const first = rows[0]?.height ?? 0;
  if (table.caption) putCaption(flow, table.caption, tags.open(tag, 'Caption'), headRow.height + first);
  if (flow.y + headRow.height + first > BOTTOM) turnPage(flow);
  putRow(flow, headRow, columns, { row: tags.open(tag, 'TR'), role: 'TH' });
  for (const row of rows) {
    if (flow.y + row.height > BOTTOM) {
      turnPage(flow);
      putRow(flow, headRow, columns, undefined);
    }
    putRow(flow, row, columns, { row: tags.open(tag, 'TR'), role: 'TD' });
  }
  flow.y += 4;
}

function putCaption(flow: Flow, text: string, tag: Tag, below: number): void {
  const lines = linesOf([{ text, look: { font: flow.fonts.semiBold, size: 9.5, colour: INK.strong } }], WIDTH);
  if (flow.y + lines.length * 14 + below > BOTTOM) turnPage(flow);
  putLines(flow, lines, { x: MARGIN.side, leading: 14, tag });
  flow.y += 3;
}

function columnsOf({ columns }: Table, widths: readonly number[]): Column[] {
  let x = MARGIN.side;
  return columns.map(({ align = 'start' }, at) => {
    const column = { x: x + (at === 0 ? 0 : PADDING.side), width: widths[at] ?? 0, align };
    x = column.x + column.width + PADDING.side;
    return column;
  });
}

function rowOf(cells: readonly Piece[][], columns: readonly Column[]): Row {
  const lines = columns.map(({ width }, at) => linesOf(cells[at] ?? [], width).slice(0, MOST_LINES));
  return { cells: lines, height: Math.max(1, ...lines.map(({ length }) => length)) * SMALL.leading + 2 * PADDING.row };
}

/** A head that is repeated is shown and not read out again. */
function putRow(
  flow: Flow,
  { cells, height }: Row,
  columns: readonly Column[],
  tagged: { row: Tag; role: 'TH' | 'TD' } | undefined,
): void {
  const { page, tags, y } = flow;
  for (const [at, lines] of cells.entries()) {
    const { x, width, align } = columns[at] ?? { x: 0, width: 0, align: 'start' };
    const attributes = tagged?.role === 'TH' ? '<< /O /Table /Scope /Column >>' : '';
    const tag = tagged && tags.open(tagged.row, tagged.role, { attributes });
    for (const [index, line] of lines.entries()) {
      const top = y + PADDING.row + index * SMALL.leading;
      if (tag) putLine(page, tags, line, top, { x, leading: SMALL.leading, tag, align, room: width });
      else page.within(undefined, () => showAgain(flow, line, x + (align === 'end' ? width - line.width : 0), top));
    }
  }
  flow.y += height;
  rule(flow, tagged?.role === 'TD' ? INK.line : INK.strong);
}

function showAgain({ page }: Flow, { placed }: Line, x: number, top: number): void {
  for (const { text, look, x: at } of placed)
    page.text({ ...look, text, x: x + at, y: top + SMALL.leading / 2 + SMALL.size * 0.36 });
}

function rule({ page, y }: Flow, colour: string): void {
  const at = short(A4.height - y);
  page.within(undefined, () =>
    page.raw(`${stroke(colour)} 0.6 w ${MARGIN.side} ${at} m ${short(MARGIN.side + WIDTH)} ${at} l S`),
  );
}
