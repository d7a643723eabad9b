/** Finds the values of a schema's fields in a document: each with its status and its evidence, before the record is shaped. */

import { type DocumentPart, isDocumentFailure } from '../../../engines/documents/document.ts';
import type { Documents } from '../../../engines/documents/documents.ts';
import {
  parseOutputSchema,
  type SchemaArray,
  type SchemaNode,
  type SchemaObject,
} from '../../../shared/agents/output-schema.ts';
import { paperOf } from '../labelled/labelled-rules.ts';
import { confidenceOf, type Paper } from '../labelled/lines.ts';
import { habitsOf } from '../rules/named-rules.ts';
import { type Computation, computedValue, impliedComputation, type KnownList, type Operand } from './compute-fields.ts';
import { type Field, fieldWords, labelKey, wordsOf } from './field-words.ts';
import { decideValue, type FieldCandidate, listedValues, rowsFor } from './find-values.ts';
import { faultOfValue, type Scalar } from './typed-values.ts';

/** How sure a value is, and how it was found. */
const FIELD_STATUSES = ['proven', 'computed', 'judged', 'missing', 'conflict'] as const;
export type FieldStatus = (typeof FIELD_STATUSES)[number];

/** Where a value stands, word for word; `column` is the head of its column in a table. */
type Basis = { document: number; place: string; quote: string; column?: string };

export type FieldResult = {
  /** The names from the root, joined by points; entries of arrays by number from 0. */
  path: string;
  status: FieldStatus;
  value: Scalar | null;
  basis: Basis[];
  reason: string;
  candidates: { value: Scalar; basis: Basis; reason: string }[];
};

export type DocumentRecord<Data = Record<string, unknown>> = {
  data: Data;
  complete: boolean;
  /** The paths of wanted fields without a value. */
  missing: string[];
  fields: FieldResult[];
};

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
  given: unknown,
  accept?: readonly FieldStatus[],
  entryOf: 'document' | 'entity' = 'document',
): { plan: RecordPlan; list?: SchemaArray } {
  const parsed = parseOutputSchema(given, { listOf: 'file' });
  if ('fault' in parsed) throw new Error(`The schema of an accepted task is not valid: ${parsed.fault.message}`);
  const { schema, list } = parsed;
  const plan = recordPlan(schema, accept);
  if (list) return { plan, list };
  const [only, ...more] = entryOf === 'document' ? schema.properties : [];
  const items = only?.node.kind === 'array' && more.length === 0 ? only.node.items : undefined;
  return { plan: items?.kind === 'object' ? { ...plan, entry: recordPlan(items, accept) } : plan };
}

export function recordPlan(schema: SchemaObject, accept: readonly FieldStatus[] = FIELD_STATUSES): RecordPlan {
  const plan: RecordPlan = { schema, fields: [], arrays: [], accept };
  visit(schema, { names: [], isWanted: true, into: plan.fields, arrays: plan.arrays });
  return plan;
}

/** `arrays` is absent within the entries of an array, which have `of`: a cell of a table may hold single values, but no objects. */
type Visit = {
  names: readonly string[];
  isWanted: boolean;
  into: Field[];
  arrays?: ArrayField[];
  of?: ArrayField;
};

function visit(node: SchemaNode, at: Visit): void {
  const { names, into, arrays, of } = at;
  const isWanted = at.isWanted && !node.isNullable;
  if (node.kind === 'object') {
    for (const { name, node: inner, isRequired } of node.properties)
      visit(inner, { ...at, names: [...names, name], isWanted: isWanted && isRequired });
  } else if (node.kind !== 'array') into.push({ names, leaf: node, words: fieldWords(names, node), isWanted });
  else if (arrays) {
    const own: ArrayField = { names, node, fields: [], lists: [], tables: [], isWanted };
    arrays.push(own);
    visit(node.items, { names: [...names, '*'], isWanted: true, into: own.fields, of: own });
  } else if (node.items.kind === 'object') of?.tables.push({ names, isWanted });
  else if (node.items.kind !== 'array') {
    const words = fieldWords(names, { ...node.items, ...definedText(node) });
    of?.lists.push({ names, leaf: node.items, words, isWanted });
  }
}

/** The path of a field within an entry, or with `nth` that of a value of its list. */
export const pathInEntry = ({ names }: Pick<Field, 'names'>, entry: number, nth?: number): string =>
  pathOf([...names.map((name) => (name === '*' ? String(entry) : name)), ...(nth === undefined ? [] : [String(nth)])]);

export const pathOf = (names: readonly string[]): string => names.join('.');

/** Tests each text against its pattern, in a thread that is killed when it takes too long; undefined then. */
type TestPatterns = (tests: { pattern: string; text: string }[]) => Promise<boolean[] | undefined>;

export const testPatternsBy =
  (documents: Pick<Documents, 'testPatterns'>, request: { organization: string; signal: AbortSignal }): TestPatterns =>
  async (tests) => {
    try {
      return await documents.testPatterns(tests, request);
    } catch (error) {
      if (!isDocumentFailure(error)) throw error;
      return undefined;
    }
  };

/** What a person sees of the document. */
export function paperOfParts(all: readonly DocumentPart[]): Paper {
  const parts = all.filter(({ hidden }) => !hidden);
  return paperOf(parts, habitsOf(parts));
}

export type RecordRequest = {
  plan: RecordPlan;
  paper: Paper;
  /** The document's number in the task. */
  document: number;
  testPatterns: TestPatterns;
  signal: AbortSignal;
};

/** `found` is where the value of the result stands, `nth` its number in a list within an entry. */
export type FoundField = { field: Field; result: FieldResult; found?: FieldCandidate; nth?: number };

/** What is known of all fields before the record is put together. */
export type Findings = {
  single: FoundField[];
  lists: ListResult[];
  /** What each document says as one entry of the list that the schema is. */
  entries?: Findings[];
};

/** What labels, tables and computations give without a model. */
export async function findRecord(request: RecordRequest): Promise<Findings> {
  const found = withComputed(request, await findStated(request));
  const { entry } = request.plan;
  if (!entry) return found;
  const whole = await findRecord({ ...request, plan: entry });
  return isOneEntry(entry, whole, found) ? { ...found, entries: [whole] } : found;
}

const hasValue = ({ result }: FoundField): boolean => result.value !== null;

/** How many fields are stated once, and how many have a column in the table of a list. */
export const statedOnce = ({ single }: Findings): number => single.filter(hasValue).length;
export const namedColumns = ({ lists }: Findings): number =>
  new Set(lists.flatMap(({ entries }) => entries.flat().filter(hasValue)).map(({ field }) => field)).size;

/** A document without a table of entries is one by most of its fields, and always if entries have tables of their own. */
function isOneEntry({ fields, arrays }: RecordPlan, whole: Findings, rows: Findings): boolean {
  const hasTables = arrays.some(({ node }) => node.items.kind === 'object');
  const columns = namedColumns(rows);
  const stated = statedOnce(whole);
  return columns > 0 ? stated > columns : hasTables || stated > fields.length / 2;
}

/** What labels and tables of the document say of each field. */
async function findStated(request: RecordRequest): Promise<Findings> {
  const { plan, signal } = request;
  const single: FoundField[] = [];
  for (const field of plan.fields) {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    single.push(singleField(request, field));
  }
  const lists: ListResult[] = [];
  for (const array of plan.arrays) {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    lists.push(array.node.items.kind === 'object' ? rowList(request, array) : valueList(request, array));
  }
  return { single, lists };
}

const MAX_QUOTE = 300;
const AROUND = 120;

/** The line around the value, or the row of its table. */
const SENTENCE_END = /[.!?](?=\s+\p{Lu}|\s*$)/u;
const ALL_ENDS = new RegExp(SENTENCE_END, 'gu');

/** Behind the last sentence that ends in the text. */
const lastEnd = (text: string): number => ([...text.matchAll(ALL_ENDS)].at(-1)?.index ?? -1) + 1;

function basisOf({ paper, document }: RecordRequest, { line, start, end, column }: FieldCandidate): Basis {
  const { label = '', text = '' } = paper.parts[line.part] ?? {};
  const lineEnd = Math.max(end, line.start + line.text.length);
  const sentence = { from: line.start, to: lineEnd };
  // A paragraph may be one line.
  if (lineEnd - line.start > MAX_QUOTE) {
    sentence.from += lastEnd(text.slice(line.start, start));
    sentence.to = end + (SENTENCE_END.exec(text.slice(end, lineEnd))?.index ?? lineEnd - end) + 1;
  }
  // The whole value, and what fits of the words before it.
  const from = Math.max(sentence.from, start - Math.max(0, Math.min(AROUND, MAX_QUOTE - (end - start))));
  const to = Math.min(sentence.to, from + MAX_QUOTE);
  const quote = text.slice(from, to).trim();
  return { document, place: label, quote, ...(column === undefined ? {} : { column }) };
}

const candidateOf = (request: RecordRequest, found: FieldCandidate) => ({
  value: found.value,
  basis: basisOf(request, found),
  reason: found.reason,
});

export const missing = (path: string, reason: string): FieldResult => ({
  path,
  status: 'missing',
  value: null,
  basis: [],
  reason,
  candidates: [],
});

/** A word below this confidence of OCR may be another one on the paper. */
const READ_SURELY = 0.5;

/** The result for one value that stands in the document. */
export function resultOf(request: RecordRequest, { leaf }: Field, path: string, found: FieldCandidate): FieldResult {
  const fault = faultOfValue(leaf, found.value);
  if (fault) return { ...missing(path, `The value found ${fault}.`), candidates: [candidateOf(request, found)] };
  const isSure = confidenceOf(request.paper, found) >= READ_SURELY;
  return {
    path,
    status: found.hasLabel && isSure ? 'proven' : 'judged',
    value: found.value,
    basis: [basisOf(request, found)],
    reason: isSure ? found.reason : `${found.reason}, read by OCR with little confidence`,
    candidates: [],
  };
}

function singleField(request: RecordRequest, field: Field): FoundField {
  const path = pathOf(field.names);
  const decision = decideValue(request.paper, field);
  if (!decision)
    return { field, result: missing(path, 'No label of the document names this field beside a value of its type.') };
  const { best, rivals, others } = decision;
  if (rivals.length > 0) {
    const candidates = [best, ...rivals].map((one) => candidateOf(request, one));
    const reason = 'The document gives different values under labels that fit equally well.';
    const basis = candidates.map((one) => one.basis);
    return { field, result: { path, status: 'conflict', value: null, basis, reason, candidates } };
  }
  const result = resultOf(request, field, path, best);
  const candidates = [...result.candidates, ...others.map((one) => candidateOf(request, one))];
  return { field, result: { ...result, candidates }, found: best };
}

/** The entries of an array, each a value or the results of its fields and then of its lists, and what is wrong with the array itself. */
export type ListResult = { array: ArrayField; entries: FoundField[][]; fault?: string };

function rowList(request: RecordRequest, array: ArrayField): ListResult {
  const found = rowsFor(request.paper, array);
  if (!found)
    return { array, entries: [], fault: 'No table of the document has columns for at least half of the fields.' };
  const { maxItems = Infinity } = array.node;
  const entries = found.rows.slice(0, maxItems).map(({ values, lists }, row) => [
    ...array.fields.map((field): FoundField => {
      const path = pathInEntry(field, row);
      const value = values.get(field);
      const result = value
        ? resultOf(request, field, path, value)
        : missing(path, 'The row has no value of this type for it.');
      return { field, result, ...(value ? { found: value } : {}) };
    }),
    ...array.lists.flatMap((field): FoundField[] => {
      const all = lists.get(field) ?? [];
      if (all.length === 0) return [{ field, result: missing(pathInEntry(field, row), 'The row has no list for it.') }];
      return all.map((one, nth) => ({
        field,
        result: resultOf(request, field, pathInEntry(field, row, nth), one),
        found: one,
        nth,
      }));
    }),
  ]);
  const isCut = found.isCut || found.rows.length > maxItems;
  return { array, entries, ...(isCut ? { fault: 'The table has more rows than are taken.' } : {}) };
}

function valueList(request: RecordRequest, array: ArrayField): ListResult {
  const [field] = array.fields;
  if (!field) return { array, entries: [], fault: 'An array within an array is not filled.' };
  // The array's own name is that of the list; its entries have none.
  const words = fieldWords(array.names, { ...field.leaf, ...definedText(array.node) });
  const values = listedValues(request.paper, { ...field, words }).slice(0, array.node.maxItems);
  const entries = values.map((value, at) => [
    { field, result: resultOf(request, field, `${pathOf(array.names)}.${at}`, value), found: value },
  ]);
  return {
    array,
    entries,
    ...(entries.length > 0 ? {} : { fault: 'No list of the document is named by this field.' }),
  };
}

const definedText = ({ title, description }: SchemaArray) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
});

/** The values that a label or the head of a column proves, by path. */
export function provenOperands({ single, lists }: Findings): Map<string, Operand> {
  const all = [...single, ...lists.flatMap(({ entries }) => entries.flat())];
  return new Map(
    all.flatMap(({ result: { path, status }, found }) =>
      status === 'proven' && found ? [[path, { name: path, candidate: found }] as const] : [],
    ),
  );
}

/** Arrays of which no row was left out, with the columns that have a proven value in each row. */
function knownLists({ lists }: Findings, operands: ReadonlyMap<string, Operand>): KnownList[] {
  return lists.flatMap(({ array, entries, fault }): KnownList[] => {
    if (fault !== undefined || entries.length === 0) return [];
    const columns = array.fields.flatMap((field, at) => {
      const values = entries.flatMap((row) => operands.get(row[at]?.result.path ?? '') ?? []);
      return values.length === entries.length ? [{ field, values }] : [];
    });
    const { keys } = fieldWords(array.names, { kind: 'string', ...definedText(array.node) });
    // `number_of_lines` counts the only array, whatever its name is, if it has line items.
    const isCounted = lists.length === 1 && (ROW_WORDS.some((key) => keys.has(key)) || hasLineItems(array));
    return [{ name: pathOf(array.names), keys: new Set([...keys, ...(isCounted ? ROW_WORDS : [])]), columns }];
  });
}

const ROW_WORDS = ['lines', 'items', 'line items', 'rows', 'entries', 'positions'].map(labelKey);
const ITEM_WORDS = ['description', 'quantity', 'unit price'].map(labelKey);
const RATE = labelKey('rate');

/** A rate may be the price of an hour, or that of a tax. */
const hasLineItems = ({ fields }: ArrayField): boolean =>
  fields.some(
    ({ names, words }) =>
      labelKey(wordsOf(names.at(-1) ?? '')) !== RATE && ITEM_WORDS.some((key) => words.keys.has(key)),
  );

/** Computes what is missing and follows from proven values by the names of the fields. */
export function withComputed(request: RecordRequest, findings: Findings): Findings {
  const operands = provenOperands(findings);
  const lists = knownLists(findings, operands);
  const proven = new Map(
    findings.single.flatMap(({ field, result }) => {
      const operand = operands.get(result.path);
      return operand ? [[field, operand] as const] : [];
    }),
  );
  const single = findings.single.map((one): FoundField => {
    if (one.result.status !== 'missing' || one.result.candidates.length > 0) return one;
    const computation = impliedComputation(request.paper, one.field, proven, lists);
    const result = computation && computedResult(request, one.field, computation);
    return result && !('fault' in result) ? { field: one.field, result } : one;
  });
  return { ...findings, single };
}

const MAX_BASIS = 50;

/** The result of a computation over values of the document, each of which stands in `basis`. */
export function computedResult(
  request: RecordRequest,
  field: Field,
  computation: Computation,
): FieldResult | { fault: string } {
  const computed = computedValue(request.paper, field, computation);
  if ('fault' in computed) return computed;
  const fault = faultOfValue(field.leaf, computed.value);
  if (fault) return { fault: `the result ${fault}` };
  return {
    path: pathOf(field.names),
    status: 'computed',
    value: computed.value,
    basis: computation.of.slice(0, MAX_BASIS).map(({ candidate }) => basisOf(request, candidate)),
    reason: computed.formula,
    candidates: [],
  };
}

/** The share of the fields of a record that have a value. */
export const filledIn = (record: DocumentRecord<unknown> | undefined): number =>
  record ? record.fields.filter(({ value }) => value !== null).length / Math.max(1, record.fields.length) : 0;

const MAX_LISTED = 5;

/** Paths for a message. */
export function listedPaths(paths: readonly string[]): string {
  const more = paths.length > MAX_LISTED ? `, and ${paths.length - MAX_LISTED} more` : '';
  return `${paths.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** The first entries of each array, and the first of its lists. */
export const withFewerFields = <Data>(record: DocumentRecord<Data>, most: number): DocumentRecord<Data> => ({
  ...record,
  data: withFewerEntries(record.data, most) as Data,
  missing: record.missing.slice(0, most),
  fields: record.fields.slice(0, most),
});

/** Cuts the arrays of a record; its objects have no prototype. */
function withFewerEntries(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.slice(0, most).map((one) => withFewerEntries(one, most));
  if (typeof value !== 'object' || value === null) return value;
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(value)) object[name] = withFewerEntries(one, most);
  return object;
}
