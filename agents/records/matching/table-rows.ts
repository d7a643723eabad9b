/** Fills arrays of objects from the table whose columns name the most of their fields. */

import type { MarkdownCell } from '../../values/tables.ts';
import { isFreeText } from '../compare-values.ts';
import { type Field, labelKey } from '../field-words.ts';
import { moneyKindOf } from '../invoices/labels.ts';
import { type FieldCandidate, inText, isContradicted, MAX_ENTRIES } from './find-values.ts';
import type { Line, ParsedDocument } from './parsed-document.ts';
import { tablesOf } from './row-tables.ts';
import { readingsOf } from './typed-values.ts';

/** Undefined if no table names at least half of the fields. `isCut` tells that there are more rows than are read. */
export function rowsFor(
  parsed: ParsedDocument,
  { fields: single, lists }: { fields: readonly Field[]; lists: readonly Field[] },
): { rows: MatchedRow[]; isCut: boolean } | undefined {
  const fields = [...single, ...lists];
  const candidates = tablesOf(parsed).map((table) => ({ table, columns: columnsFor(fields, table.head) }));
  const best = candidates.toSorted(
    (a, b) => b.columns.size - a.columns.size || b.table.rows.length - a.table.rows.length,
  )[0];
  if (!best || best.columns.size < Math.min(fields.length, Math.max(1, Math.ceil(fields.length / 2)))) return undefined;
  const { table, columns } = best;
  const rows = entriesOf(table.rows.slice(0, MAX_ROWS)).flatMap((line): MatchedRow[] => {
    const columnsOf = (fieldSubset: readonly Field[]) =>
      new Map([...columns].filter(([field]) => fieldSubset.includes(field)));
    const values = valuesIn(line, columnsOf(single), parsed);
    return values.size === 0 ? [] : [{ line, values, lists: listsIn(line, columnsOf(lists), parsed) }];
  });
  return { rows, isCut: table.rows.length > MAX_ROWS };
}

/** For each row, the value of each field, and the values of each list; a cell without a value is absent. */
type MatchedRow = { line: Line; values: Map<Field, FieldCandidate>; lists: Map<Field, FieldCandidate[]> };

type Columns = Map<Field, number>;

/** Each field takes the first free column that its words name: exact names before words with the same meaning. */
function columnsFor(fields: readonly Field[], head: readonly MarkdownCell[]): Columns {
  const keys = head.map(({ text }) => labelKey(text));
  const takenColumns = new Set<number>();
  const columns: Columns = new Map();
  const take = (field: Field, column: number) => {
    if (column < 0 || columns.has(field)) return;
    takenColumns.add(column);
    columns.set(field, column);
  };
  for (const field of fields)
    take(
      field,
      keys.findIndex((key, at) => !takenColumns.has(at) && key !== '' && key === ownKey(field)),
    );
  for (const field of fields)
    take(
      field,
      keys.findIndex((key, at) => !takenColumns.has(at) && key !== '' && field.words.keys.has(key)),
    );
  const amounts = fields.find((field) => !columns.has(field) && field.words.keys.has(LINE_TOTAL));
  if (amounts && !head.some(({ text }) => moneyKindOf(text)?.kind === 'total'))
    take(
      amounts,
      head.findIndex(({ text }, at) => !takenColumns.has(at) && moneyKindOf(text)?.kind === 'subtotal'),
    );
  return columns;
}

/** Where a table has no other amounts, the net ones are those of its lines. */
const LINE_TOTAL = labelKey('line total');

const ownKey = ({ words }: Field): string | undefined => words.keys.values().next().value;

const MAX_ROWS = 2_000;

const SUMS: ReadonlySet<string | undefined> = new Set(['total', 'due', 'subtotal', 'tax']);

/** A row whose first words name a total is not an entry. */
const isSumRow = ({ cells = [] }: Line): boolean => isSum(cells.find(({ text }) => text.trim() !== '')?.text ?? '');

function isSum(label: string): boolean {
  // `VAT 20%`, `Total due (GBP)`
  const words = label.replaceAll(/\(?\d+(?:[.,]\d+)?\s?%\)?|\([^)]*\)/g, '').trim();
  return /\p{L}/u.test(words) && !/\d/.test(words) && SUMS.has(moneyKindOf(words)?.kind);
}

/**
 * The entries end at the first sum: below it, only rows that fill the first column of the table are entries again, and
 * more columns than the sum does.
 */
function entriesOf(rows: readonly Line[]): Line[] {
  const filledColumns = ({ cells = [] }: Line) => cells.flatMap(({ text }, at) => (text.trim() === '' ? [] : [at]));
  const [firstColumn = 0] = rows[0] ? filledColumns(rows[0]) : [];
  let filledInSum: number | undefined;
  return rows.filter((row) => {
    const filled = filledColumns(row);
    if (isSumRow(row)) filledInSum = filled.length;
    else if (filled[0] === firstColumn && filled.length > (filledInSum ?? 0)) filledInSum = undefined;
    return filledInSum === undefined;
  });
}

/** The values of the lists in the cells of a row. */
function listsIn(line: Line, columns: Columns, parsed: ParsedDocument): Map<Field, FieldCandidate[]> {
  const lists = new Map<Field, FieldCandidate[]>();
  for (const [field, column] of columns) {
    const cell = line.cells?.[column];
    const head = line.head?.[column]?.text ?? '';
    if (!cell || cell.text.trim() === '') continue;
    const values = inText(field, { line, text: cell.text, start: cell.start }, parsed).slice(0, MAX_ENTRIES);
    lists.set(
      field,
      values.map((candidate) => ({ ...candidate, column: head, reason: `in the column "${head}"` })),
    );
  }
  return lists;
}

function valuesIn(line: Line, columns: Columns, { locale }: ParsedDocument): Map<Field, FieldCandidate> {
  const values = new Map<Field, FieldCandidate>();
  for (const [field, column] of columns) {
    const cell = line.cells?.[column];
    const head = line.head?.[column]?.text ?? '';
    if (!cell || cell.text.trim() === '' || labelKey(cell.text) === labelKey(head)) continue;
    const { text, start, end } = cell;
    const evidence = { line, column: head, reason: `in the column "${head}"`, score: 3, hasLabel: true };
    if (isFreeText(field.leaf)) {
      values.set(field, { ...evidence, value: text.replaceAll('<br>', ' ').trim(), start, end });
      continue;
    }
    const [reading, ...more] = readingsOf(field.leaf, text, locale);
    if (reading && more.length === 0 && !isContradicted(field, text, reading))
      values.set(field, { ...evidence, ...reading, start: start + reading.start, end: start + reading.end });
  }
  return values;
}
