/** What a model proposed so far, checked by code, and what does not hold of it. */

import type { Field } from '../field-words.ts';
import type { ModelAnswer, ModelField } from '../model-answers.ts';
import { isPathOf, type RecordPlan } from '../record-plan.ts';
import { type AnswerContext, type Proposal, statementKey, verdictText } from './answer-context.ts';
import { type CheckedValue, checkProposal } from './check-proposal.ts';
import { formulaResult } from './formulas.ts';

export type Proposals = { byPath: ReadonlyMap<string, Proposal[]>; proposals: readonly Proposal[] };

/** All fields that a model is asked for. */
export const fieldsOf = ({ fields, arrays }: RecordPlan): Field[] => [
  ...fields,
  ...arrays.flatMap((array) => [...array.fields, ...array.lists.map(listedField)]),
];

/** A list within an entry is asked for value by value. */
export const listedField = (field: Field): Field => ({ ...field, names: [...field.names, '*'] });

type AnsweredProposal = Proposal & { modelField: ModelField };
type CollectedProposals = { context: AnswerContext; fields: readonly Field[]; proposals: AnsweredProposal[] };

export function proposalsIn(context: AnswerContext): Proposals {
  const collected: CollectedProposals = { context, fields: fieldsOf(context.request.plan), proposals: [] };
  for (const answer of context.answers) collectAnswer(collected, answer);
  const byPath = Map.groupBy(collected.proposals, ({ path }) => path);
  // What was wrong with an earlier answer is settled by the last.
  for (const pathProposals of byPath.values()) {
    const last = pathProposals.at(-1);
    if (last) rejectFaulty(context, last);
  }
  return { byPath, proposals: collected.proposals };
}

/** Of several answers the last that a second look supports, else the last that code does not refuse. */
export const bestOf = ({ verdicts }: AnswerContext, proposals: readonly Proposal[] = []): Proposal | undefined =>
  proposals.findLast((proposal) => verdicts[statementKey(proposal)]?.verdict === 'supported') ??
  proposals.findLast(({ checked }) => checked.fault === undefined) ??
  proposals.at(-1);

/** More than any record has: what is longer is cut before a rule reads it. */
const MAX_FIELDS = 10_000;
const MAX_TEXT = 2_000;

function collectAnswer(collected: CollectedProposals, { fields: modelFields }: ModelAnswer): void {
  const namedFields = modelFields.slice(0, MAX_FIELDS).flatMap((modelField) => namedField(collected, modelField) ?? []);
  for (const item of withQuotes(namedFields)) if (!item.modelField.computed) collectValue(collected, item);
  // Values of the same answer may be operands.
  for (const item of namedFields) collectComputed(collected, item);
}

type NamedField = { modelField: ModelField; field: Field };

function namedField({ context, fields }: CollectedProposals, modelField: ModelField): NamedField | undefined {
  const field = fields.find(({ names }) => isPathOf(names, modelField.path));
  if (field)
    return {
      modelField: { ...modelField, value: shortText(modelField.value), quote: shortText(modelField.quote) },
      field,
    };
  reject(context, modelField, 'there is no such field, or its path has no number of the entry');
  return undefined;
}

const shortText = <T>(value: T): T | string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : value);

/** The values of an entry often stand on one line, which is quoted once. */
function withQuotes(namedFields: readonly NamedField[]): NamedField[] {
  let last = { entry: '', quote: '' };
  return namedFields.map(({ modelField, field }) => {
    const entry = field.names.includes('*') ? entryOf(field, modelField.path) : '';
    if (modelField.quote) last = { entry, quote: modelField.quote };
    const quote = modelField.quote || (entry !== '' && last.entry === entry ? last.quote : '');
    return { modelField: { ...modelField, quote }, field };
  });
}

function collectValue({ context, proposals }: CollectedProposals, { modelField, field }: NamedField): void {
  const { path, value } = modelField;
  if (value == null) return;
  const checked = checkProposal(
    { parsed: context.request.parsed, hasPictures: context.hasPictures },
    field,
    modelField,
  );
  const fault = 'the value is not of the type of the field';
  proposals.push({ path, field, modelField, checked: checked ?? { value, evidence: [], fault } });
}

function collectComputed({ context, proposals }: CollectedProposals, { modelField, field }: NamedField): void {
  const { path, value, computed } = modelField;
  if (!computed) return;
  const computation = formulaResult(
    { ...context.request, ...namedValues(context, proposals) },
    { field, path, value, computed },
  );
  if ('fault' in computation) {
    const { fault } = computation;
    proposals.push({ path, field, modelField, checked: { value: value ?? computed.op, evidence: [], fault } });
    return;
  }
  const { result, evidence } = computation;
  proposals.push({ path, field, modelField, checked: { value: result.value ?? 0, evidence }, result });
}

const entryOf = ({ names }: Field, path: string): string =>
  path
    .split('.')
    .slice(0, names.indexOf('*') + 1)
    .join('.');

/** What a formula may name by path, and the paths of what code or a second look refused. */
function namedValues({ verdicts }: AnswerContext, proposals: readonly Proposal[]) {
  const latest = new Map(proposals.map((proposal) => [proposal.path, proposal]));
  const isRefused = (proposal: Proposal): boolean => {
    const verdict = verdicts[statementKey(proposal)];
    return proposal.checked.fault !== undefined || (verdict !== undefined && verdict?.verdict !== 'supported');
  };
  const refused = [...latest].flatMap(([path, proposal]) => (isRefused(proposal) ? [path] : []));
  // What the document does not have is no value to count with.
  const knownValues = [...latest].flatMap(([path, proposal]) => {
    const { value, evidence, isAbsent } = proposal.checked;
    return isAbsent || isRefused(proposal) ? [] : [[path, { value, evidence }] as const];
  });
  return { knownValues: new Map(knownValues), refused };
}

function rejectFaulty(context: AnswerContext, { modelField, ...proposal }: AnsweredProposal): void {
  const { fault }: CheckedValue = proposal.checked;
  const verdict = context.verdicts[statementKey(proposal)];
  if (fault !== undefined) reject(context, modelField, fault);
  else if (verdict && verdict.verdict !== 'supported') reject(context, modelField, verdictText(verdict));
}

const MAX_PROPOSED = 300;
const MAX_SHOWN = 20;

const shortened = <T>(value: T): T | string =>
  typeof value === 'string' ? value.slice(0, MAX_PROPOSED).toWellFormed() : value;

function reject({ rejected }: AnswerContext, { path, value, quote, computed }: ModelField, fault: string): void {
  rejected.push({
    path: shortened(path),
    fault,
    ...(value == null ? {} : { value: shortened(value) }),
    ...(quote == null || quote === '' ? {} : { quote: shortened(quote) }),
    ...(computed == null || computed.of.length > MAX_SHOWN ? {} : { computed }),
  });
}
