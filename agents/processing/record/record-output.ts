/** Records as tables: one column for each field, with typed cells, and a table of the evidence. */

import type { OutputCell, OutputSheet } from '../../../engines/outputs/workbook.ts';
import type { DocumentRecord } from './build-record.ts';
import type { Scalar } from './typed-values.ts';

/** The records of a task with the names and addresses of their documents. */
export type RecordRows = {
  schema: Record<string, unknown>;
  records: readonly ({ document: number; name: string; url: string } & DocumentRecord)[];
};

type Column = { names: readonly string[]; format?: string };
type EntryTable = { names: readonly string[]; columns: Column[] };
/** The columns of a record, and those of each array of objects in it. */
type Columns = { single: Column[]; lists: Column[]; tables: EntryTable[] };

type JsonSchema = { type?: unknown; format?: string; properties?: Record<string, JsonSchema>; items?: JsonSchema };

function columnsOf(schema: JsonSchema, names: readonly string[], into: Columns): Columns {
  for (const [name, node] of Object.entries(schema.properties ?? {})) {
    const path = [...names, name];
    const { items } = node;
    if (node.properties) columnsOf(node, path, into);
    else if (items?.properties)
      into.tables.push({ names: path, columns: columnsOf(items, [], { single: [], lists: [], tables: [] }).single });
    else if (items) into.lists.push({ names: path });
    else into.single.push({ names: path, ...(node.format ? { format: node.format } : {}) });
  }
  return into;
}

const valueAt = (data: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    data,
  );

const entriesAt = (data: unknown, names: readonly string[]): unknown[] => {
  const entries = valueAt(data, names);
  return Array.isArray(entries) ? entries : [];
};

function cellOf(value: unknown, format?: string): OutputCell {
  if (typeof value === 'number') return { type: 'number', value: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', value };
  if (typeof value !== 'string') return '';
  return format === 'date' ? { type: 'date', value } : value;
}

const cellsOf = (data: unknown, columns: readonly Column[]): OutputCell[] =>
  columns.map(({ names, format }) => cellOf(valueAt(data, names), format));

const listCells = (data: unknown, { lists }: Columns): OutputCell[] =>
  lists.map(({ names }) =>
    entriesAt(data, names)
      .filter((one) => one !== null)
      .join('; '),
  );

const headOf = (columns: readonly Column[], above: readonly string[] = []): string[] =>
  columns.map(({ names }) => [...above, ...names].join('.'));

const ABOUT = ['document', 'name'];

/** One row for each record; with an array of objects, one for each entry of the first, beside the fields of its record. */
export function recordTable({ schema, records }: RecordRows): OutputCell[][] {
  const columns = columnsOf(schema as JsonSchema, [], { single: [], lists: [], tables: [] });
  const [table] = columns.tables;
  const head = [
    ...ABOUT,
    ...headOf(columns.single),
    ...headOf(columns.lists),
    ...(table ? headOf(table.columns, table.names) : []),
  ];
  const rows = records.flatMap(({ document, name, data }) => {
    const own = [number(document), name, ...cellsOf(data, columns.single), ...listCells(data, columns)];
    const entries = table ? entriesAt(data, table.names) : [];
    const empty = table ? table.columns.map((): OutputCell => '') : [];
    return entries.length === 0 || !table
      ? [[...own, ...empty]]
      : entries.map((entry) => [...own, ...cellsOf(entry, table.columns)]);
  });
  return [head, ...rows];
}

const number = (value: number): OutputCell => ({ type: 'number', value: String(value) });

/** A sheet of records, one for each array of objects, and one of the evidence. */
export function recordSheets(rows: RecordRows): OutputSheet[] {
  const columns = columnsOf(rows.schema as JsonSchema, [], { single: [], lists: [], tables: [] });
  const records = rows.records.map(({ document, name, data, complete }) => [
    number(document),
    name,
    { type: 'boolean' as const, value: complete },
    ...cellsOf(data, columns.single),
    ...listCells(data, columns),
  ]);
  return [
    {
      name: 'Records',
      rows: [[...ABOUT, 'complete', ...headOf(columns.single), ...headOf(columns.lists)], ...records],
    },
    ...columns.tables.map((table) => ({ name: table.names.join(' '), rows: entryRows(rows, table) })),
    { name: 'Evidence', rows: evidenceTable(rows) },
  ];
}

const entryRows = ({ records }: RecordRows, { names, columns }: EntryTable): OutputCell[][] => [
  [...ABOUT, ...headOf(columns)],
  ...records.flatMap(({ document, name, data }) =>
    entriesAt(data, names).map((entry) => [number(document), name, ...cellsOf(entry, columns)]),
  ),
];

const EVIDENCE_HEAD = ['document', 'name', 'url', 'field', 'status', 'value', 'place', 'quote', 'column', 'reason'];

/** One row for each field: where its value stands, or why there is none. */
export function evidenceTable({ records }: RecordRows): OutputCell[][] {
  return [
    EVIDENCE_HEAD,
    ...records.flatMap(({ document, name, url, fields }) =>
      fields.map(({ path, status, value, basis: [basis], reason }): OutputCell[] => [
        number(document),
        name,
        url,
        path,
        status,
        cellOf(value satisfies Scalar | null),
        basis?.place ?? '',
        basis?.quote ?? '',
        basis?.column ?? '',
        reason,
      ]),
    ),
  ];
}
