/** What is known of the fields of a record before it is put together. */

import type { FieldResult } from '../../shared/agents/results/records.ts';
import type { Field } from './field-words.ts';
import type { FieldCandidate } from './matching/find-values.ts';
import { type ArrayField, pathOf, type RecordPlan } from './record-plan.ts';

/** `candidate` is where the value of the result stands, `nth` its number in a list within an entry. */
export type FieldFinding = { field: Field; result: FieldResult; candidate?: FieldCandidate; nth?: number };

/** What is known of all fields before the record is put together. */
export type RecordFindings = {
  single: FieldFinding[];
  lists: ListResult[];
  /** What each document says as one entry of the list that the schema is. */
  entries?: RecordFindings[];
};

/** The entries of an array, each a value or the results of its fields and then of its lists, and what is wrong with the array itself. */
export type ListResult = { array: ArrayField; entries: FieldFinding[][]; fault?: string };

export const hasValue = ({ result }: FieldFinding): boolean => result.value !== null;

/** How many fields are stated once, and how many have a column in the table of a list. */
export const statedFieldCount = ({ single }: RecordFindings): number => single.filter(hasValue).length;
export const namedColumnCount = ({ lists }: RecordFindings): number =>
  new Set(lists.flatMap(({ entries }) => entries.flat().filter(hasValue)).map(({ field }) => field)).size;

export const missingResult = (path: string, reason: string): FieldResult => ({
  path,
  status: 'missing',
  value: null,
  basis: [],
  reason,
  candidates: [],
});

/** Why a text that takes longer than its budget of CPU time has no values. */
const TOO_SLOW = 'The text took too long to be searched.';

/** The findings of a document that could not be searched. */
export const unsearchedFindings = ({ fields, arrays }: RecordPlan): RecordFindings => ({
  single: fields.map((field) => ({ field, result: missingResult(pathOf(field.names), TOO_SLOW) })),
  lists: arrays.map((array) => ({ array, entries: [], fault: TOO_SLOW })),
});
