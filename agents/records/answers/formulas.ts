/** Values that a model computes: code finds each operand in the document, and computes the value itself. */

import type { Basis, FieldResult } from '../../../shared/agents/results/records.ts';
import { computedOperation as computedBy } from '../../verification/arithmetic.ts';
import { figureCheck } from '../../verification/evidence/figures.ts';
import type { Scalar } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import type { ParsedDocument } from '../matching/parsed-document.ts';
import { faultOfValue } from '../matching/typed-values.ts';
import type { ComputedProposal } from '../model-answers.ts';
import { isPathOf } from '../record-plan.ts';
import { checkProposal, type LocatedEvidence } from './check-proposal.ts';

const NUMBER_FIELD = { leaf: { kind: 'number' } } as unknown as Field;
const MAX_OPERANDS = 500;
const MAX_BASIS = 50;

/** What the same answer gives for other fields, by their paths. */
type KnownValues = ReadonlyMap<string, { value: Scalar; evidence: readonly LocatedEvidence[] }>;
/** `refused` are the paths of what code refused. */
type Formulas = { parsed: ParsedDocument; document: number; knownValues: KnownValues; refused: readonly string[] };
type Computation = { field: Field; path: string; value: Scalar | null | undefined; computed: ComputedProposal };

export function formulaResult(
  request: Formulas,
  { field, path, value, computed: { op, of, from, to } }: Computation,
): { result: FieldResult; evidence: LocatedEvidence[] } | { fault: string } {
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return { fault: 'only numbers are computed' };
  if (of.length > MAX_OPERANDS) return { fault: TOO_MANY };
  const operands = operandsOf(request, of);
  if ('fault' in operands) return operands;
  const figures = operands.flatMap(({ name, value: operandValue }) => {
    const counted = op === 'count' ? 1 : operandValue;
    return typeof counted === 'number' ? [{ name, value: counted }] : [];
  });
  if (figures.length < operands.length) return { fault: `${op} needs numbers: an operand is none` };
  const result = computedBy(op, figures, { from: from ?? undefined, to: to ?? undefined });
  if ('fault' in result) return result;
  const isWhole = field.leaf.kind !== 'integer' || Number.isSafeInteger(result.value);
  const fault = isWhole ? faultOfValue(field.leaf, result.value) : 'is not a whole number';
  if (fault) return { fault: `the result ${fault}` };
  const claimed = value == null ? result.value : Number(value);
  if (!isRounded(claimed, result.value)) return { fault: `the value does not follow: ${result.formula}` };
  const evidence = operands.slice(0, MAX_BASIS).flatMap((operand) => operand.evidence ?? []);
  const basis = evidence.map((item) => basisAt(request, item));
  // An operand that stands in a picture alone was located by no code.
  const status = operands.every((operand) => operand.evidence) ? 'computed' : 'judged';
  return { result: { path, status, value: claimed, basis, reason: result.formula, candidates: [] }, evidence };
}

const MAX_QUOTE = 300;

/** Where the evidence stands, with the words of the document. */
export function basisAt(
  { parsed, document }: Pick<Formulas, 'parsed' | 'document'>,
  { located }: LocatedEvidence,
): Basis {
  const { part, from, to, label, page } = located;
  const end = Math.min(to, from + MAX_QUOTE);
  const quote = (parsed.parts[part]?.text ?? '').slice(from, end).toWellFormed();
  return { document, place: label, quote, ...(page === undefined ? {} : { page }), from, to: end };
}

/** `evidence` is absent where a value was read in a picture alone. */
type Operand = { name: string; value: Scalar; evidence: LocatedEvidence | undefined; key: string };

const TOO_MANY = `there are more than ${MAX_OPERANDS} operands`;

function operandsOf(request: Formulas, of: ComputedProposal['of']): Operand[] | { fault: string } {
  const refusedOperand = of.find(
    (operand) =>
      typeof operand === 'string' && request.refused.some((refusedPath) => isPathOf(operand.split('.'), refusedPath)),
  );
  if (refusedOperand) return { fault: `a value of ${refusedOperand} does not hold` };
  const operandGroups = of.map((operand) =>
    typeof operand === 'string' ? byPath(request, operand) : byQuote(request, operand),
  );
  const lacking = operandGroups.findIndex((operands) => operands.length === 0);
  if (lacking >= 0)
    return {
      fault: `operand ${lacking + 1} is neither the path of a field that is given nor a number that stands in its quote`,
    };
  const allOperands = operandGroups.flat();
  if (allOperands.length > MAX_OPERANDS) return { fault: TOO_MANY };
  return new Set(allOperands.map(({ key }) => key)).size < allOperands.length
    ? { fault: 'a value is used twice' }
    : allOperands;
}

/** Whether the model gives what code computes, or that as rounded as a reader of percentages expects. */
function isRounded(claimed: number, exact: number): boolean {
  const decimals = String(claimed).split('.')[1]?.length ?? 0;
  return Math.abs(claimed - exact) <= Math.min(0.5 * 10 ** -decimals, 0.01 * Math.abs(exact)) + 1e-9;
}

/** `lines.*.amount` are all entries of the column. */
function byPath({ knownValues }: Formulas, path: string): Operand[] {
  const names = path.split('.');
  return [...knownValues].flatMap(
    ([
      name,
      {
        value,
        evidence: [evidence],
      },
    ]) => (isPathOf(names, name) ? [{ name, value, evidence, key: name }] : []),
  );
}

function byQuote({ parsed }: Formulas, { value, quote }: { value: string | number; quote: string }): Operand[] {
  const checked = checkProposal({ parsed, hasPictures: false }, NUMBER_FIELD, { value, quote, absent: null });
  const [evidence] = checked?.evidence ?? [];
  if (!evidence || typeof checked?.value !== 'number' || !isStated(parsed, checked.value, evidence)) return [];
  const { part, from } = evidence.located;
  const key = `${part}:${from}:${checked.value}`;
  return [{ name: JSON.stringify(quote), value: checked.value, evidence, key }];
}

/** How many of a period are in another one, which the words for them say without a figure: `per quarter`, `monthly`. */
const CALENDAR: ReadonlySet<number> = new Set([1, 2, 4, 7, 12, 24, 52, 60, 365]);

function isStated({ parts, locale }: ParsedDocument, value: number, { located, around }: LocatedEvidence): boolean {
  // The quote may name the figure without it, but then its line has it.
  const quote = around.lines === '' ? (parts[located.part]?.text.slice(located.from, located.to) ?? '') : around.lines;
  const check = figureCheck('number', value, quote, around, locale);
  return check === 'stands' || check === 'doubt' || (check === 'none' && CALENDAR.has(value));
}
