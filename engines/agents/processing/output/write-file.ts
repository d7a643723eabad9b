/** The results as one file in the format that was asked for. */

import type { OutputFormat } from '../../../../shared/agents/processing-input.ts';
import type { WrittenFile } from '../../keep.ts';
import type { ProcessingResults } from '../results.ts';
import { csvOf } from './csv.ts';
import { markdownOf } from './markdown.ts';
import { DOCUMENT_HEAD, documentRows, foundTables, MERGED_HEAD, mergedRows, VALUE_HEAD, valueRows } from './rows.ts';
import { xlsxOf } from './xlsx.ts';

const MOST_TABLES = 50;

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
          .slice(0, MOST_TABLES)
          .map(({ title, rows }) => ({ name: `Table ${title}`, rows })),
      ]),
  },
};

export function writeFile(results: ProcessingResults, format: OutputFormat, stem = 'results'): WrittenFile {
  const { contentType, ending, write } = WRITERS[format];
  return { name: `${stem}.${ending}`, contentType, bytes: write(results) };
}
