/** What a schema asks for, and the record that is made of it. */

import type { DocumentRecord, FieldStatus } from '../../shared/agents/results/records.ts';
import {
  ACCEPTED_BY_DEFAULT,
  parseOutputSchema,
  type SchemaArray,
  type SchemaNode,
  type SchemaObject,
} from '../../shared/tasks/output-schema.ts';
import { type Field, fieldWords } from './field-words.ts';

/** Of an array of objects, `lists` are the arrays of single values within its entries, and `tables` those of objects. */
export type ArrayField = {
  names: readonly string[];
  node: SchemaArray;
  fields: Field[];
  lists: Field[];
  tables: Pick<ArrayField, 'names' | 'isWanted'>[];
  isWanted: boolean;
};

/** What a schema asks for: its single fields and its arrays. */
export type RecordPlan = {
  schema: SchemaObject;
  fields: Field[];
  arrays: ArrayField[];
  accept: readonly FieldStatus[];
  /** Of a schema that is nothing but a list of records, such as `{"invoices": [...]}`: each document may be one of them. */
  entry?: RecordPlan;
};

/**
 * The plan for a schema that was checked when the task was submitted; with `list`, each file has a record of it. A page of a
 * search is not an entry of a list by itself, as a document is: it may be about something else.
 */
export function planOfChecked(
  checkedSchema: unknown,
  accept?: readonly FieldStatus[],
  entryOf: 'document' | 'entity' = 'document',
): { plan: RecordPlan; list?: SchemaArray } {
  const parsed = parseOutputSchema(checkedSchema, { listOf: 'file' });
  if ('fault' in parsed) throw new Error(`The schema of an accepted task is not valid: ${parsed.fault.message}`);
  const { schema, list } = parsed;
  const plan = recordPlan(schema, accept);
  if (list) return { plan, list };
  const [only, ...more] = entryOf === 'document' ? schema.properties : [];
  const items = only?.node.kind === 'array' && more.length === 0 ? only.node.items : undefined;
  return { plan: items?.kind === 'object' ? { ...plan, entry: recordPlan(items, accept) } : plan };
}

export function recordPlan(schema: SchemaObject, accept: readonly FieldStatus[] = ACCEPTED_BY_DEFAULT): RecordPlan {
  const plan: RecordPlan = { schema, fields: [], arrays: [], accept };
  visit(schema, { names: [], isWanted: true, into: plan.fields, arrays: plan.arrays });
  return plan;
}

/** The path of a field within an entry, or with `nth` that of a value of its list. */
export const pathInEntry = ({ names }: Pick<Field, 'names'>, entry: number, nth?: number): string =>
  pathOf([...names.map((name) => (name === '*' ? String(entry) : name)), ...(nth === undefined ? [] : [String(nth)])]);

/** Whether it is a path of the field, in which entries have their numbers for `*`. */
export function isPathOf(names: readonly string[], path: string): boolean {
  const parts = path.split('.');
  return (
    parts.length === names.length &&
    parts.every((part, at) => part === names[at] || (names[at] === '*' && /^\d{1,4}$/.test(part)))
  );
}

export const pathOf = (names: readonly string[]): string => names.join('.');

export const titleAndDescription = ({ title, description }: SchemaArray) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
});

/** The share of the fields of a record that have a value. */
export const filledShare = (record: DocumentRecord<unknown> | undefined): number =>
  record ? record.fields.filter(({ value }) => value !== null).length / Math.max(1, record.fields.length) : 0;

const MAX_LISTED = 5;

/** Paths for a message. */
export function listedPaths(paths: readonly string[]): string {
  const more = paths.length > MAX_LISTED ? `, and ${paths.length - MAX_LISTED} more` : '';
  return `${paths.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** The first entries of each array, and the first of its lists. */
export const withFewerFields = <Data>(record: DocumentRecord<Data>, maxEntries: number): DocumentRecord<Data> => ({
  ...record,
  data: withFewerEntries(record.data, maxEntries) as Data,
  missing: record.missing.slice(0, maxEntries),
  fields: record.fields.slice(0, maxEntries),
});

/** `arrays` is absent within the entries of an array, which have `of`: a cell of a table may hold single values, but no objects. */
type Visit = {
  names: readonly string[];
  isWanted: boolean;
  into: Field[];
  arrays?: ArrayField[];
  of?: ArrayField;
  around?: readonly string[];
};

function visit(node: SchemaNode, at: Visit): void {
  const { names, into, arrays, of } = at;
  const isWanted = at.isWanted && !node.isNullable;
  const { around = [] } = at;
  const within = node.description === undefined ? around : [...around, node.description];
  if (node.kind === 'object') {
    for (const { name, node: inner, isRequired } of node.properties)
      visit(inner, { ...at, names: [...names, name], isWanted: isWanted && isRequired, around: within });
  } else if (node.kind !== 'array') into.push({ names, leaf: node, words: fieldWords(names, node), isWanted, around });
  else if (arrays) {
    const arrayField: ArrayField = { names, node, fields: [], lists: [], tables: [], isWanted };
    arrays.push(arrayField);
    visit(node.items, {
      names: [...names, '*'],
      isWanted: true,
      into: arrayField.fields,
      of: arrayField,
      around: within,
    });
  } else if (node.items.kind === 'object') of?.tables.push({ names, isWanted });
  else if (node.items.kind !== 'array') {
    const words = fieldWords(names, { ...node.items, ...titleAndDescription(node) });
    of?.lists.push({ names, leaf: node.items, words, isWanted });
  }
}

/** Cuts the arrays of a record; its objects have no prototype. */
function withFewerEntries(value: unknown, maxEntries: number): unknown {
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => withFewerEntries(entry, maxEntries));
  if (typeof value !== 'object' || value === null) return value;
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, propertyValue] of Object.entries(value)) object[name] = withFewerEntries(propertyValue, maxEntries);
  return object;
}
