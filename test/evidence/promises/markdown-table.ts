/** Formats a Markdown table with aligned columns. */
export function markdownTable(head: string[], rows: string[][]): string {
  const widths = head.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
