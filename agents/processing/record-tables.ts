/** The records of a task as tables: a column for each field, with typed cells, and a table of the evidence. */

import type { OutputCell } from '../../engines/outputs/output-cells.ts';
import type { OutputSheet } from '../../engines/outputs/workbook.ts';
import type { DocumentRecord } from '../../shared/agents/results/records.ts';
import { recordsOfList } from '../records/list-of-records.ts';
import { GRADE_HEAD, gradeCells, gradedRows } from './record-grades.ts';

/** The records of a task with the names and addresses of their documents. */
export type RecordRows = {
  schema: Record<string, unknown>;
  records: readonly (RecordSource & DocumentRecord)[];
  /** Of records that rest on several documents: what the evidence names. */
  sources?: readonly RecordSource[];
};

export function typedCell(value: unknown, format?: string): OutputCell {
  if (typeof value === 'number') return { type: 'number', value: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', value };
  if (typeof value !== 'string') return '';
  return format === 'date' ? { type: 'date', value } : value;
}

/** One row for each record; with an array of objects, one for each entry of the first, beside the fields of its record. */
export function recordTable(rows: RecordRows): OutputCell[][] {
  const { schema, records } = expandedRows(rows);
  const columns = columnsOf(schema as JsonSchema, [], { single: [], lists: [], tables: [] });
  const [table] = columns.tables;
  const head = [
    ...ABOUT,
    ...headOf(columns.single),
    ...headOf(columns.lists),
    ...(table ? headOf([...table.columns, ...table.lists], table.names) : []),
    ...GRADE_HEAD,
  ];
  const filled = records.flatMap((record) => {
    const { document, name, data } = record;
    const { single, ofEntry } = gradesOf(record, columns);
    const recordCells = [numberCell(document), name, ...typedCells(data, columns.single), ...listCells(data, columns)];
    const entries = table ? entriesAt(data, table.names) : [];
    const empty = table ? [...table.columns, ...table.lists].map((): OutputCell => '') : [];
    return entries.length === 0 || !table
      ? [[...recordCells, ...empty, ...gradeCells(single)]]
      : entries.map((entry, at) => [
          ...recordCells,
          ...entryCells(entry, table),
          ...gradeCells([...single, ...ofEntry(table.names, at)]),
        ]);
  });
  return [head, ...filled];
}

export const numberCell = (value: number): OutputCell => ({ type: 'number', value: String(value) });

const RECORDS = 'Records';

/** A sheet of records, one for each array of objects, and one of the evidence. */
export function recordSheets(input: RecordRows): OutputSheet[] {
  const rows = expandedRows(input);
  const columns = columnsOf(rows.schema as JsonSchema, [], { single: [], lists: [], tables: [] });
  const records = rows.records.map((record) => {
    const { document, name, data, complete } = record;
    return [
      numberCell(document),
      name,
      { type: 'boolean' as const, value: complete },
      ...typedCells(data, columns.single),
      ...listCells(data, columns),
      ...gradeCells(gradesOf(record, columns).single),
    ];
  });
  return [
    {
      name: RECORDS,
      rows: [[...ABOUT, 'complete', ...headOf(columns.single), ...headOf(columns.lists), ...GRADE_HEAD], ...records],
    },
    ...columns.tables.map((table) => ({ name: table.names.join(' '), rows: entryRows(rows, { columns, table }) })),
    { name: 'Evidence', rows: evidenceTable(rows) },
  ];
}

const EVIDENCE_HEAD = [
  'document',
  'name',
  'url',
  'field',
  'status',
  'value',
  'place',
  'quote',
  'column',
  'reason',
  'looked_by',
  'candidate',
  'candidate_reason',
];

/**
 * One row for each field: where its value stands, or why there is none and which value may be meant. The name leads to the
 * row of the record.
 */
export function evidenceTable({ records, schema, sources = [] }: RecordRows): OutputCell[][] {
  return [
    EVIDENCE_HEAD,
    ...records.flatMap((record, at) =>
      record.fields.map(({ path, status, value, basis: [basis], reason, candidates: [likeliest] }): OutputCell[] => {
        const candidate = value === null ? likeliest : undefined;
        const { document, name, url } = sources.find((source) => source.document === basis?.document) ?? record;
        return [
          numberCell(document),
          { type: 'reference', value: name, sheet: RECORDS, row: at + 2 },
          { type: 'link', value: url },
          path,
          status,
          typedCell(value, formatAt(schema, path)),
          basis?.place ?? '',
          basis?.quote ?? '',
          basis?.column ?? '',
          reason,
          basis?.looked_by ?? '',
          typedCell(candidate?.value, formatAt(schema, path)),
          candidate?.reason ?? '',
        ];
      }),
    ),
  ];
}

type RecordSource = { name: string; url: string; document: number };

type Column = { names: readonly string[]; format?: string };
type EntryTable = { names: readonly string[]; columns: Column[]; lists: Column[] };
/** The columns of a record, and those of each array of objects in it. */
type Columns = { single: Column[]; lists: Column[]; tables: EntryTable[] };

type JsonSchema = { type?: unknown; format?: string; properties?: Record<string, JsonSchema>; items?: JsonSchema };

function columnsOf(schema: JsonSchema, names: readonly string[], into: Columns): Columns {
  for (const [name, node] of Object.entries(schema.properties ?? {})) {
    const path = [...names, name];
    const { items } = node;
    if (node.properties) columnsOf(node, path, into);
    else if (items?.properties) {
      const { single, lists } = columnsOf(items, [], { single: [], lists: [], tables: [] });
      into.tables.push({ names: path, columns: single, lists });
    } else if (items) into.lists.push({ names: path });
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

const typedCells = (data: unknown, columns: readonly Column[]): OutputCell[] =>
  columns.map(({ names, format }) => typedCell(valueAt(data, names), format));

const listCells = (data: unknown, { lists }: Pick<Columns, 'lists'>): OutputCell[] =>
  lists.map(({ names }) =>
    entriesAt(data, names)
      .filter((entry) => entry !== null)
      .join('; '),
  );

const headOf = (columns: readonly Column[], above: readonly string[] = []): string[] =>
  columns.map(({ names }) => [...above, ...names].join('.'));

const ABOUT = ['document', 'name'];

/** Where a schema is nothing but a list of records with tables of their own, each record is a row, and not each document. */
function expandedRows(rows: RecordRows): RecordRows {
  const [[name = '', list] = [], ...more] = Object.entries((rows.schema as JsonSchema).properties ?? {});
  const items = more.length === 0 ? list?.items : undefined;
  const hasTables = Object.values(items?.properties ?? {}).some((node) => node.items?.properties);
  if (!items || !hasTables) return rows;
  const records = rows.records.flatMap((record) => {
    const entryRecords = recordsOfList({ ...record, data: entriesAt(record.data, [name]) }, `${name}.`);
    return entryRecords.length === 0 ? [record] : entryRecords.map((entryRecord) => ({ ...record, ...entryRecord }));
  });
  return { ...rows, schema: { ...items }, records };
}

const gradesOf = (record: DocumentRecord, { tables }: Columns) =>
  gradedRows(
    record,
    tables.map(({ names }) => names),
  );

const entryCells = (entry: unknown, table: EntryTable): OutputCell[] => [
  ...typedCells(entry, table.columns),
  ...listCells(entry, table),
];

const entryRows = (
  { records }: RecordRows,
  { columns, table }: { columns: Columns; table: EntryTable },
): OutputCell[][] => [
  [...ABOUT, ...headOf([...table.columns, ...table.lists]), ...GRADE_HEAD],
  ...records.flatMap((record) => {
    const { document, name, data } = record;
    const { ofEntry } = gradesOf(record, columns);
    return entriesAt(data, table.names).map((entry, at) => [
      numberCell(document),
      name,
      ...entryCells(entry, table),
      ...gradeCells(ofEntry(table.names, at)),
    ]);
  }),
];

/** The format of the field at a path, in which entries of arrays have numbers. */
const formatAt = (schema: JsonSchema, path: string): string | undefined =>
  path.split('.').reduce<JsonSchema>((node, name) => node.properties?.[name] ?? node.items ?? {}, schema).format;
