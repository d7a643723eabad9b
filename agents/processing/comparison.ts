/** What differs between documents: each field with its value in every document, and where that stands. */

import { labelKindOf } from './record/field-words.ts';
import { folded } from './record/typed-values.ts';
import type { Processed } from './state.ts';

type ComparedValue = {
  document: number;
  value: string | number | boolean | null;
  place: string | null;
  quote: string | null;
};

export type ComparedField = {
  field: string;
  /** `partial`: not all documents have it, and those that do agree. */
  status: 'different' | 'partial' | 'same';
  values: ComparedValue[];
};

const MAX_FIELDS = 500;
const MAX_VALUE = 300;
const ORDER = ['different', 'partial', 'same'] as const;

/** Fields that differ come first. */
export function compareDocuments(documents: readonly Processed[]): ComparedField[] {
  const known = documents.map(({ document, record, values }) => ({
    document,
    fields: record ? recordFields(record) : new Map<string, Found>(),
    values: valueFields(values),
  }));
  const names = new Set(known.flatMap(({ fields, values }) => [...fields.keys(), ...values.keys()]));
  const compared = [...names].map((field): ComparedField => {
    const values = known.map(({ document, fields, values }): ComparedValue => {
      const { shown: value = null, place = null, quote = null } = fields.get(field) ?? values.get(field) ?? {};
      return { document, value, place, quote };
    });
    const title = known.flatMap(({ values }) => values.get(field)?.title ?? [])[0];
    return { field: title ?? field, status: statusOf(values), values };
  });
  return compared.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)).slice(0, MAX_FIELDS);
}

function statusOf(values: readonly ComparedValue[]): ComparedField['status'] {
  const given = values.flatMap(({ value }) => (value === null ? [] : [comparable(value)]));
  if (new Set(given).size > 1) return 'different';
  return given.length < values.length ? 'partial' : 'same';
}

/** Texts are the same whatever their case and white space; a number keeps its sign and decimal point. */
const comparable = (value: string | number | boolean): string =>
  typeof value === 'string' ? value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim() : String(value);

type Found = { shown: string | number | boolean; place: string | null; quote: string | null; title?: string };

function recordFields({ fields }: NonNullable<Processed['record']>): Map<string, Found> {
  return new Map(
    fields.flatMap(({ path, value, basis: [basis] }): [string, Found][] =>
      value === null || !basis ? [] : [[path, { shown: value, place: basis.place, quote: basis.quote }]],
    ),
  );
}

/** The values of a rule, or of a label; several in one document are one list. An answer without a quote is none. */
function valueFields(values: Processed['values']): Map<string, Found> {
  const rules = new Set(values.map(({ rule }) => rule));
  // A rule that knows a label gives its value in a normalized form.
  const isKnown = (key: unknown) =>
    typeof key === 'string' && (rules.has(labelKindOf(key) ?? '') || rules.has(folded(key).replaceAll(' ', '_')));
  const cited = values.filter(({ rule, verified, key }) => rule !== 'tables' && verified !== false && !isKnown(key));
  const byField = Map.groupBy(cited, ({ rule, key }) => (typeof key === 'string' ? folded(key) : rule));
  return new Map(
    [...byField].flatMap(([field, found]): [string, Found][] => {
      const [first] = found;
      const key = first && typeof first.key === 'string' ? first.key : undefined;
      if (!first) return [];
      const all = new Set(found.map(({ value }) => (key === undefined ? value : value.slice(key.length + 3))));
      const shown = [...all].join('; ').slice(0, MAX_VALUE);
      const { place, excerpt: quote } = first;
      return [[field, { shown, place, quote, ...(key === undefined ? {} : { title: key }) }]];
    }),
  );
}
