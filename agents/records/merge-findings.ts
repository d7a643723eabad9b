/** One record of several documents, each field from the one that knows it best; or a list with a record of each. */

import type { SchemaArray } from '../../shared/agents/output-schema.ts';
import { isFreeText, isSameValue, nameKey } from './compare-values.ts';
import type { Field } from './field-words.ts';
import type {
  ArrayField,
  DocumentRecord,
  FieldFinding,
  FieldResult,
  FieldStatus,
  ListResult,
  RecordFindings,
  RecordPlan,
} from './record-plan.ts';
import { namedColumnCount, pathInEntry, pathOf, recordPlan, statedFieldCount } from './record-plan.ts';
import { candidatesOf, MAX_CANDIDATES } from './result-candidates.ts';

/** Findings as JSON, in the order of the plan. */
export type StoredFindings = {
  single: FieldResult[];
  lists: { entries: FieldResult[][]; fault?: string }[];
  entries?: StoredFindings[];
};

export const storedFindings = ({ single, lists, entries: entryFindings }: RecordFindings): StoredFindings => ({
  ...(entryFindings ? { entries: entryFindings.map(storedFindings) } : {}),
  single: single.map(({ result }) => result),
  lists: lists.map(({ entries, fault }) => ({
    entries: entries.map((row) => row.map(({ result }) => result)),
    ...(fault === undefined ? {} : { fault }),
  })),
});

/** The results are copied: finishing a record changes them. */
export function restoredFindings(plan: RecordPlan, stored: StoredFindings): RecordFindings {
  const { single, lists, entries: storedEntries } = structuredClone(stored);
  const { entry } = plan;
  const toFieldFindings = (fields: readonly Field[], results: readonly FieldResult[]): FieldFinding[] =>
    fields.flatMap((field, at) => {
      const result = results[at];
      return result ? [{ field, result }] : [];
    });
  return {
    ...(storedEntries && entry
      ? { entries: storedEntries.map((storedEntry) => restoredFindings(entry, storedEntry)) }
      : {}),
    single: toFieldFindings(plan.fields, single),
    lists: plan.arrays.flatMap((array, at): ListResult[] => {
      const list = lists[at];
      const entries = list?.entries.map((row, at) => [
        ...toFieldFindings(array.fields, row),
        ...listFindings(array, row.slice(array.fields.length), at),
      ]);
      return list && entries ? [{ ...list, array, entries }] : [];
    }),
  };
}

/** The values of lists within an entry follow its fields, as many as there are. */
const listFindings = ({ lists }: ArrayField, results: readonly FieldResult[], entry: number): FieldFinding[] =>
  results.flatMap((result): FieldFinding[] => {
    const field = lists.find((listField) => `${result.path}.`.startsWith(`${pathInEntry(listField, entry)}.`));
    if (!field) return [];
    const listPath = pathInEntry(field, entry);
    return [
      { field, result, ...(result.path === listPath ? {} : { nth: Number(result.path.slice(listPath.length + 1)) }) },
    ];
  });

export function mergedFindings(plan: RecordPlan, documentFindings: readonly RecordFindings[]): RecordFindings {
  const [firstFindings] = documentFindings;
  if (firstFindings && documentFindings.length === 1) return firstFindings;
  const { entry } = plan;
  // Where one document is an entry, the rows of another document are entries, too.
  const entries =
    entry && documentFindings.some((findings) => findings.entries)
      ? documentFindings.flatMap((findings) => findings.entries ?? findingsOfRows(entry, findings))
      : undefined;
  return {
    ...(entries ? { entries } : {}),
    single: plan.fields.map((field) => {
      const fieldFindings = documentFindings.flatMap(({ single }) =>
        single.filter((finding) => finding.field === field),
      );
      return {
        field,
        result: mergedResult(
          field,
          fieldFindings.map(({ result }) => result),
        ),
      };
    }),
    lists: plan.arrays.map((array) =>
      mergedList(
        array,
        documentFindings.flatMap(({ lists }) => lists.filter((list) => list.array === array)),
      ),
    ),
  };
}

/** The surest first. */
const RANKS: readonly FieldStatus[] = ['proven', 'computed', 'judged', 'unverified'];
const MAX_BASIS = 50;

const NOT_READ = 'No document could be read.';

/** The cells of a column are a list: they say less of the whole than one value beside its label in another document. */
const isColumn = (basis: FieldResult['basis']): boolean => basis.every(({ column }) => column !== undefined);

function mergedResult({ names, leaf }: Field, results: readonly FieldResult[]): FieldResult {
  const valued = results.filter(({ value }) => value !== null);
  const best = RANKS.flatMap((rank) => valued.filter(({ status }) => status === rank));
  const [surest] = best;
  const isSame = ({ value }: FieldResult) =>
    surest !== undefined && value !== null && surest.value !== null && isSameValue(leaf, value, surest.value);
  const rivals = best.filter((result) => result.status === surest?.status && !isSame(result));
  const allCandidates = results.flatMap(candidatesOf).slice(0, MAX_CANDIDATES);
  const isStated = best.some(({ status, basis }) => status === 'proven' && !isColumn(basis));
  const conflicts = results.filter(({ status, basis }) => status === 'conflict' && !(isStated && isColumn(basis)));
  if (rivals.length > 0 || conflicts.length > 0) {
    const stated = best
      .filter(({ status }) => status === surest?.status)
      .flatMap((result) => candidatesOf(result).slice(0, 1));
    const sides = [...stated, ...conflicts.flatMap(({ candidates }) => candidates)].slice(0, MAX_CANDIDATES);
    const candidates = [
      ...sides,
      ...allCandidates.filter((candidate) => !sides.some(({ basis }) => basis === candidate.basis)),
    ];
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
  if (!surest) {
    const [nearestResult] = results.toSorted((a, b) => b.candidates.length - a.candidates.length);
    const reason = nearestResult?.reason ?? NOT_READ;
    return { path: pathOf(names), status: 'missing', value: null, basis: [], reason, candidates: allCandidates };
  }
  const agreeing = best.filter((result) => result.status === surest.status && isSame(result));
  const differing = results.filter((result) => !isSame(result));
  return {
    ...surest,
    basis: agreeing.flatMap(({ basis }) => basis).slice(0, MAX_BASIS),
    candidates: [...surest.candidates, ...differing.flatMap(candidatesOf)].slice(0, MAX_CANDIDATES),
  };
}

/** The findings of a document that is about something else: its values are candidates, and no more. */
export const setAside = ({ single, lists }: RecordFindings, reason: string): RecordFindings => ({
  single: single.map(({ field, result }) => {
    const candidates = candidatesOf({ ...result, reason });
    const aside: FieldResult = { ...result, status: 'missing', value: null, basis: [], reason, candidates };
    return { field, result: candidates.length > 0 ? aside : result };
  }),
  lists: lists.map(({ array }) => ({ array, entries: [], fault: reason })),
});

function mergedList(array: ArrayField, lists: readonly ListResult[]): ListResult {
  const [firstList = { array, entries: [], fault: NOT_READ }] = lists;
  const { maxItems = Infinity } = array.node;
  const allRows = lists.flatMap(({ entries }) => entries);
  const entries = allRows.slice(0, maxItems).map((row, at) =>
    row.map(({ field, result, nth }) => {
      const path = pathInEntry(field, at, nth);
      return { field, result: { ...result, path }, ...(nth === undefined ? {} : { nth }) };
    }),
  );
  // Where one document has the array, others may be without it.
  const filled = lists.filter((list) => list.entries.length > 0);
  const fault = (filled.find((list) => list.fault !== undefined) ?? (filled.length === 0 ? firstList : undefined))
    ?.fault;
  const cut = allRows.length > entries.length ? 'The documents have more entries than are taken.' : undefined;
  const reason = fault ?? cut;
  return { array, entries, ...(reason === undefined ? {} : { fault: reason }) };
}

// A list has a record of each document, or of each row of a document that is a table.

const ROWS = 'rows';
const ROW_NAMES = [ROWS, '*'].length;

/** The plan for the rows of a document. */
export const rowsPlan = (list: SchemaArray, accept: RecordPlan['accept']): RecordPlan =>
  recordPlan({ kind: 'object', properties: [{ name: ROWS, node: list, isRequired: true }] }, accept);

const hasValue = ({ result }: FieldFinding): boolean => result.value !== null;

/** The columns of its table name more of the fields than are stated once. */
export const isTable = (whole: RecordFindings, rows: RecordFindings): boolean =>
  namedColumnCount(rows) > statedFieldCount(whole);

/** What each row says of the fields of the record, and of its lists. */
export function findingsOfRows(plan: RecordPlan, { lists }: RecordFindings): RecordFindings[] {
  const rows = lists.flatMap(({ entries }) => entries);
  return rows.map((row) => ({
    single: plan.fields.flatMap((field, at): FieldFinding[] => {
      const cellFinding = row[at];
      return cellFinding ? [{ field, result: { ...cellFinding.result, path: pathOf(field.names) } }] : [];
    }),
    lists: plan.arrays.map((array) => listOfRow(array, row)),
  }));
}

/** In the plan for rows, the names of a field begin with those of the list and its entry. */
function listOfRow(array: ArrayField, row: readonly FieldFinding[]): ListResult {
  const path = pathOf(array.names);
  const entries = row.flatMap(({ field: { names }, result, nth }): FieldFinding[][] => {
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
    const rowFields = (byRow.get(String(at)) ?? []).map((field) => ({
      ...field,
      path: field.path.slice(prefix.length),
    }));
    return { data: row, complete: lacking.length === 0, missing: lacking, fields: rowFields };
  });
}

/**
 * All records as one; paths begin with the number of the record, and that of the list itself is empty. `fault` says why
 * records are left out.
 */
export function listOfRecords({ minItems = 0 }: SchemaArray, records: readonly DocumentRecord[], fault?: string) {
  const isShort = records.length < minItems;
  const ofList: FieldResult[] =
    fault === undefined ? [] : [{ path: '', status: 'missing', value: null, basis: [], reason: fault, candidates: [] }];
  const fields = records.flatMap(({ fields: recordFields }, at) =>
    recordFields.map((field) => ({ ...field, path: `${at}.${field.path}` })),
  );
  return {
    data: records.map(({ data }) => data),
    complete: !isShort && fault === undefined && records.every(({ complete }) => complete),
    missing: [
      ...(isShort ? [''] : []),
      ...records.flatMap(({ missing }, at) => missing.map((path) => `${at}.${path}`)),
    ],
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
export function entityKey(plan: RecordPlan, { single }: RecordFindings): string | undefined {
  const key = keyField(plan);
  const value = single.find(({ field }) => field === key)?.result.value;
  return key === undefined || value == null ? undefined : nameKey(String(value));
}

/** Whether it has the name of an entity, and says something of it. */
export function namesEntity(plan: RecordPlan, { single, lists }: RecordFindings): boolean {
  const statedCount = single.filter(hasValue).length + lists.filter(({ entries }) => entries.length > 0).length;
  const isNamed = keyField(plan) === undefined || entityKey(plan, { single, lists }) !== undefined;
  return isNamed && statedCount > (plan.fields.length + plan.arrays.length > 1 ? 1 : 0);
}

/**
 * The findings of each entity, in the order of the documents. `each` are the rows of the documents. A name in two rows of
 * one document names no single thing, such as a company with a row for each year: its rows stay apart.
 */
export function mergedEntities(
  plan: RecordPlan,
  rowsOfDocuments: readonly (readonly RecordFindings[])[],
): RecordFindings[] {
  const rows = rowsOfDocuments.flatMap((documentRows, document) =>
    documentRows.map((row) => ({ document, row, key: entityKey(plan, row) })),
  );
  const rowsByKey = Map.groupBy(
    rows.filter(({ key }) => key !== undefined),
    ({ key }) => key,
  );
  const isOneEntity = (group: typeof rows) => new Set(group.map(({ document }) => document)).size === group.length;
  return rows.flatMap((keyedRow): RecordFindings[] => {
    const group = rowsByKey.get(keyedRow.key);
    if (keyedRow.key === undefined) return keyField(plan) ? [] : [keyedRow.row];
    if (!group || !isOneEntity(group)) return [keyedRow.row];
    return group[0] === keyedRow
      ? [
          mergedFindings(
            plan,
            group.map(({ row }) => row),
          ),
        ]
      : [];
  });
}
