/** The layout of a document: its tables and its key-value pairs. */
import { apart, oneLine, type Rule, type RuleMatch } from './match.ts';

/** A cell of a Markdown table, with its position in the text. */
export type MarkdownCell = { text: string; start: number; end: number };

type MarkdownRow = { cells: MarkdownCell[]; start: number; end: number };

type MarkdownTable = { head: MarkdownRow; rows: MarkdownRow[]; start: number; end: number };

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

/** A pipe after a backslash belongs to the cell's text. */
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

/** A table's value lists at most this many rows. */
export const MAX_ROWS = 200;

const textsOf = ({ cells }: MarkdownRow): string[] => cells.map(({ text }) => text);

/** The value is the header row; the rows are in `more`. */
export const tables: Rule = (text) =>
  tablesIn(text).map(({ head, rows, start, end }) => ({
    start,
    end,
    value: textsOf(head).join(' | '),
    more: { header: textsOf(head), rows: rows.slice(0, MAX_ROWS).map(textsOf), row_count: rows.length },
  }));

const KEY = "\\p{L}[\\p{L}\\d .'’/&()°º#-]{0,39}?";

const PAIR = new RegExp(`^(?:[>*\\-\\s]{0,6})(?<key>${KEY})\\*{0,2} ?:\\*{0,2}[ \\t\\u00a0]+(?<value>\\S.*)$`, 'u');

const MAX_WORDS = 5;

const MAX_VALUE = 300;

export const keyValuePairs: Rule = (text) => apart([...onLines(text), ...inTables(text)]);

const pairOf = (key: string, value: string): Pick<RuleMatch, 'value' | 'more'> => ({
  value: `${key} = ${value}`,
  more: { key, value },
});

function onLines(text: string): RuleMatch[] {
  return linesOf(text).flatMap(({ text: line, start }): RuleMatch[] => {
    const { key = '', value = '' } = PAIR.exec(line)?.groups ?? {};
    const name = oneLine(key);
    if (name === '' || line.startsWith('|') || value.length > MAX_VALUE || name.split(' ').length > MAX_WORDS)
      return [];
    const at = line.indexOf(key);
    return [
      { start: start + at, end: start + line.trimEnd().length, ...pairOf(name, oneLine(value).replace(/\*+$/, '')) },
    ];
  });
}

/** Reads tables of two columns whose first one holds keys. The header is a pair, too, unless it names the columns. */
function inTables(text: string): RuleMatch[] {
  return tablesIn(text).flatMap(({ head, rows }) => {
    const all = isTitle(head) ? rows : [head, ...rows];
    if (![head, ...rows].every(({ cells }) => cells.length === 2) || !all.every(isPair)) return [];
    return all.map(
      ({ cells: [key, value] }): RuleMatch => ({
        start: key?.start ?? 0,
        end: value?.end ?? 0,
        ...pairOf(oneLine(key?.text ?? '').replace(/:$/, ''), oneLine(value?.text ?? '')),
      }),
    );
  });
}

const isPair = ({ cells: [key, value] }: MarkdownRow): boolean =>
  key !== undefined && value !== undefined && value.text !== '' && /^\p{L}/u.test(key.text) && key.text.length <= 40;

/** Matches a header such as `Person | Euros an hour`: two column names, without digits and without a colon. */
const isTitle = ({ cells }: MarkdownRow): boolean => cells.every(({ text }) => !/[\d:@]/.test(text));
