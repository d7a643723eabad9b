/** The lines of a document as labelled rules read them: each with its place, its cells and the head of their columns. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { DocumentLocale, RuleMatch } from '../../values/rule.ts';
import { type MarkdownCell, placedLines, tablesIn } from '../../values/tables.ts';

export type Line = {
  /** The index of the document's part, and the position of the line in its text. */
  part: number;
  start: number;
  /** Without the marks of Markdown at the beginning of a heading or list item. */
  text: string;
  isHeading: boolean;
  /** The cells of a table's row. */
  cells?: readonly MarkdownCell[];
  /** The header of the table, in all of its rows but the header itself. */
  head?: readonly MarkdownCell[];
  isLastRow?: boolean;
  /** A header whose cells name columns, and not the cell beside them. */
  namesColumns?: boolean;
};

/** What labelled rules read: the lines that are not empty, and the parts that a person sees. */
export type ParsedDocument = { parts: readonly DocumentPart[]; lines: readonly Line[]; locale: DocumentLocale };

/** Longer lines are read up to here; each field has its own, lower limit. */
const MAX_LINE = 20_000;
/** Labels stand at the beginning and at the end of a document: of a longer one, these characters are read. */
const FIRST_CHARACTERS = 200_000;
const LAST_CHARACTERS = 100_000;

const MARK = /^(?:#{1,6} +|[-*>] +|\*\*)/;

export function linesIn(parts: readonly DocumentPart[]): Line[] {
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  const lines: Line[] = [];
  let before = 0;
  for (const [part, { text }] of parts.entries()) {
    const isRead = (start: number) => before + start < FIRST_CHARACTERS || before + start > length - LAST_CHARACTERS;
    const rows = rowsIn(text);
    for (const { text: whole, start } of placedLines(text)) {
      if (!isRead(start)) continue;
      const row = rows.get(start);
      if (row) lines.push({ part, start, text: whole.slice(0, MAX_LINE), isHeading: false, ...row });
      else if (whole.trim() !== '' && !whole.startsWith('| ---')) {
        const mark = MARK.exec(whole)?.[0] ?? '';
        const isHeading = mark.startsWith('#');
        lines.push({ part, start: start + mark.length, text: whole.slice(mark.length, MAX_LINE), isHeading });
      }
    }
    before += text.length;
  }
  return lines;
}

/** One possible value of a field: where it stands, how likely it is, and why. */
export type Candidate = {
  line: Line;
  /** The position in the text of the document's part. */
  start: number;
  end: number;
  value: string;
  more?: Record<string, unknown>;
  score: number;
  reason: string;
};

/** Returns a candidate for a match in the text of a line, or of one of its cells that begins at `from`. */
export const candidateAt = (
  line: Line,
  { start, end, value, more }: RuleMatch,
  evidence: { from?: number; score: number; reason: string },
): Candidate => {
  const { from = line.start, score, reason } = evidence;
  return { line, start: from + start, end: from + end, value, ...(more ? { more } : {}), score, reason };
};

/** A stretch of text with its position in the part: a cell, or a whole line. */
export type TextSpan = { text: string; start: number };

/** The cells of a row, or the line itself. */
export const spansOf = (line: Line): TextSpan[] =>
  line.cells ? line.cells.map(({ text, start }) => ({ text, start })) : [{ text: line.text, start: line.start }];

/** Computes what several rules need of a paper only once. */
export function oncePerDocument<Result>(
  compute: (parsed: ParsedDocument) => Result,
): (parsed: ParsedDocument) => Result {
  const cache = new WeakMap<ParsedDocument, Result>();
  return (parsed) => {
    const result = cache.get(parsed) ?? compute(parsed);
    cache.set(parsed, result);
    return result;
  };
}

/** The lowest confidence of a word in the candidate's text, or 1; of short words and signs it says little. */
export function candidateConfidence(
  { parts }: Pick<ParsedDocument, 'parts'>,
  { line, start, end }: Pick<Candidate, 'line' | 'start' | 'end'>,
  minLength = 1,
): number {
  const { unsure = [] } = parts[line.part] ?? {};
  const unsureWords = unsure.filter(
    (word) => word.start < end && word.end > start && word.end - word.start >= minLength,
  );
  return Math.min(1, ...unsureWords.map(({ confidence }) => confidence));
}

/** How many candidates have each value. */
export function valueCounts(candidates: readonly Candidate[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { value } of candidates) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

type Row = Pick<Line, 'cells' | 'head' | 'isLastRow' | 'namesColumns'>;

/** Words alone, of which some stand above figures. Two columns may be labels and values from their first row on. */
function namesColumns(head: readonly MarkdownCell[], rows: readonly { cells: readonly MarkdownCell[] }[]): boolean {
  const isFigure = (cell: MarkdownCell | undefined) => /\d/.test(cell?.text ?? '');
  // A remark alone in its row says nothing of the columns.
  const full = rows.filter(({ cells }) => cells.filter(({ text }) => text.trim() !== '').length > 1);
  const isAbove = (column: number) => full.length > 0 && full.every(({ cells }) => isFigure(cells[column]));
  return head.length > 2 && !head.some(isFigure) && head.some((_, column) => isAbove(column));
}

const rowsIn = (text: string): Map<number, Row> =>
  new Map(
    tablesIn(text).flatMap(({ head, rows }) => [
      [head.start, { cells: head.cells, namesColumns: namesColumns(head.cells, rows) }] as [number, Row],
      ...rows.map(({ start, cells }, at): [number, Row] => [
        start,
        { cells, head: head.cells, isLastRow: at === rows.length - 1 },
      ]),
    ]),
  );
