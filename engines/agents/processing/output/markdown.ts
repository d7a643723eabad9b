/** The results as Markdown for people. */
import { toMarkdownTable, toMarkdownTarget, toMarkdownText } from '../../../outputs/neutralize.ts';
import type { ProcessingResults } from '../results.ts';
import { DOCUMENT_HEAD, documentRows, foundTables, MERGED_HEAD, mergedRows, type OutputRow } from './rows.ts';

export function markdownOf(results: ProcessingResults): string {
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

/** The URL is the caller's own and was judged, so it stays a link. */
function documentTable(results: ProcessingResults): string {
  const urlColumn = DOCUMENT_HEAD.indexOf('url');
  const rows = documentRows(results).map((row) =>
    row.map((text, column) => (column === urlColumn ? toMarkdownTarget(text) : cellOf(text))),
  );
  return toMarkdownTable(DOCUMENT_HEAD, rows);
}
