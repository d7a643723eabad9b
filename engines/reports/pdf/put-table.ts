/** A table on pages: broken between rows, its head on each page anew. */
import type { ReportBlock } from '../report-document.ts';
import { columnWidths } from './column-widths.ts';
import { BOTTOM, INK, MARGIN, type PageFlow, startPage, WIDTH } from './flow.ts';
import { breakLines, type LaidOutLine, type StyledText, type TextStyle } from './lines.ts';
import { A4, short, stroke } from './pdf-page.ts';
import { citedPieces } from './put-blocks.ts';
import { putLine, putLines } from './put-lines.ts';
import type { StructureTag } from './tags.ts';

type Table = Extract<ReportBlock, { kind: 'table' }>;
type Row = { cells: LaidOutLine[][]; height: number };
type Column = { x: number; width: number; align: 'start' | 'end' };

const SMALL = { size: 8.5, leading: 12 };
const PADDING = { side: 5, row: 4 };
const MAX_LINES = 40;

export function putTable(flow: PageFlow, table: Table): void {
  const { tags } = flow;
  const tag = tags.open(tags.root, 'Table');
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
  const headRow = rowOf(head, columns);
  const rows = body.map((cells) => rowOf(cells, columns));
  const first = rows[0]?.height ?? 0;
  if (table.caption) putCaption(flow, table.caption, tags.open(tag, 'Caption'), headRow.height + first);
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
}

function putCaption(flow: PageFlow, text: string, tag: StructureTag, below: number): void {
  const lines = breakLines([{ text, look: { font: flow.fonts.semiBold, size: 9.5, colour: INK.strong } }], WIDTH);
  if (flow.y + lines.length * 14 + below > BOTTOM) startPage(flow);
  putLines(flow, lines, { x: MARGIN.side, leading: 14, tag });
  flow.y += 3;
}

function tableColumns({ columns }: Table, widths: readonly number[]): Column[] {
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

/** A head that is repeated is shown and not read out again. */
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
