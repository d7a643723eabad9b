/** What differs between documents, field by field. */

import type { ComparedField } from '../../shared/agents/results/processing.ts';
import { normalizedText } from '../records/compare-values.ts';
import { labelKindOf } from '../records/field-words.ts';
import type { ProcessedDocument } from './state.ts';

const MAX_FIELDS = 500;
const MAX_VALUE = 300;
const ORDER = ['different', 'partial', 'same'] as const;

/** What differs between documents: each field with its value in every document, and where that stands. Fields that differ come first. */
export function compareDocuments(documents: readonly ProcessedDocument[]): ComparedField[] {
  const documentFields = documents.map(({ document, record, values }) => ({
    document,
    fields: record ? recordFields(record) : new Map<string, FieldContent>(),
    values: valueFields(values),
  }));
  const names = new Set(documentFields.flatMap(({ fields, values }) => [...fields.keys(), ...values.keys()]));
  const compared = [...names].map((field): ComparedField => {
    const values = documentFields.map(({ document, fields, values }): ComparedField['values'][number] => {
      const { content: value = null, place = null, quote = null } = fields.get(field) ?? values.get(field) ?? {};
      return { document, value, place, quote };
    });
    const title = documentFields.flatMap(({ values }) => values.get(field)?.title ?? [])[0];
    return { field: title ?? field, status: statusOf(values), values };
  });
  return compared.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)).slice(0, MAX_FIELDS);
}

function statusOf(values: ComparedField['values']): ComparedField['status'] {
  const comparableValues = values.flatMap(({ value }) => (value === null ? [] : [comparable(value)]));
  if (new Set(comparableValues).size > 1) return 'different';
  return comparableValues.length < values.length ? 'partial' : 'same';
}

/** Texts are the same whatever their case and white space; a number keeps its sign and decimal point. */
const comparable = (value: string | number | boolean): string =>
  typeof value === 'string' ? value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim() : String(value);

type FieldContent = { content: string | number | boolean; place: string | null; quote: string | null; title?: string };

function recordFields({ fields }: NonNullable<ProcessedDocument['record']>): Map<string, FieldContent> {
  return new Map(
    fields.flatMap(({ path, value, basis: [basis] }): [string, FieldContent][] =>
      value === null || !basis ? [] : [[path, { content: value, place: basis.place, quote: basis.quote }]],
    ),
  );
}

/** The values of a rule, or of a label; several in one document are one list. An answer without a quote is none. */
function valueFields(values: ProcessedDocument['values']): Map<string, FieldContent> {
  const rules = new Set(values.map(({ rule }) => rule));
  // A rule that knows a label gives its value in a normalized form.
  const isKnown = (key: string | undefined) =>
    key !== undefined && (rules.has(labelKindOf(key) ?? '') || rules.has(normalizedText(key).replaceAll(' ', '_')));
  const cited = values.filter(({ rule, verified, key }) => rule !== 'tables' && verified !== false && !isKnown(key));
  const byField = Map.groupBy(cited, ({ rule, key }) => (key === undefined ? rule : normalizedText(key)));
  return new Map(
    [...byField].flatMap(([field, fieldValues]): [string, FieldContent][] => {
      const [firstValue] = fieldValues;
      if (!firstValue) return [];
      const { key, place, excerpt: quote } = firstValue;
      const distinctTexts = new Set(
        fieldValues.map(({ value }) => (key === undefined ? value : value.slice(key.length + 3))),
      );
      const content = [...distinctTexts].join('; ').slice(0, MAX_VALUE);
      return [[field, { content, place, quote, ...(key === undefined ? {} : { title: key }) }]];
    }),
  );
}
