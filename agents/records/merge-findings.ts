/** One record of several documents, each field from the one that knows it best; or a list with a record of each. */

import type { SchemaArray } from '../../shared/tasks/output-schema.ts';
import { isFreeText, isSameValue, nameKey } from './compare-values.ts';
import type { Field } from './field-words.ts';
import type {
  ArrayField,
  DocumentRecord,
  FieldResult,
  FieldStatus,
  Findings,
  FoundField,
  ListResult,
  RecordPlan,
} from './record-plan.ts';
import { namedColumns, pathInEntry, pathOf, recordPlan, statedOnce } from './record-plan.ts';

/** Findings as JSON, in the order of the plan. */
export type StoredFindings = {
  single: FieldResult[];
  lists: { entries: FieldResult[][]; fault?: string }[];
  entries?: StoredFindings[];
};

export const storedFindings = ({ single, lists, entries: own }: Findings): StoredFindings => ({
  ...(own ? { entries: own.map(storedFindings) } : {}),
  single: single.map(({ result }) => result),
  lists: lists.map(({ entries, fault }) => ({
    entries: entries.map((row) => row.map(({ result }) => result)),
    ...(fault === undefined ? {} : { fault }),
  })),
});

/** The results are copied: finishing a record changes them. */
export function restoredFindings(plan: RecordPlan, stored: StoredFindings): Findings {
  const { single, lists, entries: own } = structuredClone(stored);
  const { entry } = plan;
  const found = (fields: readonly Field[], results: readonly FieldResult[]): FoundField[] =>
    fields.flatMap((field, at) => {
      const result = results[at];
      return result ? [{ field, result }] : [];
    });
  return {
    ...(own && entry ? { entries: own.map((one) => restoredFindings(entry, one)) } : {}),
    single: found(plan.fields, single),
    lists: plan.arrays.flatMap((array, at): ListResult[] => {
      const list = lists[at];
      const entries = list?.entries.map((row, at) => [
        ...found(array.fields, row),
        ...foundInLists(array, row.slice(array.fields.length), at),
      ]);
      return list && entries ? [{ ...list, array, entries }] : [];
    }),
  };
}

/** The values of lists within an entry follow its fields, as many as there are. */
const foundInLists = ({ lists }: ArrayField, results: readonly FieldResult[], entry: number): FoundField[] =>
  results.flatMap((result): FoundField[] => {
    const field = lists.find((one) => `${result.path}.`.startsWith(`${pathInEntry(one, entry)}.`));
    if (!field) return [];
    const own = pathInEntry(field, entry);
    return [{ field, result, ...(result.path === own ? {} : { nth: Number(result.path.slice(own.length + 1)) }) }];
  });

export function mergedFindings(plan: RecordPlan, each: readonly Findings[]): Findings {
  const [first] = each;
  if (first && each.length === 1) return first;
  const { entry } = plan;
  // Where one document is an entry, the rows of another document are entries, too.
  const entries =
    entry && each.some((one) => one.entries)
      ? each.flatMap((one) => one.entries ?? findingsOfRows(entry, one))
      : undefined;
  return {
    ...(entries ? { entries } : {}),
    single: plan.fields.map((field) => {
      const own = each.flatMap(({ single }) => single.filter((found) => found.field === field));
      return {
        field,
        result: mergedResult(
          field,
          own.map(({ result }) => result),
        ),
      };
    }),
    lists: plan.arrays.map((array) =>
      mergedList(
        array,
        each.flatMap(({ lists }) => lists.filter((list) => list.array === array)),
      ),
    ),
  };
}

/** The surest first. */
const RANKS: readonly FieldStatus[] = ['proven', 'computed', 'judged', 'unverified'];
const MAX_CANDIDATES = 10;
const MAX_BASIS = 50;

const NOT_READ = 'No document could be read.';

type Candidates = FieldResult['candidates'];

/** What a document says of a field becomes a candidate beside what another one says. */
const candidatesOf = ({ value, basis: [basis], reason, candidates }: FieldResult): Candidates =>
  value === null || !basis ? candidates : [{ value, basis, reason }, ...candidates];

/** The cells of a column are a list: they say less of the whole than one value beside its label in another document. */
const isColumn = (basis: FieldResult['basis']): boolean => basis.every(({ column }) => column !== undefined);

function mergedResult({ names, leaf }: Field, results: readonly FieldResult[]): FieldResult {
  const valued = results.filter(({ value }) => value !== null);
  const best = RANKS.flatMap((rank) => valued.filter(({ status }) => status === rank));
  const [first] = best;
  const isSame = ({ value }: FieldResult) =>
    first !== undefined && value !== null && first.value !== null && isSameValue(leaf, value, first.value);
  const rivals = best.filter((one) => one.status === first?.status && !isSame(one));
  const all = results.flatMap(candidatesOf).slice(0, MAX_CANDIDATES);
  const isStated = best.some(({ status, basis }) => status === 'proven' && !isColumn(basis));
  const conflicts = results.filter(({ status, basis }) => status === 'conflict' && !(isStated && isColumn(basis)));
  if (rivals.length > 0 || conflicts.length > 0) {
    const stated = best
      .filter(({ status }) => status === first?.status)
      .flatMap((one) => candidatesOf(one).slice(0, 1));
    const sides = [...stated, ...conflicts.flatMap(({ candidates }) => candidates)].slice(0, MAX_CANDIDATES);
    const candidates = [...sides, ...all.filter((one) => !sides.some(({ basis }) => basis === one.basis))];
    const reason = 'The documents give different values that fit equally well.';
    return {
      path: pathOf(names),
      status: 'conflict',
      value: null,
      basis: sides.map(({ basis }) => basis),
      reason,
      candidates: candidates.slice(0, MAX_CANDIDATES),
    };
  }
  if (!first) {
    const [known] = results.toSorted((a, b) => b.candidates.length - a.candidates.length);
    const reason = known?.reason ?? NOT_READ;
    return { path: pathOf(names), status: 'missing', value: null, basis: [], reason, candidates: all };
  }
  const agreeing = best.filter((one) => one.status === first.status && isSame(one));
  const others = results.filter((one) => !isSame(one));
  return {
    ...first,
    basis: agreeing.flatMap(({ basis }) => basis).slice(0, MAX_BASIS),
    candidates: [...first.candidates, ...others.flatMap(candidatesOf)].slice(0, MAX_CANDIDATES),
  };
}

/** The findings of a document that is about something else: its values are candidates, and no more. */
export const setAside = ({ single, lists }: Findings, reason: string): Findings => ({
  single: single.map(({ field, result }) => {
    const candidates = candidatesOf({ ...result, reason });
    const aside: FieldResult = { ...result, status: 'missing', value: null, basis: [], reason, candidates };
    return { field, result: candidates.length > 0 ? aside : result };
  }),
  lists: lists.map(({ array }) => ({ array, entries: [], fault: reason })),
});

function mergedList(array: ArrayField, lists: readonly ListResult[]): ListResult {
  const [first = { array, entries: [], fault: NOT_READ }] = lists;
  const { maxItems = Infinity } = array.node;
  const all = lists.flatMap(({ entries }) => entries);
  const entries = all.slice(0, maxItems).map((row, at) =>
    row.map(({ field, result, nth }) => {
      const path = pathInEntry(field, at, nth);
      return { field, result: { ...result, path }, ...(nth === undefined ? {} : { nth }) };
    }),
  );
  // Where one document has the array, others may be without it.
  const filled = lists.filter((list) => list.entries.length > 0);
  const fault = (filled.find((list) => list.fault !== undefined) ?? (filled.length === 0 ? first : undefined))?.fault;
  const cut = all.length > entries.length ? 'The documents have more entries than are taken.' : undefined;
  const reason = fault ?? cut;
  return { array, entries, ...(reason === undefined ? {} : { fault: reason }) };
}

// A list has a record of each document, or of each row of a document that is a table.

const ROWS = 'rows';
const ROW_NAMES = [ROWS, '*'].length;

/** The plan for the rows of a document. */
export const rowsPlan = (list: SchemaArray, accept: RecordPlan['accept']): RecordPlan =>
  recordPlan({ kind: 'object', properties: [{ name: ROWS, node: list, isRequired: true }] }, accept);

const hasValue = ({ result }: FoundField): boolean => result.value !== null;

/** The columns of its table name more of the fields than are stated once. */
export const isTable = (whole: Findings, rows: Findings): boolean => namedColumns(rows) > statedOnce(whole);

/** What each row says of the fields of the record, and of its lists. */
export function findingsOfRows(plan: RecordPlan, { lists }: Findings): Findings[] {
  const rows = lists.flatMap(({ entries }) => entries);
  return rows.map((row) => ({
    single: plan.fields.flatMap((field, at): FoundField[] => {
      const found = row[at];
      return found ? [{ field, result: { ...found.result, path: pathOf(field.names) } }] : [];
    }),
    lists: plan.arrays.map((array) => listOfRow(array, row)),
  }));
}

/** In the plan for rows, the names of a field begin with those of the list and its entry. */
function listOfRow(array: ArrayField, row: readonly FoundField[]): ListResult {
  const path = pathOf(array.names);
  const entries = row.flatMap(({ field: { names }, result, nth }): FoundField[][] => {
    const [field] = array.fields;
    if (!field || nth === undefined || pathOf(names.slice(ROW_NAMES)) !== path) return [];
    return [[{ field, result: { ...result, path: `${path}.${nth}` } }]];
  });
  return { array, entries, ...(entries.length > 0 ? {} : { fault: 'The row of the table has no list for it.' }) };
}

/** The record of each row. */
export const recordsOfRows = ({ data, ...record }: DocumentRecord): DocumentRecord[] =>
  recordsOfList({ ...record, data: data[ROWS] }, `${ROWS}.`);

/** The records of a list, each with paths of its own; those of the list begin with `start`. */
export function recordsOfList({ data, fields, missing }: DocumentRecord<unknown>, start = ''): DocumentRecord[] {
  const byRow = Map.groupBy(fields, ({ path }) => path.slice(start.length).split('.')[0]);
  return (data as DocumentRecord['data'][]).map((row, at) => {
    const prefix = `${start}${at}.`;
    const lacking = missing.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
    const own = (byRow.get(String(at)) ?? []).map((field) => ({ ...field, path: field.path.slice(prefix.length) }));
    return { data: row, complete: lacking.length === 0, missing: lacking, fields: own };
  });
}

/**
 * All records as one; paths begin with the number of the record, and that of the list itself is empty. `fault` says why
 * records are left out.
 */
export function listOfRecords({ minItems = 0 }: SchemaArray, each: readonly DocumentRecord[], fault?: string) {
  const isShort = each.length < minItems;
  const ofList: FieldResult[] =
    fault === undefined ? [] : [{ path: '', status: 'missing', value: null, basis: [], reason: fault, candidates: [] }];
  const fields = each.flatMap(({ fields: own }, at) => own.map((field) => ({ ...field, path: `${at}.${field.path}` })));
  return {
    data: each.map(({ data }) => data),
    complete: !isShort && fault === undefined && each.every(({ complete }) => complete),
    missing: [...(isShort ? [''] : []), ...each.flatMap(({ missing }, at) => missing.map((path) => `${at}.${path}`))],
    fields: [...ofList, ...fields],
  };
}

// A list of entities has one record of what several documents say of the same one, such as a company.

/** The field that names the entity: the first text that is wanted, or else the first text. */
export function keyField({ fields }: Pick<RecordPlan, 'fields'>): Field | undefined {
  const texts = fields.filter(({ leaf }) => isFreeText(leaf));
  return texts.find(({ isWanted }) => isWanted) ?? texts[0];
}

/** The name of the entity, as names are compared. */
export function keyOf(plan: RecordPlan, { single }: Findings): string | undefined {
  const key = keyField(plan);
  const value = single.find(({ field }) => field === key)?.result.value;
  return key === undefined || value == null ? undefined : nameKey(String(value));
}

/** Whether it has the name of an entity, and says something of it. */
export function namesEntity(plan: RecordPlan, { single, lists }: Findings): boolean {
  const says = single.filter(hasValue).length + lists.filter(({ entries }) => entries.length > 0).length;
  const isNamed = keyField(plan) === undefined || keyOf(plan, { single, lists }) !== undefined;
  return isNamed && says > (plan.fields.length + plan.arrays.length > 1 ? 1 : 0);
}

/**
 * The findings of each entity, in the order of the documents. `each` are the rows of the documents. A name in two rows of
 * one document names no single thing, such as a company with a row for each year: its rows stay apart.
 */
export function mergedEntities(plan: RecordPlan, each: readonly (readonly Findings[])[]): Findings[] {
  const rows = each.flatMap((own, document) => own.map((row) => ({ document, row, key: keyOf(plan, row) })));
  const named = Map.groupBy(
    rows.filter(({ key }) => key !== undefined),
    ({ key }) => key,
  );
  const isOne = (group: typeof rows) => new Set(group.map(({ document }) => document)).size === group.length;
  return rows.flatMap((one): Findings[] => {
    const group = named.get(one.key);
    if (one.key === undefined) return keyField(plan) ? [] : [one.row];
    if (!group || !isOne(group)) return [one.row];
    return group[0] === one
      ? [
          mergedFindings(
            plan,
            group.map(({ row }) => row),
          ),
        ]
      : [];
  });
}
