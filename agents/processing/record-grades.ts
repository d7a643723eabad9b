/** How sure the values in a row of a table of records are, in words that stay beside them wherever the table goes. */

import type { DocumentRecord, FieldResult, FieldStatus } from '../../shared/agents/results/records.ts';

/** The surest first. */
const GRADES: readonly FieldStatus[] = ['proven', 'computed', 'judged', 'unverified', 'conflict', 'missing'];
/** What stands there was checked; the others a person should look at. */
const DELIVERED: ReadonlySet<FieldStatus> = new Set(['proven', 'computed', 'judged']);

export const GRADE_HEAD: readonly string[] = ['grade', 'to_check'];

/**
 * The weakest grade of some fields, and those that a person should look at; both empty without fields. That a document does not
 * state a field makes no value beside it less sure.
 */
export function gradeCells(fields: readonly FieldResult[]): [grade: string, toCheck: string] {
  const relevantFields = fields.filter(({ status, candidates }) => status !== 'missing' || candidates.length > 0);
  const graded = relevantFields.length > 0 ? relevantFields : fields;
  const weakest = Math.max(...graded.map(({ status }) => GRADES.indexOf(status)));
  const toCheck = fields
    .filter(({ status }) => !DELIVERED.has(status))
    .map(({ path, status }) => `${path} (${status})`);
  return [GRADES[weakest] ?? '', joinedList(toCheck)];
}

type GradedRows = {
  /** The fields outside the arrays of objects. */
  single: FieldResult[];
  /** The fields of an entry of the array with these names. */
  ofEntry(names: readonly string[], entry: number): FieldResult[];
};

/**
 * The fields of a record by the row in which their values stand. A field that may be null, and of which nothing was found,
 * says nothing about the values in its row.
 */
export function gradedRows({ fields, missing }: DocumentRecord, arrays: readonly (readonly string[])[]): GradedRows {
  const missingPaths = new Set(missing);
  const counted = fields.filter(
    (field) => field.status !== 'missing' || missingPaths.has(field.path) || field.candidates.length > 0,
  );
  const byRow = Map.groupBy(counted, ({ path }) => rowOf(path, arrays));
  return {
    single: byRow.get('') ?? [],
    ofEntry: (names, entry) => byRow.get([...names, entry].join('.')) ?? [],
  };
}

const MAX_TO_CHECK = 500;

function joinedList(texts: readonly string[]): string {
  let text = '';
  for (const [at, next] of texts.entries()) {
    const longer = text === '' ? next : `${text}, ${next}`;
    if (longer.length > MAX_TO_CHECK && at > 0) return `${text}, and ${texts.length - at} more`;
    text = longer;
  }
  return text;
}

/** `lines.2` for `lines.2.amount`, and nothing for a field outside the arrays. */
function rowOf(path: string, arrays: readonly (readonly string[])[]): string {
  const parts = path.split('.');
  const array = arrays.find(
    (names) => parts.length > names.length + 1 && names.every((name, at) => name === parts[at]),
  );
  return array ? parts.slice(0, array.length + 1).join('.') : '';
}
