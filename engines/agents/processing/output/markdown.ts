/** The results to be read by people. */
import { table } from '../../../documents/markdown/table.ts';
import type { Results } from '../results.ts';
import { DOCUMENT_HEAD, documentRows, foundTables, MERGED_HEAD, mergedRows } from './rows.ts';

export function markdownOf(results: Results): string {
  return [
    '# Results',
    '## Documents',
    table([DOCUMENT_HEAD, ...documentRows(results)]),
    '## All documents together',
    table([MERGED_HEAD, ...mergedRows(results)]),
    ...results.documents.flatMap((document) =>
      'values' in document && document.values.length > 0
        ? [
            `## Document ${document.document}: ${plain(document.name)}`,
            table([
              ['rule', 'value', 'place', 'excerpt'],
              ...document.values.map(({ rule, value, place, excerpt }) => [rule, value, place ?? '', excerpt ?? '']),
            ]),
          ]
        : [],
    ),
    ...foundTables(results).flatMap(({ title, rows }) => [`## Table in document ${plain(title)}`, table(rows)]),
    '',
  ].join('\n\n');
}

const plain = (text: string): string => text.replaceAll(/[\s#]+/g, ' ');
