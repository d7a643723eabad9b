/** Shares the width of a page among a table's columns: as wide as they wish if there is room, else fairly. */
import type { Piece } from './lines.ts';

const LONGEST_WORD = 90;
const LONGEST_CELL = 260;

export function columnWidths(rows: readonly Piece[][][], room: number, padding: number): number[] {
  const count = rows[0]?.length ?? 0;
  const inner = room - 2 * padding * (count - 1);
  const wishes = columnsOf(rows, count, (cell) => Math.min(widthOf(cell), LONGEST_CELL));
  const least = columnsOf(rows, count, (cell) => Math.min(longestWord(cell), LONGEST_WORD));
  const [wished, needed] = [sum(wishes), sum(least)];
  if (wished <= inner) return wishes.map((wish) => wish + (inner - wished) / count);
  if (needed >= inner) return least.map((width) => (width / needed) * inner);
  const share = (inner - needed) / (wished - needed);
  return wishes.map((wish, at) => (least[at] ?? 0) + (wish - (least[at] ?? 0)) * share);
}

const columnsOf = (rows: readonly Piece[][][], count: number, width: (cell: readonly Piece[]) => number): number[] =>
  Array.from({ length: count }, (_, at) => rows.reduce((most, row) => Math.max(most, width(row[at] ?? [])), 8) + 1);

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

const widthOf = (cell: readonly Piece[]): number =>
  sum(cell.map(({ text, look }) => look.font.widthOf(text, look.size, look.isTabular)));

/** With what clings to it. */
function longestWord(cell: readonly Piece[]): number {
  const [first, ...others] = cell;
  if (!first) return 0;
  const { font, size, isTabular } = first.look;
  const words = first.text.split(/\s+/).map((word) => font.widthOf(word, size, isTabular));
  return Math.max(...words.slice(0, -1), (words.at(-1) ?? 0) + widthOf(others));
}
