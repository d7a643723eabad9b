/** The results as one file in the requested format: CSV (RFC 4180), XLSX, Markdown or JSON. */

import { toMarkdownTable, toMarkdownTarget, toMarkdownText } from '../../engines/outputs/neutralize.ts';
import { writeCsv, writeXlsx } from '../../engines/outputs/workbook.ts';
import type { OutputFormat } from '../../shared/agents/processing-input.ts';
import type { WrittenFile } from '../runtime.ts';
import type { ProcessingResults } from './results.ts';
import type { Value } from './state.ts';

/** A row of text cells, from which CSV, XLSX and Markdown are written. */
type OutputRow = readonly string[];

const VALUE_HEAD: OutputRow = ['document', 'name', 'rule', 'value', 'text', 'place', 'excerpt', 'details'];
const MERGED_HEAD: OutputRow = ['rule', 'value', 'occurrences', 'documents'];
const DOCUMENT_HEAD: OutputRow = ['document', 'name', 'url', 'status', 'kind', 'values', 'message'];

const TOLD = new Set(['rule', 'value', 'text', 'place', 'excerpt']);

const valueRows = ({ documents }: ProcessingResults): OutputRow[] =>
  documents.flatMap((document) =>
    'values' in document
      ? document.values.map((value) => [String(document.document), document.name, ...cellsOf(value)])
      : [],
  );

const cellsOf = (value: Value): string[] => [
  value.rule,
  value.value,
  value.text,
  value.place ?? '',
  value.excerpt ?? '',
  detailsOf(value),
];

function detailsOf(value: Value): string {
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !TOLD.has(name)));
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
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
          Array.isArray(header) && Array.isArray(rows)
            ? [{ title: `${document.document} ${document.name}`, rows: [header, ...rows].map((row: string[]) => row) }]
            : [],
        )
      : [],
  );
}

export const csvOf = (results: ProcessingResults): string => writeCsv([VALUE_HEAD, ...valueRows(results)]);

function markdownOf(results: ProcessingResults): string {
  return [
    '# Results',
    '## Documents',
    documentTable(results),
    '## All documents together',
    tableOf([MERGED_HEAD, ...mergedRows(results)]),
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

function tableOf([head = [], ...rows]: readonly OutputRow[]): string {
  const width = Math.max(head.length, ...rows.map((row) => row.length));
  const filled = (row: OutputRow) => Array.from({ length: width }, (_, column) => cellOf(row[column] ?? ''));
  return toMarkdownTable(filled(head), rows.map(filled));
}

/** The URL stays a link: the caller gave it, and it was checked. */
function documentTable(results: ProcessingResults): string {
  const urlColumn = DOCUMENT_HEAD.indexOf('url');
  const rows = documentRows(results).map((row) =>
    row.map((text, column) => (column === urlColumn ? toMarkdownTarget(text) : cellOf(text))),
  );
  return toMarkdownTable(DOCUMENT_HEAD, rows);
}

const MAX_TABLES = 50;

const WRITERS: Record<
  OutputFormat,
  { contentType: string; ending: string; write(results: ProcessingResults): Uint8Array }
> = {
  json: {
    contentType: 'application/json',
    ending: 'json',
    write: (results) => Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`),
  },
  csv: { contentType: 'text/csv', ending: 'csv', write: (results) => Buffer.from(csvOf(results)) },
  markdown: { contentType: 'text/markdown', ending: 'md', write: (results) => Buffer.from(markdownOf(results)) },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
    write: (results) =>
      writeXlsx([
        { name: 'Values', rows: [VALUE_HEAD, ...valueRows(results)] },
        { name: 'Merged', rows: [MERGED_HEAD, ...mergedRows(results)] },
        { name: 'Documents', rows: [DOCUMENT_HEAD, ...documentRows(results)] },
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
