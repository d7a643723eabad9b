/** Fills an array of objects from the table of a document whose columns name the most of its fields. */

import type { Line, Paper } from '../labelled/lines.ts';
import type { MarkdownCell } from '../rules/layout.ts';
import { type Field, labelKey, labelKindOf } from './field-words.ts';
import type { FieldCandidate } from './find-values.ts';
import { isFreeText, readingsOf } from './typed-values.ts';

/** For each row, the value of each field by its path within the row; a cell without a value is absent. */
export type FoundRow = { line: Line; values: Map<Field, FieldCandidate> };

type Table = { head: readonly MarkdownCell[]; rows: Line[] };

/** Tables that go on over pages repeat their head. */
function tablesOf({ lines }: Paper): Table[] {
  const tables = new Map<string, Table>();
  for (const line of lines) {
    if (!line.cells || !line.head) continue;
    const key = line.head.map(({ text }) => text).join('|');
    const table = tables.get(key) ?? { head: line.head, rows: [] };
    table.rows.push(line);
    tables.set(key, table);
  }
  return [...tables.values()];
}

type Columns = Map<Field, number>;

/** Each field takes the first free column that its words name: exact names before words with the same meaning. */
function columnsFor(fields: readonly Field[], head: readonly MarkdownCell[]): Columns {
  const keys = head.map(({ text }) => labelKey(text));
  const taken = new Set<number>();
  const columns: Columns = new Map();
  const take = (field: Field, column: number) => {
    if (column < 0 || columns.has(field)) return;
    taken.add(column);
    columns.set(field, column);
  };
  for (const field of fields)
    take(
      field,
      keys.findIndex((key, at) => !taken.has(at) && key !== '' && key === ownKey(field)),
    );
  for (const field of fields)
    take(
      field,
      keys.findIndex((key, at) => !taken.has(at) && key !== '' && field.words.keys.has(key)),
    );
  return columns;
}

const ownKey = ({ words }: Field): string | undefined => words.keys.values().next().value;

const MAX_ROWS = 2_000;

/** A row whose first words name a total is not an entry. */
const isSum = ({ cells = [] }: Line): boolean => {
  const first = cells.find(({ text }) => text.trim() !== '')?.text ?? '';
  const kind = labelKindOf(first);
  return /\p{L}/u.test(first) && !/\d/.test(first) && (kind === 'total' || kind === 'subtotal' || kind === 'tax');
};

/** Undefined if no table names at least half of the fields. `isCut` tells that there are more rows than are read. */
export function rowsFor(paper: Paper, fields: readonly Field[]): { rows: FoundRow[]; isCut: boolean } | undefined {
  const candidates = tablesOf(paper).map((table) => ({ table, columns: columnsFor(fields, table.head) }));
  const best = candidates.toSorted(
    (a, b) => b.columns.size - a.columns.size || b.table.rows.length - a.table.rows.length,
  )[0];
  if (!best || best.columns.size < Math.min(fields.length, Math.max(1, Math.ceil(fields.length / 2)))) return undefined;
  const { table, columns } = best;
  const rows = table.rows.slice(0, MAX_ROWS).flatMap((line): FoundRow[] => {
    const values = valuesIn(line, columns, paper);
    return values.size === 0 || isSum(line) ? [] : [{ line, values }];
  });
  return { rows, isCut: table.rows.length > MAX_ROWS };
}

function valuesIn(line: Line, columns: Columns, { habits }: Paper): Map<Field, FieldCandidate> {
  const values = new Map<Field, FieldCandidate>();
  for (const [field, column] of columns) {
    const cell = line.cells?.[column];
    const head = line.head?.[column]?.text ?? '';
    if (!cell || cell.text.trim() === '' || labelKey(cell.text) === labelKey(head)) continue;
    const { text, start, end } = cell;
    const known = { line, column: head, reason: `in the column "${head}"`, score: 3, hasLabel: true };
    if (isFreeText(field.leaf)) {
      values.set(field, { ...known, value: text.replaceAll('<br>', ' ').trim(), start, end });
      continue;
    }
    const [first, ...more] = readingsOf(field.leaf, text, habits);
    if (first && more.length === 0)
      values.set(field, { ...known, ...first, start: start + first.start, end: start + first.end });
  }
  return values;
}
