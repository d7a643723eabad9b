/** The results as one file in the requested format: JSON, JSON Lines, CSV (RFC 4180), XLSX or Markdown. */

import { toMarkdownTable, toMarkdownTarget, toMarkdownText } from '../../engines/outputs/escape-markdown.ts';
import { type OutputCell, plainValue } from '../../engines/outputs/output-cells.ts';
import { type OutputSheet, writeCsv, writeXlsx } from '../../engines/outputs/workbook.ts';
import type { OutputFormat } from '../../shared/agents/processing-input.ts';
import type { ProcessingResults, RuleValue } from '../../shared/agents/results/processing.ts';
import type { WrittenFile } from '../checkpoints.ts';
import { evidenceTable, numberCell, type RecordRows, recordSheets, recordTable, typedCell } from './record-tables.ts';

const VALUE_HEAD: OutputRow = ['document', 'name', 'rule', 'value', 'text', 'place', 'excerpt', 'details'];
const MERGED_HEAD: OutputRow = ['rule', 'value', 'occurrences', 'documents'];
const DOCUMENT_HEAD: OutputRow = ['document', 'name', 'url', 'status', 'kind', 'values', 'message'];

const VALUE_COLUMNS = new Set(['rule', 'value', 'text', 'place', 'excerpt']);

/** What the type of processing gives; otherwise with a schema the records, or else the values. */
export function csvOf(results: ProcessingResults): string {
  const typed = typeTable(results);
  if (typed) return writeCsv(typed.rows);
  const records = recordRows(results);
  return writeCsv(records ? recordTable(records) : [VALUE_HEAD, ...valueRows(results)]);
}

export function tableOf([head = [], ...rows]: readonly OutputRow[]): string {
  const width = Math.max(head.length, ...rows.map((row) => row.length));
  const filled = (row: OutputRow) => Array.from({ length: width }, (_, column) => cellOf(row[column] ?? ''));
  return toMarkdownTable(filled(head), rows.map(filled));
}

/** The records as a workbook and as CSV. */
export const recordFiles = (rows: RecordRows): WrittenFile[] => [
  { name: 'records.xlsx', contentType: WRITERS.xlsx.contentType, bytes: writeXlsx(recordSheets(rows)) },
  { name: 'records.csv', contentType: WRITERS.csv.contentType, bytes: Buffer.from(writeCsv(recordTable(rows))) },
];

const WRITERS: Record<
  OutputFormat,
  { contentType: string; ending: string; write(results: ProcessingResults): Uint8Array }
> = {
  json: {
    contentType: 'application/json',
    ending: 'json',
    write: (results) => Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`),
  },
  jsonl: {
    contentType: 'application/x-ndjson',
    ending: 'jsonl',
    write: (results) => Buffer.from(jsonLinesOf(results)),
  },
  csv: { contentType: 'text/csv', ending: 'csv', write: (results) => Buffer.from(csvOf(results)) },
  markdown: { contentType: 'text/markdown', ending: 'md', write: (results) => Buffer.from(markdownOf(results)) },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
    write: (results) =>
      writeXlsx([
        ...[typeTable(results) ?? []].flat(),
        ...sheetsOfRecords(results),
        ...(results.rules.length > 0 ? ruleSheets(results) : []),
        { name: 'Documents', rows: [DOCUMENT_HEAD, ...withNumbers(documentRows(results), DOCUMENT_HEAD, 'values')] },
        ...foundTables(results)
          .slice(0, MAX_TABLES)
          .map(({ title, rows }) => ({ name: `Table ${title}`, rows })),
      ]),
  },
};

export function writeFile(results: ProcessingResults, format: OutputFormat): WrittenFile {
  const { contentType, ending, write } = WRITERS[format];
  return { name: `results.${ending}`, contentType, bytes: write(results) };
}

/** A row of text cells, from which CSV, XLSX and Markdown are written. */
type OutputRow = readonly string[];

const valueRows = ({ documents }: ProcessingResults): OutputRow[] =>
  documents.flatMap((document) =>
    'values' in document
      ? document.values.map((value) => [String(document.document), document.name, ...cellsOf(value)])
      : [],
  );

const cellsOf = (value: RuleValue): string[] => [
  value.rule,
  value.value,
  value.text,
  value.place ?? '',
  value.excerpt ?? '',
  detailsOf(value),
];

function detailsOf(value: RuleValue): string {
  const details = Object.fromEntries(Object.entries(value).filter(([name]) => !VALUE_COLUMNS.has(name)));
  return Object.keys(details).length === 0 ? '' : JSON.stringify(details);
}

const mergedRows = ({ merged }: ProcessingResults): OutputRow[] =>
  merged.map(({ rule, value, occurrences, documents }) => [rule, value, String(occurrences), documents.join(', ')]);

const documentRows = ({ documents }: ProcessingResults): OutputRow[] =>
  documents.map((document) => [
    String(document.document),
    document.name,
    document.url,
    document.status,
    'kind' in document ? document.kind : '',
    'values' in document ? String(document.values.length) : '',
    'message' in document ? document.message : '',
  ]);

/** Returns the tables that were found in the documents, each with its title and cells. */
function foundTables({ documents }: ProcessingResults): { title: string; rows: OutputRow[] }[] {
  return documents.flatMap((document) =>
    'values' in document
      ? document.values.flatMap(({ header, rows }) =>
          header && rows ? [{ title: `${document.document} ${document.name}`, rows: [header, ...rows] }] : [],
        )
      : [],
  );
}

/** The records with the names of their documents; undefined without a schema. */
function recordRows({ output_schema: schema, records, documents }: ProcessingResults): RecordRows | undefined {
  if (!schema || !records) return undefined;
  const about = new Map(documents.map(({ document, name, url }) => [document, { name, url }]));
  return {
    schema,
    records: records.map((record) => ({ name: '', url: '', ...about.get(record.document), ...record })),
  };
}

/** What the type of processing gives, as one table; undefined for an extraction. */
function typeTable({ summary, classes, comparison, documents }: ProcessingResults): OutputSheet | undefined {
  const names = new Map(documents.map(({ document, name }) => [document, name]));
  const about = (document: number): OutputCell[] => [numberCell(document), names.get(document) ?? ''];
  if (summary) {
    const points = summary.documents.flatMap((documentSummary) =>
      documentSummary.points.map((point) => ({ point, of: about(documentSummary.document) })),
    );
    const rows = [...summary.points.map((point) => ({ point, of: ['all', ''] as OutputCell[] })), ...points].map(
      ({ point: { text, document, place, quote }, of }) => [...of, text, numberCell(document), place, quote],
    );
    return { name: 'Summary', rows: [['document', 'name', 'point', 'stands in document', 'place', 'quote'], ...rows] };
  }
  if (classes) {
    const rows = classes.map(({ document, label, basis: [basis], reason }) => [
      ...about(document),
      label ?? '',
      basis?.place ?? '',
      basis?.quote ?? '',
      reason,
    ]);
    return { name: 'Classes', rows: [['document', 'name', 'class', 'place', 'quote', 'reason'], ...rows] };
  }
  if (!comparison) return undefined;
  const rows = comparison.flatMap(({ field, status, values }) =>
    values.map(({ document, value, place, quote }): OutputCell[] => [
      field,
      status,
      ...about(document),
      typedCell(value),
      place ?? '',
      quote ?? '',
    ]),
  );
  return { name: 'Comparison', rows: [['field', 'status', 'document', 'name', 'value', 'place', 'quote'], ...rows] };
}

/** One line for each summary, class or compared field; otherwise for each record, or for each document without a schema. */
const jsonLinesOf = ({ summary, classes, comparison, records, documents }: ProcessingResults): string =>
  (summary?.documents ?? classes ?? comparison ?? records ?? documents)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');

function markdownOf(results: ProcessingResults): string {
  const records = recordRows(results);
  const typed = typeTable(results);
  return [
    '# Results',
    ...(typed ? [`## ${typed.name}`, cellTable(typed.rows)] : []),
    ...(records
      ? ['## Records', cellTable(recordTable(records)), '## Evidence', cellTable(evidenceTable(records))]
      : []),
    '## Documents',
    documentTable(results),
    ...(results.rules.length > 0 ? ['## All documents together', tableOf([MERGED_HEAD, ...mergedRows(results)])] : []),
    ...results.documents.flatMap((document) =>
      'values' in document && document.values.length > 0
        ? [
            `## Document ${document.document}: ${cellOf(document.name)}`,
            tableOf([
              ['rule', 'value', 'place', 'excerpt'],
              ...document.values.map(({ rule, value, place, excerpt }) => [rule, value, place ?? '', excerpt ?? '']),
            ]),
          ]
        : [],
    ),
    ...foundTables(results).flatMap(({ title, rows }) => [`## Table in document ${cellOf(title)}`, tableOf(rows)]),
    '',
  ].join('\n\n');
}

const cellOf = (text: string): string => toMarkdownText(text.trim().replaceAll(/\s+/g, ' '));

const cellTable = (rows: readonly (readonly OutputCell[])[]): string => tableOf(rows.map((row) => row.map(plainValue)));

/** The URL stays a link: the caller gave it, and it was checked. */
function documentTable(results: ProcessingResults): string {
  const urlColumn = DOCUMENT_HEAD.indexOf('url');
  const rows = documentRows(results).map((row) =>
    row.map((text, column) => (column === urlColumn ? toMarkdownTarget(text) : cellOf(text))),
  );
  return toMarkdownTable(DOCUMENT_HEAD, rows);
}

/** The number of the document, and another column of counts, as numbers. */
function withNumbers(rows: readonly OutputRow[], head: OutputRow, counts: string): OutputCell[][] {
  const columns = new Set([head.indexOf('document'), head.indexOf(counts)]);
  return rows.map((row) =>
    row.map((text, at) => (columns.has(at) && text !== '' ? { type: 'number' as const, value: text } : text)),
  );
}

/** What the rules found: dates and amounts as such, amounts beside their currency. */
function ruleSheets(results: ProcessingResults): OutputSheet[] {
  const rows = results.documents.flatMap((document) =>
    'values' in document
      ? document.values.map((value): OutputCell[] => {
          const [rule = '', text = '', ...otherCells] = cellsOf(value);
          const { amount, currency } = value;
          const typed = /^\d{4}-\d\d-\d\d$/.test(text) ? { type: 'date' as const, value: text } : text;
          const money: OutputCell[] = [
            typeof amount === 'string' ? { type: 'number', value: amount } : '',
            typeof currency === 'string' ? currency : '',
          ];
          return [numberCell(document.document), document.name, rule, typed, ...otherCells, ...money];
        })
      : [],
  );
  return [
    { name: 'Values', rows: [[...VALUE_HEAD, 'amount', 'currency'], ...rows] },
    { name: 'Merged', rows: [MERGED_HEAD, ...withNumbers(mergedRows(results), MERGED_HEAD, 'occurrences')] },
  ];
}

const MAX_TABLES = 50;

function sheetsOfRecords(results: ProcessingResults) {
  const records = recordRows(results);
  return records ? recordSheets(records) : [];
}
