/** What a model proposed so far, checked by code, and what does not hold of it. */

import type { Field } from '../field-words.ts';
import type { ModelAnswer, ModelField } from '../model-answers.ts';
import { pathOf, type RecordPlan } from '../record-plan.ts';
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
type Read = { look: Look; fields: ReadonlyMap<string, Field>; all: Given[]; isLast: boolean };

export function proposalsIn(look: Look): Proposals {
  const fields = new Map(fieldsOf(look.request.plan).map((field) => [pathOf(field.names), field]));
  const all: Given[] = [];
  for (const [round, answer] of look.answers.entries())
    readAnswer({ look, fields, all, isLast: round === look.answers.length - 1 }, answer);
  const byPath = Map.groupBy(all, ({ path }) => path);
  for (const own of byPath.values()) {
    const last = own.at(-1);
    if (last) rejectFaulty(look, last);
  }
  return { byPath, all };
}

function readAnswer(read: Read, { fields: given }: ModelAnswer): void {
  const all = given.flatMap((one) => namedField(read, one) ?? []);
  const stated = withQuotes(all.filter((one) => !one.given.computed));
  for (const one of stated) readValue(read, one);
  // Values of the same answer may be operands.
  for (const one of all) readComputed(read, one);
}

type Named = { given: ModelField; field: Field };

function namedField(read: Read, given: ModelField): Named | undefined {
  const field = read.fields.get(patternOf(given.path)) ?? read.fields.get(given.path);
  const isNumbered = !field?.names.includes('*') || !given.path.includes('*');
  if (!isNumbered) rejectLast(read, given, 'the path has no number of the entry');
  return field && isNumbered ? { given, field } : undefined;
}

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

function readValue(read: Read, { given, field }: Named): void {
  const { look, all } = read;
  if (given.value == null) return;
  const checked = checkProposal({ paper: look.request.paper, hasPictures: look.hasPictures }, field, given);
  if (checked) all.push({ path: given.path, field, given, checked });
  else rejectLast(read, given, 'the value is not of the type of the field');
}

function readComputed(read: Read, { given, field }: Named): void {
  const { path, value, computed } = given;
  if (!computed) return;
  const known = knownValues(read.all);
  const made = formulaResult({ ...read.look.request, known }, { field, path, value, computed });
  if ('fault' in made) {
    rejectLast(read, given, made.fault);
    return;
  }
  const { result, evidence } = made;
  read.all.push({ path, field, given, checked: { value: result.value ?? 0, evidence }, result });
}

/** What was wrong with earlier answers is settled by the last. */
function rejectLast({ look, isLast }: Read, given: ModelField, fault: string): void {
  if (isLast) reject(look, given, fault);
}

const patternOf = (path: string): string =>
  path
    .split('.')
    .map((name) => (/^\d{1,4}$/.test(name) ? '*' : name))
    .join('.');

const entryOf = ({ names }: Field, path: string): string =>
  path
    .split('.')
    .slice(0, names.indexOf('*') + 1)
    .join('.');

/** What a formula may name by path. */
const knownValues = (all: readonly Proposal[]) =>
  new Map(
    all.flatMap(({ path, checked: { value, evidence, fault } }) =>
      fault === undefined && evidence.length > 0 ? [[path, { value, evidence }] as const] : [],
    ),
  );

function rejectFaulty(look: Look, { given, ...proposal }: Given): void {
  const { fault }: CheckedValue = proposal.checked;
  const verdict = look.verdicts[keyOf(proposal)];
  if (fault !== undefined) reject(look, given, fault);
  else if (verdict && verdict.verdict !== 'supported') reject(look, given, verdictText(verdict));
}

const MAX_PROPOSED = 300;

const shortened = <T>(value: T): T | string =>
  typeof value === 'string' ? value.slice(0, MAX_PROPOSED).toWellFormed() : value;

function reject({ rejected }: Look, { path, value, quote }: ModelField, fault: string): void {
  rejected.push({
    path: shortened(path),
    fault,
    ...(value == null ? {} : { value: shortened(value) }),
    ...(quote == null ? {} : { quote: shortened(quote) }),
  });
}

/** Of several answers the last that a second look supports, else the last that code does not refuse. */
export const bestOf = ({ verdicts }: Look, all: readonly Proposal[] = []): Proposal | undefined =>
  all.findLast((one) => verdicts[keyOf(one)]?.verdict === 'supported') ??
  all.findLast(({ checked }) => checked.fault === undefined) ??
  all.at(-1);
