/** Makes a list of records: one of each document, or of each row of a document that is a table. */

import type { DocumentRecord, FieldResult } from '../../shared/agents/results/records.ts';
import type { SchemaArray } from '../../shared/tasks/output-schema.ts';
import type { FieldFinding, ListResult, RecordFindings } from './record-findings.ts';
import { namedColumnCount, statedFieldCount } from './record-findings.ts';
import type { ArrayField, RecordPlan } from './record-plan.ts';
import { pathOf, recordPlan } from './record-plan.ts';

const ROWS = 'rows';
const ROW_NAMES = [ROWS, '*'].length;

/** The plan for the rows of a document. */
export const rowsPlan = (list: SchemaArray, accept: RecordPlan['accept']): RecordPlan =>
  recordPlan({ kind: 'object', properties: [{ name: ROWS, node: list, isRequired: true }] }, accept);

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
