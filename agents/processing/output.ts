/** The results as one file in the requested format: CSV (RFC 4180), XLSX, Markdown or JSON. */

import {
  toCsvCell,
  toMarkdownTable,
  toMarkdownTarget,
  toMarkdownText,
  toXmlText,
} from '../../engines/outputs/neutralize.ts';
import { zipFiles } from '../../engines/outputs/zip.ts';
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

/** Tells Excel that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Writes the values as CSV (RFC 4180). Cells are escaped so that no spreadsheet runs them as formulas. */
export const csvOf = (results: ProcessingResults): string =>
  BYTE_ORDER_MARK + [VALUE_HEAD, ...valueRows(results)].map((row) => `${row.map(toCsvCell).join(',')}\r\n`).join('');

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

type OutputSheet = { name: string; rows: readonly OutputRow[] };

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Excel's limits. */
const MOST = { rows: 1_048_576, cellCharacters: 32_767, nameCharacters: 31 };

/**
 * Writes a workbook of plain text cells without any formula: only the parts that every spreadsheet program requires.
 */
export function xlsxOf(given: readonly OutputSheet[]): Uint8Array {
  const sheets = given.map(({ rows }, at) => ({ rows, file: `sheet${at + 1}.xml`, id: `rId${at + 1}` }));
  const names = distinctNames(given.map(({ name }) => name));
  const parts: [name: string, xml: string][] = [
    ['[Content_Types].xml', contentTypes(sheets.map(({ file }) => file))],
    ['_rels/.rels', relations([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets.map(({ id }, at) => [names[at] ?? '', id, at + 1]))],
    ['xl/_rels/workbook.xml.rels', relations(sheets.map(({ id, file }) => [id, 'worksheet', `worksheets/${file}`]))],
    ...sheets.map(({ file, rows }): [string, string] => [`xl/worksheets/${file}`, worksheet(rows)]),
  ];
  return zipFiles(parts.map(([name, xml]) => ({ name, bytes: Buffer.from(HEAD + xml, 'utf8') })));
}

const contentTypes = (files: string[]): string =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `${files.map((file) => `<Override PartName="/xl/worksheets/${file}" ContentType="${TYPE}.worksheet+xml"/>`).join('')}</Types>`;

const relations = (all: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const workbook = (sheets: [name: string, id: string, number: number][]): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets
    .map(([name, id, number]) => `<sheet name="${toXmlText(name)}" sheetId="${number}" r:id="${id}"/>`)
    .join('')}</sheets></workbook>`;

const worksheet = (rows: readonly OutputRow[]): string =>
  `<worksheet xmlns="${MAIN}"><sheetData>${rows
    .slice(0, MOST.rows)
    .map((cells) => `<row>${cells.map(cell).join('')}</row>`)
    .join('')}</sheetData></worksheet>`;

const cell = (text: string): string =>
  text === ''
    ? '<c/>'
    : `<c t="inlineStr"><is><t xml:space="preserve">${toXmlText(text.slice(0, MOST.cellCharacters))}</t></is></c>`;

/** Excel rejects some characters in sheet names, and names that differ only in case. */
function distinctNames(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((given) => {
    const name =
      given
        .replaceAll(/[\\/?*[\]:']/g, ' ')
        .trim()
        .slice(0, MOST.nameCharacters) || 'Sheet';
    let free = name;
    for (let again = 2; taken.has(free.toLowerCase()); again++) {
      const end = ` ${again}`;
      free = `${name.slice(0, MOST.nameCharacters - end.length)}${end}`;
    }
    taken.add(free.toLowerCase());
    return free;
  });
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
      xlsxOf([
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
