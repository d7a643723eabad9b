/** What a model proposed so far, checked by code, and what does not hold of it. */

import type { Field } from '../field-words.ts';
import type { ModelAnswer, ModelField } from '../model-answers.ts';
import { isPathOf, type RecordPlan } from '../record-plan.ts';
import { type CheckedValue, checkProposal } from './check-proposal.ts';
import { formulaResult } from './formulas.ts';
import { keyOf, type Look, type Proposal, verdictText } from './look.ts';

export type Proposals = { byPath: ReadonlyMap<string, Proposal[]>; all: readonly Proposal[] };

/** All fields that a model is asked for. */
export const fieldsOf = ({ fields, arrays }: RecordPlan): Field[] => [
  ...fields,
  ...arrays.flatMap((array) => [...array.fields, ...array.lists.map(listedField)]),
];

/** A list within an entry is asked for value by value. */
export const listedField = (field: Field): Field => ({ ...field, names: [...field.names, '*'] });

type Given = Proposal & { given: ModelField };
type Read = { look: Look; fields: readonly Field[]; all: Given[] };

export function proposalsIn(look: Look): Proposals {
  const read: Read = { look, fields: fieldsOf(look.request.plan), all: [] };
  for (const answer of look.answers) readAnswer(read, answer);
  const byPath = Map.groupBy(read.all, ({ path }) => path);
  // What was wrong with an earlier answer is settled by the last.
  for (const own of byPath.values()) {
    const last = own.at(-1);
    if (last) rejectFaulty(look, last);
  }
  return { byPath, all: read.all };
}

/** More than any record has: what is longer is cut before a rule reads it. */
const MAX_FIELDS = 10_000;
const MAX_TEXT = 2_000;

function readAnswer(read: Read, { fields: given }: ModelAnswer): void {
  const all = given.slice(0, MAX_FIELDS).flatMap((one) => namedField(read, one) ?? []);
  for (const one of withQuotes(all)) if (!one.given.computed) readValue(read, one);
  // Values of the same answer may be operands.
  for (const one of all) readComputed(read, one);
}

type Named = { given: ModelField; field: Field };

function namedField({ look, fields }: Read, given: ModelField): Named | undefined {
  const field = fields.find(({ names }) => isPathOf(names, given.path));
  if (field) return { given: { ...given, value: shortText(given.value), quote: shortText(given.quote) }, field };
  reject(look, given, 'there is no such field, or its path has no number of the entry');
  return undefined;
}

const shortText = <T>(value: T): T | string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : value);

/** The values of an entry often stand on one line, which is quoted once. */
function withQuotes(all: readonly Named[]): Named[] {
  let last = { entry: '', quote: '' };
  return all.map(({ given, field }) => {
    const entry = field.names.includes('*') ? entryOf(field, given.path) : '';
    if (given.quote) last = { entry, quote: given.quote };
    const quote = given.quote || (entry !== '' && last.entry === entry ? last.quote : '');
    return { given: { ...given, quote }, field };
  });
}

function readValue({ look, all }: Read, { given, field }: Named): void {
  const { path, value } = given;
  if (value == null) return;
  const checked = checkProposal({ paper: look.request.paper, hasPictures: look.hasPictures }, field, given);
  const fault = 'the value is not of the type of the field';
  all.push({ path, field, given, checked: checked ?? { value, evidence: [], fault } });
}

function readComputed({ look, all }: Read, { given, field }: Named): void {
  const { path, value, computed } = given;
  if (!computed) return;
  const made = formulaResult({ ...look.request, ...namedValues(look, all) }, { field, path, value, computed });
  if ('fault' in made) {
    const { fault } = made;
    all.push({ path, field, given, checked: { value: value ?? computed.op, evidence: [], fault } });
    return;
  }
  const { result, evidence } = made;
  all.push({ path, field, given, checked: { value: result.value ?? 0, evidence }, result });
}

const entryOf = ({ names }: Field, path: string): string =>
  path
    .split('.')
    .slice(0, names.indexOf('*') + 1)
    .join('.');

/** What a formula may name by path, and the paths of what code or a second look refused. */
function namedValues({ verdicts }: Look, all: readonly Proposal[]) {
  const latest = new Map(all.map((one) => [one.path, one]));
  const isRefused = (one: Proposal): boolean => {
    const verdict = verdicts[keyOf(one)];
    return one.checked.fault !== undefined || (verdict !== undefined && verdict?.verdict !== 'supported');
  };
  const refused = [...latest].flatMap(([path, one]) => (isRefused(one) ? [path] : []));
  // What the document does not have is no value to count with.
  const known = [...latest].flatMap(([path, one]) => {
    const { value, evidence, isAbsent } = one.checked;
    return isAbsent || isRefused(one) ? [] : [[path, { value, evidence }] as const];
  });
  return { known: new Map(known), refused };
}

function rejectFaulty(look: Look, { given, ...proposal }: Given): void {
  const { fault }: CheckedValue = proposal.checked;
  const verdict = look.verdicts[keyOf(proposal)];
  if (fault !== undefined) reject(look, given, fault);
  else if (verdict && verdict.verdict !== 'supported') reject(look, given, verdictText(verdict));
}

const MAX_PROPOSED = 300;
const MAX_SHOWN = 20;

const shortened = <T>(value: T): T | string =>
  typeof value === 'string' ? value.slice(0, MAX_PROPOSED).toWellFormed() : value;

function reject({ rejected }: Look, { path, value, quote, computed }: ModelField, fault: string): void {
  rejected.push({
    path: shortened(path),
    fault,
    ...(value == null ? {} : { value: shortened(value) }),
    ...(quote == null || quote === '' ? {} : { quote: shortened(quote) }),
    ...(computed == null || computed.of.length > MAX_SHOWN ? {} : { computed }),
  });
}

/** Of several answers the last that a second look supports, else the last that code does not refuse. */
export const bestOf = ({ verdicts }: Look, all: readonly Proposal[] = []): Proposal | undefined =>
  all.findLast((one) => verdicts[keyOf(one)]?.verdict === 'supported') ??
  all.findLast(({ checked }) => checked.fault === undefined) ??
  all.at(-1);
