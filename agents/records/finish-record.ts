/** Finishes a record: tests patterns, removes values of statuses that are not accepted, shapes the data, and lists what is missing. */

import type { DocumentRecord, FieldResult, FieldStatus } from '../../shared/agents/results/records.ts';
import type { SchemaNode } from '../../shared/tasks/output-schema.ts';
import type { Scalar } from './compare-values.ts';
import { type FieldFinding, type ListResult, missingResult, type RecordFindings } from './record-findings.ts';
import { pathInEntry, pathOf, type RecordPlan } from './record-plan.ts';
import type { TestPatterns } from './test-patterns.ts';

const NO_TABLE = 'A row of a table has no table of its own.';

type FinishRequest = { plan: RecordPlan; testPatterns: TestPatterns };

export async function finishRecord(request: FinishRequest, findings: RecordFindings): Promise<DocumentRecord> {
  const { plan } = request;
  const { single, entries } = findings;
  if (entries && plan.entry) return finishEntries({ ...request, plan: plan.entry }, plan, entries);
  const statedFindings = [...single, ...findings.lists.flatMap(({ entries }) => entries.flat())];
  await checkPatterns(request, statedFindings);
  for (const { result } of statedFindings) rejectUnaccepted(result, plan.accept);
  const lists = findings.lists.map(acceptedEntries);
  const acceptedFindings = [...single, ...lists.flatMap(({ entries }) => entries.flat())];
  const faults = lists.flatMap(({ array, entries, fault, omitted }): (FieldResult & { isLacking: boolean })[] => {
    const minEntries = Math.max(1, array.node.minItems ?? 1);
    const isShort = entries.length < minEntries;
    const reason = fault ?? (isShort ? `There are fewer than ${minEntries} entries.` : undefined);
    const isLacking = array.isWanted && (isShort || omitted.length > 0);
    const tableFaults = entries.flatMap((_, row) =>
      array.tables.map((table) => ({ ...missingResult(pathInEntry(table, row), NO_TABLE), isLacking: table.isWanted })),
    );
    const status = omitted.some((entry) => entry.isUnverified) ? 'unverified' : 'missing';
    const listFault = {
      ...missingResult(pathOf(array.names), reason ?? ''),
      status,
      candidates: omitted.map(({ isUnverified: _, ...candidate }) => candidate),
      isLacking,
    } as const;
    return [...(reason === undefined ? [] : [listFault]), ...tableFaults];
  });
  const missingPaths = [
    ...acceptedFindings.flatMap(({ field, result }) => (field.isWanted && result.value === null ? [result.path] : [])),
    ...faults.flatMap(({ isLacking, path }) => (isLacking ? [path] : [])),
  ];
  const values = new Map(acceptedFindings.map(({ result }) => [result.path, result.value]));
  const counts = new Map(lists.map(({ array, entries }) => [pathOf(array.names), entries.length]));
  for (const { entries } of lists)
    for (const [row, rowFindings] of entries.entries())
      for (const { field, nth } of rowFindings) if (nth !== undefined) counts.set(pathInEntry(field, row), nth + 1);
  return {
    data: toData(plan.schema, [], { values, counts }) as Record<string, unknown>,
    complete: missingPaths.length === 0,
    missing: missingPaths,
    fields: [...acceptedFindings.map(({ result }) => result), ...faults.map(({ isLacking: _, ...fault }) => fault)],
  };
}

const MAX_OMITTED = 10;

type OmittedEntry = FieldResult['candidates'][number] & { isUnverified: boolean };

/** Entries without any accepted value are left out, and become candidates of the list. */
function acceptedEntries(list: ListResult): ListResult & { omitted: OmittedEntry[] } {
  const { array, entries, fault } = list;
  const isOmitted = (row: readonly FieldFinding[]) =>
    row.every(({ result }) => result.value === null) && row.some(({ result }) => result.candidates.length > 0);
  const omitted = entries.filter(isOmitted);
  if (omitted.length === 0) return { ...list, omitted: [] };
  const keptEntries = entries
    .filter((row) => !isOmitted(row))
    .map((row, at) =>
      row.map(({ field, result, nth, ...otherParts }) => {
        const path = pathInEntry(field, at, nth);
        return { field, ...otherParts, result: { ...result, path }, ...(nth === undefined ? {} : { nth }) };
      }),
    );
  const firstFinding = omitted.flat().find(({ result }) => result.candidates.length > 0);
  const count = omitted.length === 1 ? 'One entry is' : `${omitted.length} entries are`;
  const reason = `${count} left out: ${firstFinding?.result.reason ?? ''}`;
  return {
    array,
    entries: keptEntries,
    fault: fault === undefined ? reason : `${fault} ${reason}`,
    omitted: omitted.slice(0, MAX_OMITTED).flatMap(candidateOfEntry),
  };
}

/** The values of an entry as one text, with the evidence of the first. */
function candidateOfEntry(row: readonly FieldFinding[]): OmittedEntry[] {
  const values = row.flatMap(({ field, result: { candidates } }) =>
    candidates[0] ? [{ ...candidates[0], name: field.names.findLast((name) => name !== '*') ?? '' }] : [],
  );
  const [firstValue] = values;
  const value = values.map((entryValue) => `${entryValue.name}: ${entryValue.value}`).join(', ');
  const isUnverified = row.some(({ result }) => result.status === 'unverified');
  return firstValue ? [{ value, basis: firstValue.basis, reason: firstValue.reason, isUnverified }] : [];
}

/** The record of a list, from the records of its entries. */
async function finishEntries(
  request: FinishRequest,
  { arrays: [list] }: RecordPlan,
  entries: readonly RecordFindings[],
): Promise<DocumentRecord> {
  const { maxItems = Infinity, minItems = 1 } = list?.node ?? {};
  const [path = ''] = list?.names ?? [];
  const records: DocumentRecord[] = [];
  for (const entry of entries.slice(0, maxItems)) records.push(await finishRecord(request, entry));
  const within = (at: number, pathInRecord: string) => `${path}.${at}.${pathInRecord}`;
  const isShort = records.length < minItems;
  const missingPaths = [
    ...records.flatMap(({ missing: paths }, at) => paths.map((missingPath) => within(at, missingPath))),
    ...(isShort && list?.isWanted ? [path] : []),
  ];
  const isCut = entries.length > maxItems;
  const reason = isCut ? 'There are more entries than are taken.' : `There are fewer than ${minItems} entries.`;
  return {
    data: Object.assign(Object.create(null), { [path]: records.map(({ data }) => data) }),
    complete: missingPaths.length === 0,
    missing: missingPaths,
    fields: [
      ...records.flatMap(({ fields }, at) => fields.map((field) => ({ ...field, path: within(at, field.path) }))),
      ...(isCut || isShort ? [missingResult(path, reason)] : []),
    ],
  };
}

/** A value that does not match its pattern is not the one that is wanted. */
async function checkPatterns({ testPatterns }: FinishRequest, findings: readonly FieldFinding[]): Promise<void> {
  const patternTests = findings.flatMap(({ field: { leaf }, result }) =>
    leaf.pattern !== undefined && result.value !== null
      ? [{ result, test: { pattern: leaf.pattern, text: String(result.value) } }]
      : [],
  );
  if (patternTests.length === 0) return;
  const matches = await testPatterns(patternTests.map(({ test }) => test));
  for (const [at, { result }] of patternTests.entries()) {
    if (!matches) reject(result, 'The patterns of the schema took too long to be tested.');
    else if (!matches[at]) reject(result, 'The value found does not match the pattern.');
  }
}

/** An unverified value stays named as such, with the reason why it is: the value itself is a candidate. */
function rejectUnaccepted(result: FieldResult, accept: readonly FieldStatus[]): void {
  const { value, status, reason } = result;
  if (value === null || accept.includes(status)) return;
  if (status === 'unverified') reject(result, reason, status);
  else reject(result, `A ${status} value is not accepted.`);
}

function reject(result: FieldResult, reason: string, status: FieldStatus = 'missing'): void {
  const [basis] = result.basis;
  if (result.value !== null && basis) result.candidates.unshift({ value: result.value, basis, reason: result.reason });
  Object.assign(result, { status, value: null, basis: [], reason });
}

type Shape = { values: ReadonlyMap<string, Scalar | null>; counts: ReadonlyMap<string, number> };

/** Objects have no prototype, so that a property may have any name. */
function toData(node: SchemaNode, names: readonly string[], shape: Shape): unknown {
  const path = pathOf(names);
  if (node.kind === 'object') {
    const object: Record<string, unknown> = Object.create(null);
    for (const { name, node: inner } of node.properties) object[name] = toData(inner, [...names, name], shape);
    return object;
  }
  if (node.kind === 'array')
    return Array.from({ length: shape.counts.get(path) ?? 0 }, (_, at) =>
      toData(node.items, [...names, String(at)], shape),
    );
  return shape.values.get(path) ?? null;
}
