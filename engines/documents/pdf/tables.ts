/** Tables of a PDF page: cells between ruling lines, and columns and rows by alignment and white space. */

import { type Area, isMarked, rowsOf, type Segment, type TextRow, type Turn, textOfWords, type Word } from './lines.ts';

/** `lines` are the positions of the columns; tables with the same columns on the next page go on. */
export type PageTable = {
  rows: string[][];
  columns: Interval[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  size: number;
  isRuled: boolean;
  turn: Turn;
};
type Interval = { left: number; right: number };

/** In points: lines that are nearer than this meet. */
const TOLERANCE = 3;
const MIN_LENGTH = 6;
/** Comparing more lines than this takes too long. They are a drawing. */
const MAX_PAIRS = 4_000_000;
const MIN_FILLED = 0.2;
/** A band between two lines with more rows than this is divided by white space. */
const MAX_LINES_IN_CELL = 3;
/** White space divides a ruled column in at least so many rows. */
const MIN_DIVIDED = 3;

type Line = { at: number; from: number; to: number };

const isAcross = ({ left, right, bottom, top }: Area): boolean => right - left >= top - bottom;

/** Joins rules on one line that touch or overlap. */
function joinRules(lines: Line[]): Line[] {
  const joined: Line[] = [];
  const sorted = lines.sort((a, b) => a.at - b.at);
  for (let begin = 0; begin < sorted.length; ) {
    let end = begin + 1;
    while (end < sorted.length && (sorted[end]?.at ?? 0) - (sorted[end - 1]?.at ?? 0) < TOLERANCE / 2) end++;
    for (const line of sorted.slice(begin, end).sort((a, b) => a.from - b.from)) {
      const last = joined.at(-1);
      if (last && Math.abs(last.at - line.at) < TOLERANCE && line.from <= last.to + TOLERANCE)
        last.to = Math.max(last.to, line.to);
      else joined.push({ ...line });
    }
    begin = end;
  }
  return joined.filter(({ from, to }) => to - from >= MIN_LENGTH);
}

type Rules = { across: Line[]; down: Line[] };

export const rulesOf = (rules: readonly Area[]): Rules => ({
  across: joinRules(
    rules.filter(isAcross).map(({ left, right, bottom, top }) => ({ at: (bottom + top) / 2, from: left, to: right })),
  ),
  down: joinRules(
    rules
      .filter((rule) => !isAcross(rule))
      .map(({ left, right, bottom, top }) => ({ at: (left + right) / 2, from: bottom, to: top })),
  ),
});

/** Finds tables whose cells are divided by lines in both directions, and removes their words from `words`. */
export function ruledTables(words: Set<Word>, { across, down }: Rules): PageTable[] {
  if (across.length * down.length > MAX_PAIRS) return [];
  const tables: PageTable[] = [];
  for (const grid of gridsOf(across, down)) {
    joinComb(grid, words);
    const table = tableIn(grid, words);
    if (table) tables.push(table);
  }
  return tables;
}

type Grid = { across: Line[]; down: Line[] };

/** Groups lines that cross or touch each other. */
function gridsOf(across: readonly Line[], down: readonly Line[]): Grid[] {
  const group = across.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (group[root] !== root) root = group[root] ?? root;
    while (group[at] !== root) [at, group[at]] = [group[at] ?? root, root];
    return root;
  };
  const downOf = down.map((line) => {
    const crossings = across.flatMap((acrossLine, at) => (crosses(line, acrossLine) ? at : []));
    for (const at of crossings.slice(1)) group[rootOf(at)] = rootOf(crossings[0] ?? at);
    return crossings[0];
  });
  const grids = new Map<number, Grid>();
  across.forEach((line, at) => {
    const grid = grids.get(rootOf(at)) ?? { across: [], down: [] };
    grid.across.push(line);
    grids.set(rootOf(at), grid);
  });
  down.forEach((line, at) => {
    const first = downOf[at];
    if (first !== undefined) grids.get(rootOf(first))?.down.push(line);
  });
  return [...grids.values()];
}

const crosses = (down: Line, across: Line): boolean =>
  down.at >= across.from - TOLERANCE &&
  down.at <= across.to + TOLERANCE &&
  across.at >= down.from - TOLERANCE &&
  across.at <= down.to + TOLERANCE;

/** Returns the distinct positions, with the ends of the crossing lines where no line closes the table. */
function edgesOf(lines: readonly Line[], crossing: readonly Line[]): number[] {
  const ends = crossing.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const edges: number[] = [];
  for (const at of [...lines.map(({ at }) => at), low, high].sort((a, b) => a - b)) {
    if (edges.length === 0 || at - (edges.at(-1) ?? 0) > TOLERANCE + 1) edges.push(at);
  }
  return edges;
}

const MIN_TEETH = 4;

/** A comb is one row of narrow boxes with a letter in each: what is written in them is one text. */
function joinComb({ across, down }: Grid, words: Set<Word>): void {
  const [xs, ys] = [edgesOf(down, across), edgesOf(across, down)];
  const [[bottom = 0, top = 0], widths] = [ys, xs.slice(1).map((x, at) => x - (xs[at] ?? 0))];
  const isComb = ys.length === 2 && widths.length >= MIN_TEETH && Math.max(...widths) < 2 * (top - bottom);
  if (!isComb || Math.max(...widths) - Math.min(...widths) > TOLERANCE) return;
  const teeth = xs.slice(1).map((right, at) => {
    const isInside = (x: number) => x > (xs[at] ?? 0) && x < right;
    return [...words].filter(({ left, right: end, base }) => isInside((left + end) / 2) && base > bottom && base < top);
  });
  const inside = teeth.flat();
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || inside.length < 2 || inside.some(({ text }) => text.length > 1)) return;
  if (inside.length === teeth.length && isScale(inside)) return;
  for (const word of inside) words.delete(word);
  const text = teeth.map((letters) => letters.map((word) => word.text).join('') || ' ').join('');
  words.add({ ...first, text: text.trim(), right: last.right });
}

/** Whether these are the numbers of a scale, such as 1 2 3 4 5, which are no one number. */
const isScale = (words: readonly Word[]): boolean =>
  words.every(({ text }, at) => {
    const before = words[at - 1]?.text;
    return /\d/.test(text) && (before === undefined ? Number(text) <= 1 : text > before);
  });

function tableIn({ across, down }: Grid, words: Set<Word>): PageTable | undefined {
  if (across.length < 2 || down.length === 0) return undefined;
  const ruled = edgesOf(down, across);
  const ys = edgesOf(across, down).reverse();
  if (ruled.length < 3 || ys.length < 3) return undefined;
  const [left, right] = [ruled[0] ?? 0, ruled.at(-1) ?? 0];
  const [top, bottom] = [ys[0] ?? 0, ys.at(-1) ?? 0];
  const inside = [...words].filter((word) => {
    const [x, y] = [(word.left + word.right) / 2, word.base + word.size * 0.3];
    return x > left && x < right && y < top && y > bottom;
  });
  const { down: dividers, xs } = withGutters(down, inside, ruled);
  const cells = ys.slice(1).map(() => xs.slice(1).map((): Word[] => []));
  for (const word of inside) {
    const [x, y] = [(word.left + word.right) / 2, word.base + word.size * 0.3];
    const column = xs.findIndex((edge) => edge > x) - 1;
    const row = ys.findIndex((edge) => edge < y) - 1;
    const [firstRow, firstColumn] = originOf(row, column, { xs, ys, across, down: dividers });
    cells[firstRow]?.[firstColumn]?.push(word);
  }
  freeText(cells);
  const filled = cells.flat().filter(({ length }) => length > 0).length;
  if (filled < 2 || filled < MIN_FILLED * cells.length * (xs.length - 1) || isFrame(cells)) return undefined;
  for (const word of cells.flat(2)) words.delete(word);
  const used = xs.slice(1).flatMap((_, at) => (cells.some((row) => (row[at]?.length ?? 0) > 0) ? at : []));
  return {
    rows: cells
      .flatMap((row) => rowsIn(used.map((at) => row[at] ?? [])))
      .filter((row) => row.some((cell) => cell !== '')),
    columns: used.map((at) => ({ left: xs[at] ?? 0, right: xs[at + 1] ?? 0 })),
    left,
    right,
    top,
    bottom,
    size: Math.max(...inside.map(({ size }) => size)),
    isRuled: true,
    turn: inside[0]?.turn ?? 0,
  };
}

/** Where nothing divides many lines below each other, they are rows that white space divides, and are left for that. */
function freeText(cells: Word[][][]): void {
  for (const row of cells) {
    const filled = row.filter(({ length }) => length > 0);
    if (
      row.length > 1 &&
      filled.length === 1 &&
      row[0] === filled[0] &&
      linesIn(row[0] ?? []).length > MAX_LINES_IN_CELL
    )
      row[0] = [];
  }
}

/** Adds lines where white space divides a ruled column in most of its rows, as between a name and a number. */
function withGutters(down: Line[], inside: readonly Word[], ruled: number[]): { down: Line[]; xs: number[] } {
  const rows = rowsOf(inside, []);
  const added = ruled.slice(1).flatMap((right, at) => {
    const left = ruled[at] ?? 0;
    const columnRows = rows
      .map(({ segments }) =>
        segments.filter((segment) => segment.left > left - TOLERANCE && segment.right < right + TOLERANCE),
      )
      .filter(({ length }) => length > 0);
    const divided = columnRows.filter(({ length }) => length > 1);
    if (divided.length < Math.max(MIN_DIVIDED, 0.6 * columnRows.length)) return [];
    const columns = columnsOf(divided.map((segments) => ({ segments })));
    return columns.slice(1).map((column, before) => (column.left + (columns[before]?.right ?? 0)) / 2);
  });
  const [low, high] = [Math.min(...down.map(({ from }) => from)), Math.max(...down.map(({ to }) => to))];
  return {
    down: [...down, ...added.map((at) => ({ at, from: low, to: high }))],
    xs: [...ruled, ...added].sort((a, b) => a - b),
  };
}

/** A frame around text has one row or one column with content. */
const isFrame = (cells: Word[][][]): boolean =>
  cells.filter((row) => row.some(({ length }) => length > 0)).length < 2 ||
  cells.every((row) => row.filter(({ length }) => length > 0).length < 2);

/** Goes left and up while no line divides the cell from the next one. */
function originOf(
  row: number,
  column: number,
  { xs, ys, across, down }: Grid & { xs: number[]; ys: number[] },
): [row: number, column: number] {
  const covers = (lines: readonly Line[], at: number, middle: number) =>
    lines.some((line) => Math.abs(line.at - at) <= TOLERANCE + 1 && line.from <= middle && line.to >= middle);
  const middleY = ((ys[row] ?? 0) + (ys[row + 1] ?? 0)) / 2;
  const middleX = ((xs[column] ?? 0) + (xs[column + 1] ?? 0)) / 2;
  let [top, left] = [row, column];
  while (left > 0 && !covers(down, xs[left] ?? 0, middleY)) left--;
  while (top > 0 && !covers(across, ys[top] ?? 0, middleX)) top--;
  return [top, left];
}

/** Returns the rows between two lines: one, or more where only the columns are ruled. */
function rowsIn(cells: Word[][]): string[][] {
  const lines = cells.map(linesIn);
  const maxLines = Math.max(...lines.map(({ length }) => length));
  const filled = lines.filter(({ length }) => length > 0);
  const bases = lines.flat().map(({ base }) => base);
  const rows = Map.groupBy(
    lines.flat(),
    ({ base }) => bases.find((candidate) => Math.abs(candidate - base) < 2) ?? base,
  );
  const isList =
    maxLines > MAX_LINES_IN_CELL &&
    filled.length > 1 &&
    [...rows.values()].filter(({ length }) => length >= filled.length * 0.6).length >= maxLines * 0.8;
  if (!isList) return [lines.map((cell) => joinLines(cell.map(({ text }) => text)))];
  return [...rows.keys()]
    .sort((a, b) => b - a)
    .map((base) =>
      lines.map((cell) =>
        cell
          .filter((line) => rows.get(base)?.includes(line))
          .map(({ text }) => text)
          .join(' '),
      ),
    );
}

function linesIn(words: Word[]): { base: number; text: string }[] {
  const lines: Word[][] = [];
  for (const word of words.sort((a, b) => b.base - a.base)) {
    const [first] = lines.at(-1) ?? [];
    if (first && first.base - word.base < 0.5 * Math.max(first.size, word.size)) lines.at(-1)?.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => ({ base: line[0]?.base ?? 0, text: textOfWords(line.sort((a, b) => a.left - b.left)) }));
}

const joinLines = (lines: readonly string[]): string => lines.reduce(joinLine, '');

/** Rejoins a word that was hyphenated at the end of a line, unless it contains other hyphens. */
export function joinLine(text: string, next: string): string {
  if (text === '') return next;
  const [, begin] = /(?:^|\s)(\S*\p{Ll})[-\u00ad\u2010]$/u.exec(text.slice(-60)) ?? [];
  if (begin !== undefined && /^\p{Ll}/u.test(next)) {
    return begin.includes('-') ? text + next : text.slice(0, -1) + next;
  }
  return `${text} ${next}`;
}

/** These distances are fractions of the font size. */
const BETWEEN_ROWS = 4;
/** A row after a gap this much wider than those before belongs to the table only if it is aligned with its rows. */
const WIDER = 1.4;
const ALIGNED = 0.3;
const TIGHT = 1.35;
const MAX_SINGLES = 3;
const MIN_ROWS = 2;
const MAX_COMPARED = 30;
const HEADING = 1.2;
/** A title within a table is at most this wide. */
const SHORT = 22;

/** Finds the table that begins at a row, by pieces of text that stand in columns. */
export function spacedTable(
  rows: readonly TextRow[],
  begin: number,
  { across }: Rules,
): (PageTable & { next: number }) | undefined {
  const first = rows[begin];
  if (!first || first.segments.length < 2 || isMarked(first)) return undefined;
  const tableRows = rowsTogether(rows, begin, first);
  const multiple = tableRows.filter(({ segments }) => segments.length > 1);
  if (multiple.length < MIN_ROWS) return undefined;
  const columns = columnsOf(multiple);
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
  const lines = across.filter(({ from, to }) => Math.min(to, right) - Math.max(from, left) > 0.5 * (right - left));
  const cells = tableRows.map((row) => toCells(row, columns));
  return {
    rows: logicalRows(tableRows, cells, { columns, lines }),
    columns,
    left,
    right,
    top: first.base + first.size,
    bottom: tableRows.at(-1)?.base ?? first.base,
    size: first.size,
    isRuled: false,
    turn: first.segments[0]?.words[0]?.turn ?? 0,
    next: begin + tableRows.length,
  };
}

const isFar = (row: TextRow, tableRows: readonly TextRow[]): boolean => {
  const above = tableRows.at(-1) ?? row;
  return above.base - row.base > BETWEEN_ROWS * Math.max(row.size, above.size);
};

/** Whether a row stands in the columns of the row above, and is aligned with the table if it is further away. */
function fits(row: TextRow, wide: TextRow, tableRows: readonly TextRow[]): boolean {
  const [first, above] = [tableRows[0] ?? row, tableRows.at(-1) ?? row];
  const pitch = (first.base - above.base) / (tableRows.length - 1);
  const isWide = above.base - row.base > WIDER * pitch;
  return sharesColumns(wide, row) && (!isWide || isAligned(row, tableRows));
}

/** Takes rows with pieces in common columns, and rows of one piece between them. */
function rowsTogether(rows: readonly TextRow[], begin: number, first: TextRow): TextRow[] {
  const tableRows: TextRow[] = [first];
  let wide = first;
  let singles = 0;
  for (const row of rows.slice(begin + 1)) {
    const belongs = isSingle(row)
      ? singles < MAX_SINGLES && canStandAlone(row, wide, tableRows)
      : fits(row, wide, tableRows);
    if (isFar(row, tableRows) || !belongs) break;
    singles = isSingle(row) ? singles + 1 : 0;
    // The columns are those of the rows with most pieces.
    if (!isSingle(row) && row.segments.length * 2 > wide.segments.length) wide = row;
    tableRows.push(row);
  }
  return withoutTitles(tableRows, singles);
}

const isSingle = (row: TextRow): boolean => row.segments.length === 1 || isMarked(row);

/** Rows of one piece at the end are below the table, unless they go on with the last cell. */
function withoutTitles(tableRows: readonly TextRow[], singles: number): TextRow[] {
  let end = tableRows.length;
  while (end > tableRows.length - singles && !continuesLast(tableRows.slice(0, end))) end--;
  return tableRows.slice(0, end);
}

const overlap = (a: Interval, b: Interval): number => Math.min(a.right, b.right) - Math.max(a.left, b.left);

const sharesColumns = (above: TextRow, { segments }: TextRow): boolean =>
  segments.some((segment) => above.segments.some((piece) => overlap(segment, piece) > 0));

/** Whether most pieces of a row begin or end where pieces of the rows above do. */
function isAligned({ segments, size }: TextRow, rows: readonly TextRow[]): boolean {
  const near = (a: number, b: number) => Math.abs(a - b) < ALIGNED * size;
  const pieces = rows.slice(-MAX_COMPARED).flatMap((row) => row.segments);
  const aligned = segments.filter(({ left, right }) =>
    pieces.some(
      (piece) => near(piece.left, left) || near(piece.right, right) || near(piece.left + piece.right, left + right),
    ),
  );
  return aligned.length * 2 > segments.length;
}

/** A row of one piece may be a part of a cell, also one that is wider than its column, or a short title. */
function canStandAlone({ segments, size }: TextRow, wide: TextRow, tableRows: readonly TextRow[]): boolean {
  const [segment] = segments;
  if (!segment || size > HEADING * wide.size) return false;
  const crossed = wide.segments.filter((piece) => overlap(segment, piece) > 0).length;
  const isShort = segment.right - segment.left < SHORT * size;
  const laterPieces = tableRows.slice(-MAX_COMPARED).flatMap(({ segments: [, ...tail] }) => tail);
  return crossed <= 1 || isShort || laterPieces.some(({ left }) => Math.abs(left - segment.left) < ALIGNED * size);
}

/** Whether the last row, of one piece, is the next line of a cell that is not in the first column. */
function continuesLast(tableRows: readonly TextRow[]): boolean {
  const [last, above] = [tableRows.at(-1), tableRows.at(-2)];
  const [segment] = last?.segments ?? [];
  if (!last || !above || !segment || above.base - last.base > TIGHT * last.size) return false;
  const [, ...laterPieces] = above.segments;
  return (
    above.segments.length > 1 &&
    laterPieces.some((piece) => overlap(segment, piece) > 0) &&
    segment.left >= (laterPieces[0]?.left ?? 0) - last.size
  );
}

/** Pieces that overlap horizontally share a column. The rows with most pieces tell the columns. */
function columnsOf(rows: readonly Pick<TextRow, 'segments'>[]): Interval[] {
  const columns: Interval[] = [];
  for (const { segments } of rows.toSorted((a, b) => b.segments.length - a.segments.length)) {
    for (const { left, right } of segments) {
      const touched = columns.filter((column) => overlap(column, { left, right }) > 0);
      const [only] = touched;
      if (!only) columns.push({ left, right });
      else if (touched.length === 1)
        Object.assign(only, { left: Math.min(only.left, left), right: Math.max(only.right, right) });
    }
  }
  return columns.sort((a, b) => a.left - b.left);
}

type Cells = (Segment | undefined)[];

/** A piece goes to the column that it overlaps most. */
function toCells({ segments }: TextRow, columns: readonly Interval[]): Cells {
  const cells: Cells = columns.map(() => undefined);
  for (const segment of segments) {
    let best = 0;
    columns.forEach((column, at) => {
      if (overlap(column, segment) > overlap(columns[best] ?? column, segment)) best = at;
    });
    const there = cells[best];
    cells[best] = there ? { ...there, words: [...there.words, ...segment.words], right: segment.right } : segment;
  }
  return cells;
}

/** Joins the lines of cells with several lines: by ruling lines, by wider gaps between rows, or by what is empty. */
function logicalRows(
  rows: readonly TextRow[],
  cells: readonly Cells[],
  { columns, lines }: { columns: Interval[]; lines: Line[] },
): string[][] {
  const gaps = rows
    .slice(1)
    .map((row, at) => ((rows[at]?.base ?? 0) - row.base) / Math.max(row.size, rows[at]?.size ?? 0));
  const isDivided = gaps.map((_, at) =>
    lines.some((line) => line.at < (rows[at]?.base ?? 0) && line.at > (rows[at + 1]?.base ?? 0)),
  );
  const hasLines = isDivided.filter(Boolean).length >= Math.max(3, 0.3 * gaps.length);
  const pitch = median(gaps);
  const joined: string[][] = [];
  cells.forEach((row, at) => {
    const texts = row.map((cell) => (cell ? textOfWords(cell.words) : ''));
    const last = joined.at(-1);
    const gap = gaps[at - 1] ?? 0;
    const above = cells[at - 1] ?? [];
    const goesOn = hasLines
      ? !isDivided[at - 1] && !row.some((cell, column) => isNumber(cell) && isNumber(above[column]))
      : gap < TIGHT && gap <= 1.05 * pitch && continuesRow(above, row, columns);
    if (!last || !goesOn) joined.push(texts);
    else
      texts.forEach((text, column) => {
        if (text !== '') last[column] = joinLine(last[column] ?? '', text);
      });
  });
  return joined;
}

/** The line goes on with the row above if it leaves its first column empty, and holds only texts below texts. */
function continuesRow(above: Cells, row: Cells, columns: readonly Interval[]): boolean {
  const filled = row.flatMap((cell, at) => (cell ? at : []));
  if (filled.length > columns.length / 2 || filled.some((at) => isNumber(row[at]))) return false;
  const wraps = (at: number) => {
    const [before, next] = [above[at], row[at]];
    const [word] = next?.words ?? [];
    const { right = 0 } = columns[at] ?? {};
    return (
      before !== undefined && word !== undefined && !isNumber(before) && before.right + (word.right - word.left) > right
    );
  };
  const isSmall = (at: number) => /^[\p{Ll}(&]/u.test(row[at]?.words[0]?.text ?? '');
  if (row[0]) return filled.length === 1 && isSmall(0) && above[0] !== undefined;
  return filled.every((at) => above[at] !== undefined && (wraps(at) || isSmall(at) || filled.length === 1));
}

const isNumber = (cell: Segment | undefined): boolean =>
  cell !== undefined && /^[\p{Sc}\d\s.,%()+–—−-]+$/u.test(cell.words.map(({ text }) => text).join(''));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
