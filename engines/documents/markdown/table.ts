/** Rows of cells as a Markdown table; the first row is its head. */

export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows.map((row) => row.map(cellText));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => ` ${cell} |`).join('')}${'  |'.repeat(width - cells.length)}`;
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n');
}

/** A cell is one line, and a bar in it would end it. */
const cellText = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
