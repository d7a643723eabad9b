/** The tables of a Markdown text, cell by cell, each with where it stands. */

export type MarkdownCell = { text: string; start: number; end: number };
export type MarkdownRow = { cells: MarkdownCell[]; start: number; end: number };
export type MarkdownTable = { head: MarkdownRow; rows: MarkdownRow[]; start: number; end: number };

const RULE = /^\|(?: ?:?-{3,}:? ?\|)+$/;

export function tablesIn(text: string): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  let held: MarkdownRow[] = [];
  let before: MarkdownRow | undefined;
  let open = false;
  const close = () => {
    if (open && before)
      tables.push({ head: before, rows: held, start: before.start, end: held.at(-1)?.end ?? before.end });
    open = false;
    held = [];
    before = undefined;
  };
  for (const line of linesOf(text)) {
    if (!line.text.startsWith('|')) close();
    else if (!open && before && RULE.test(line.text)) open = true;
    else if (open) held.push(rowOf(line));
    else before = rowOf(line);
  }
  close();
  return tables;
}

export function linesOf(text: string): { text: string; start: number }[] {
  const lines: { text: string; start: number }[] = [];
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    lines.push({ text: text.slice(start, stop), start });
    start = stop + 1;
  }
  return lines;
}

/** A bar behind a backslash is a bar of the text. */
function rowOf({ text, start }: { text: string; start: number }): MarkdownRow {
  const cells: MarkdownCell[] = [];
  let from = 1;
  for (let at = 1; at < text.length; at++) {
    if (text[at] !== '|' || text[at - 1] === '\\') continue;
    cells.push(cellOf(text, from, at, start));
    from = at + 1;
  }
  return { cells, start, end: start + text.length };
}

function cellOf(line: string, from: number, to: number, start: number): MarkdownCell {
  const raw = line.slice(from, to);
  const text = raw.trim();
  const begins = start + from + (raw.length - raw.trimStart().length);
  return { text: text.replaceAll('\\|', '|'), start: begins, end: begins + text.length };
}
