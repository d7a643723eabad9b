/** Finishes a record: tests patterns, removes values of statuses that are not accepted, shapes the data, and lists what is missing. */

import type { SchemaNode } from '../../shared/tasks/output-schema.ts';
import type { Scalar } from './compare-values.ts';
import {
  type DocumentRecord,
  type FieldResult,
  type FieldStatus,
  type Findings,
  type FoundField,
  type ListResult,
  missing,
  pathInEntry,
  pathOf,
  type RecordPlan,
} from './record-plan.ts';
import type { TestPatterns } from './test-patterns.ts';

const NO_TABLE = 'A row of a table has no table of its own.';

type Finishing = { plan: RecordPlan; testPatterns: TestPatterns };

export async function finishRecord(request: Finishing, findings: Findings): Promise<DocumentRecord> {
  const { plan } = request;
  const { single, entries } = findings;
  if (entries && plan.entry) return finishEntries({ ...request, plan: plan.entry }, plan, entries);
  const stated = [...single, ...findings.lists.flatMap(({ entries }) => entries.flat())];
  await checkPatterns(request, stated);
  for (const { result } of stated) withoutUnaccepted(result, plan.accept);
  const lists = findings.lists.map(acceptedEntries);
  const all = [...single, ...lists.flatMap(({ entries }) => entries.flat())];
  const faults = lists.flatMap(({ array, entries, fault, left }): (FieldResult & { isLacking: boolean })[] => {
    const least = Math.max(1, array.node.minItems ?? 1);
    const isShort = entries.length < least;
    const reason = fault ?? (isShort ? `There are fewer than ${least} entries.` : undefined);
    const isLacking = array.isWanted && (isShort || left.length > 0);
    const inEntries = entries.flatMap((_, row) =>
      array.tables.map((one) => ({ ...missing(pathInEntry(one, row), NO_TABLE), isLacking: one.isWanted })),
    );
    const status = left.some((one) => one.isUnverified) ? 'unverified' : 'missing';
    const ofList = {
      ...missing(pathOf(array.names), reason ?? ''),
      status,
      candidates: left.map(({ isUnverified: _, ...candidate }) => candidate),
      isLacking,
    } as const;
    return [...(reason === undefined ? [] : [ofList]), ...inEntries];
  });
  const lacking = [
    ...all.flatMap(({ field, result }) => (field.isWanted && result.value === null ? [result.path] : [])),
    ...faults.flatMap(({ isLacking, path }) => (isLacking ? [path] : [])),
  ];
  const values = new Map(all.map(({ result }) => [result.path, result.value]));
  const counts = new Map(lists.map(({ array, entries }) => [pathOf(array.names), entries.length]));
  for (const { entries } of lists)
    for (const [row, one] of entries.entries())
      for (const { field, nth } of one) if (nth !== undefined) counts.set(pathInEntry(field, row), nth + 1);
  return {
    data: shaped(plan.schema, [], { values, counts }) as Record<string, unknown>,
    complete: lacking.length === 0,
    missing: lacking,
    fields: [...all.map(({ result }) => result), ...faults.map(({ isLacking: _, ...fault }) => fault)],
  };
}

const MAX_LEFT = 10;

type LeftEntry = FieldResult['candidates'][number] & { isUnverified: boolean };

/** Entries without any accepted value are left out, and become candidates of the list. */
function acceptedEntries(list: ListResult): ListResult & { left: LeftEntry[] } {
  const { array, entries, fault } = list;
  const isLeft = (row: readonly FoundField[]) =>
    row.every(({ result }) => result.value === null) && row.some(({ result }) => result.candidates.length > 0);
  const left = entries.filter(isLeft);
  if (left.length === 0) return { ...list, left: [] };
  const kept = entries
    .filter((row) => !isLeft(row))
    .map((row, at) =>
      row.map(({ field, result, nth, ...found }) => {
        const path = pathInEntry(field, at, nth);
        return { field, ...found, result: { ...result, path }, ...(nth === undefined ? {} : { nth }) };
      }),
    );
  const first = left.flat().find(({ result }) => result.candidates.length > 0);
  const count = left.length === 1 ? 'One entry is' : `${left.length} entries are`;
  const reason = `${count} left out: ${first?.result.reason ?? ''}`;
  return {
    array,
    entries: kept,
    fault: fault === undefined ? reason : `${fault} ${reason}`,
    left: left.slice(0, MAX_LEFT).flatMap(candidateOfEntry),
  };
}

/** The values of an entry as one text, with the evidence of the first. */
function candidateOfEntry(row: readonly FoundField[]): LeftEntry[] {
  const values = row.flatMap(({ field, result: { candidates } }) =>
    candidates[0] ? [{ ...candidates[0], name: field.names.findLast((name) => name !== '*') ?? '' }] : [],
  );
  const [first] = values;
  const value = values.map((one) => `${one.name}: ${one.value}`).join(', ');
  const isUnverified = row.some(({ result }) => result.status === 'unverified');
  return first ? [{ value, basis: first.basis, reason: first.reason, isUnverified }] : [];
}

/** The record of a list, from the records of its entries. */
async function finishEntries(
  request: Finishing,
  { arrays: [list] }: RecordPlan,
  entries: readonly Findings[],
): Promise<DocumentRecord> {
  const { maxItems = Infinity, minItems = 1 } = list?.node ?? {};
  const [path = ''] = list?.names ?? [];
  const records: DocumentRecord[] = [];
  for (const one of entries.slice(0, maxItems)) records.push(await finishRecord(request, one));
  const within = (at: number, rest: string) => `${path}.${at}.${rest}`;
  const isShort = records.length < minItems;
  const lacking = [
    ...records.flatMap(({ missing: paths }, at) => paths.map((one) => within(at, one))),
    ...(isShort && list?.isWanted ? [path] : []),
  ];
  const isCut = entries.length > maxItems;
  const reason = isCut ? 'There are more entries than are taken.' : `There are fewer than ${minItems} entries.`;
  return {
    data: Object.assign(Object.create(null), { [path]: records.map(({ data }) => data) }),
    complete: lacking.length === 0,
    missing: lacking,
    fields: [
      ...records.flatMap(({ fields }, at) => fields.map((one) => ({ ...one, path: within(at, one.path) }))),
      ...(isCut || isShort ? [missing(path, reason)] : []),
    ],
  };
}

/** A value that does not match its pattern is not the one that is wanted. */
async function checkPatterns({ testPatterns }: Finishing, all: readonly FoundField[]): Promise<void> {
  const tested = all.flatMap(({ field: { leaf }, result }) =>
    leaf.pattern !== undefined && result.value !== null
      ? [{ result, test: { pattern: leaf.pattern, text: String(result.value) } }]
      : [],
  );
  if (tested.length === 0) return;
  const matches = await testPatterns(tested.map(({ test }) => test));
  for (const [at, { result }] of tested.entries()) {
    if (!matches) reject(result, 'The patterns of the schema took too long to be tested.');
    else if (!matches[at]) reject(result, 'The value found does not match the pattern.');
  }
}

/** An unverified value stays named as such, with the reason why it is: the value itself is a candidate. */
function withoutUnaccepted(result: FieldResult, accept: readonly FieldStatus[]): void {
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
function shaped(node: SchemaNode, names: readonly string[], shape: Shape): unknown {
  const path = pathOf(names);
  if (node.kind === 'object') {
    const object: Record<string, unknown> = Object.create(null);
    for (const { name, node: inner } of node.properties) object[name] = shaped(inner, [...names, name], shape);
    return object;
  }
  if (node.kind === 'array')
    return Array.from({ length: shape.counts.get(path) ?? 0 }, (_, at) =>
      shaped(node.items, [...names, String(at)], shape),
    );
  return shape.values.get(path) ?? null;
}
