/** The results as rows of text: what CSV, XLSX and Markdown are written from. */
import type { ProcessingResults } from '../results.ts';
import type { Value } from '../state.ts';

export type OutputRow = readonly string[];

export const VALUE_HEAD: OutputRow = ['document', 'name', 'rule', 'value', 'text', 'place', 'excerpt', 'details'];
export const MERGED_HEAD: OutputRow = ['rule', 'value', 'occurrences', 'documents'];
export const DOCUMENT_HEAD: OutputRow = ['document', 'name', 'url', 'status', 'kind', 'values', 'message'];

const TOLD = new Set(['rule', 'value', 'text', 'place', 'excerpt']);

export const valueRows = ({ documents }: ProcessingResults): OutputRow[] =>
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

export const mergedRows = ({ merged }: ProcessingResults): OutputRow[] =>
  merged.map(({ rule, value, occurrences, documents }) => [rule, value, String(occurrences), documents.join(', ')]);

export const documentRows = ({ documents }: ProcessingResults): OutputRow[] =>
  documents.map((document) => [
    String(document.document),
    document.name,
    document.url,
    document.status,
    'kind' in document ? document.kind : '',
    'values' in document ? String(document.values.length) : '',
    'message' in document ? document.message : '',
  ]);

/** The tables that were found, each with what it is called and its cells. */
export function foundTables({ documents }: ProcessingResults): { title: string; rows: OutputRow[] }[] {
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
