/** The tables of a Markdown text, cell by cell, each with where it stands. */

export type Cell = { text: string; start: number; end: number };
export type Row = { cells: Cell[]; start: number; end: number };
export type Table = { head: Row; rows: Row[]; start: number; end: number };

const RULE = /^\|(?: ?:?-{3,}:? ?\|)+$/;

export function tablesIn(text: string): Table[] {
  const tables: Table[] = [];
  let held: Row[] = [];
  let before: Row | undefined;
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
function rowOf({ text, start }: { text: string; start: number }): Row {
  const cells: Cell[] = [];
  let from = 1;
  for (let at = 1; at < text.length; at++) {
    if (text[at] !== '|' || text[at - 1] === '\\') continue;
    cells.push(cellOf(text, from, at, start));
    from = at + 1;
  }
  return { cells, start, end: start + text.length };
}

function cellOf(line: string, from: number, to: number, start: number): Cell {
  const raw = line.slice(from, to);
  const text = raw.trim();
  const begins = start + from + (raw.length - raw.trimStart().length);
  return { text: text.replaceAll('\\|', '|'), start: begins, end: begins + text.length };
}
