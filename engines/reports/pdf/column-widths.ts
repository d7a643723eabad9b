/** Shares the width of a page among a table's columns: as wide as they wish if there is room, else fairly. */
import type { StyledText } from './lines.ts';

const MAX_WORD_WIDTH = 90;
const MAX_CELL_WIDTH = 260;

export function columnWidths(rows: readonly StyledText[][][], room: number, padding: number): number[] {
  const count = rows[0]?.length ?? 0;
  const inner = room - 2 * padding * (count - 1);
  const preferred = columnMaxima(rows, count, (cell) => Math.min(widthOf(cell), MAX_CELL_WIDTH));
  const minimal = columnMaxima(rows, count, (cell) => Math.min(longestWord(cell), MAX_WORD_WIDTH));
  const [preferredSum, minimalSum] = [sum(preferred), sum(minimal)];
  if (preferredSum <= inner) return preferred.map((wish) => wish + (inner - preferredSum) / count);
  if (minimalSum >= inner) return minimal.map((width) => (width / minimalSum) * inner);
  const share = (inner - minimalSum) / (preferredSum - minimalSum);
  return preferred.map((wish, at) => (minimal[at] ?? 0) + (wish - (minimal[at] ?? 0)) * share);
}

const columnMaxima = (
  rows: readonly StyledText[][][],
  count: number,
  width: (cell: readonly StyledText[]) => number,
): number[] =>
  Array.from({ length: count }, (_, at) => rows.reduce((most, row) => Math.max(most, width(row[at] ?? [])), 8) + 1);

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

const widthOf = (cell: readonly StyledText[]): number =>
  sum(cell.map(({ text, look }) => look.font.widthOf(text, look.size, look.isTabular)));

/** With what clings to it. */
function longestWord(cell: readonly StyledText[]): number {
  const [first, ...others] = cell;
  if (!first) return 0;
  const { font, size, isTabular } = first.look;
  const words = first.text.split(/\s+/).map((word) => font.widthOf(word, size, isTabular));
  return Math.max(...words.slice(0, -1), (words.at(-1) ?? 0) + widthOf(others));
}
