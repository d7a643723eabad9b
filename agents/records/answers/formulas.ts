/** Values that a model computes: code finds each operand in the document, and computes the value itself. */

import { computed as computedBy } from '../../verification/arithmetic.ts';
import { figureCheck } from '../../verification/evidence/figures.ts';
import type { Scalar } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import type { Paper } from '../matching/lines.ts';
import { faultOfValue } from '../matching/typed-values.ts';
import type { ComputedProposal } from '../model-answers.ts';
import { type Basis, type FieldResult, isPathOf } from '../record-plan.ts';
import { checkProposal, type LocatedEvidence } from './check-proposal.ts';

/** What the same answer gives for other fields, by their paths. */
type KnownValues = ReadonlyMap<string, { value: Scalar; evidence: readonly LocatedEvidence[] }>;
/** `refused` are the paths of what code refused. */
type Formulas = { paper: Paper; document: number; known: KnownValues; refused: readonly string[] };
type Computation = { field: Field; path: string; value: Scalar | null | undefined; computed: ComputedProposal };

/** `evidence` is absent where a value was read in a picture alone. */
type Operand = { name: string; value: Scalar; evidence: LocatedEvidence | undefined; key: string };

const NUMBER_FIELD = { leaf: { kind: 'number' } } as unknown as Field;
const MAX_OPERANDS = 500;
const MAX_BASIS = 50;

export function formulaResult(
  request: Formulas,
  { field, path, value, computed: { op, of, from, to } }: Computation,
): { result: FieldResult; evidence: LocatedEvidence[] } | { fault: string } {
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return { fault: 'only numbers are computed' };
  if (of.length > MAX_OPERANDS) return { fault: TOO_MANY };
  const all = operandsOf(request, of);
  if ('fault' in all) return all;
  const figures = all.flatMap(({ name, value: own }) => {
    const counted = op === 'count' ? 1 : own;
    return typeof counted === 'number' ? [{ name, value: counted }] : [];
  });
  if (figures.length < all.length) return { fault: `${op} needs numbers: an operand is none` };
  const result = computedBy(op, figures, { from: from ?? undefined, to: to ?? undefined });
  if ('fault' in result) return result;
  const isWhole = field.leaf.kind !== 'integer' || Number.isSafeInteger(result.value);
  const fault = isWhole ? faultOfValue(field.leaf, result.value) : 'is not a whole number';
  if (fault) return { fault: `the result ${fault}` };
  const given = value == null ? result.value : Number(value);
  if (!isRounded(given, result.value)) return { fault: `the value does not follow: ${result.formula}` };
  const evidence = all.slice(0, MAX_BASIS).flatMap((one) => one.evidence ?? []);
  const basis = evidence.map((one) => basisAt(request, one));
  // An operand that stands in a picture alone was located by no code.
  const status = all.every((one) => one.evidence) ? 'computed' : 'judged';
  return { result: { path, status, value: given, basis, reason: result.formula, candidates: [] }, evidence };
}

const TOO_MANY = `there are more than ${MAX_OPERANDS} operands`;

function operandsOf(request: Formulas, of: ComputedProposal['of']): Operand[] | { fault: string } {
  const refused = of.find(
    (one) => typeof one === 'string' && request.refused.some((own) => isPathOf(one.split('.'), own)),
  );
  if (refused) return { fault: `a value of ${refused} does not hold` };
  const found = of.map((one) => (typeof one === 'string' ? byPath(request, one) : byQuote(request, one)));
  const lacking = found.findIndex((operands) => operands.length === 0);
  if (lacking >= 0)
    return {
      fault: `operand ${lacking + 1} is neither the path of a field that is given nor a number that stands in its quote`,
    };
  const all = found.flat();
  if (all.length > MAX_OPERANDS) return { fault: TOO_MANY };
  return new Set(all.map(({ key }) => key)).size < all.length ? { fault: 'a value is used twice' } : all;
}

/** Whether the model gives what code computes, or that as rounded as a reader of percentages expects. */
function isRounded(given: number, exact: number): boolean {
  const decimals = String(given).split('.')[1]?.length ?? 0;
  return Math.abs(given - exact) <= Math.min(0.5 * 10 ** -decimals, 0.01 * Math.abs(exact)) + 1e-9;
}

/** `lines.*.amount` are all entries of the column. */
function byPath({ known }: Formulas, path: string): Operand[] {
  const names = path.split('.');
  return [...known].flatMap(
    ([
      name,
      {
        value,
        evidence: [evidence],
      },
    ]) => (isPathOf(names, name) ? [{ name, value, evidence, key: name }] : []),
  );
}

function byQuote({ paper }: Formulas, { value, quote }: { value: string | number; quote: string }): Operand[] {
  const checked = checkProposal({ paper, hasPictures: false }, NUMBER_FIELD, { value, quote, absent: null });
  const [evidence] = checked?.evidence ?? [];
  if (!evidence || typeof checked?.value !== 'number' || !isStated(paper, checked.value, evidence)) return [];
  const { part, from } = evidence.located;
  const key = `${part}:${from}:${checked.value}`;
  return [{ name: JSON.stringify(quote), value: checked.value, evidence, key }];
}

/** How many of a period are in another one, which the words for them say without a figure: `per quarter`, `monthly`. */
const CALENDAR: ReadonlySet<number> = new Set([1, 2, 4, 7, 12, 24, 52, 60, 365]);

function isStated({ parts, habits }: Paper, value: number, { located, around }: LocatedEvidence): boolean {
  // The quote may name the figure without it, but then its line has it.
  const quote = around.lines === '' ? (parts[located.part]?.text.slice(located.from, located.to) ?? '') : around.lines;
  const check = figureCheck('number', value, quote, around, habits);
  return check === 'stands' || check === 'doubt' || (check === 'none' && CALENDAR.has(value));
}

const MAX_QUOTE = 300;

/** Where the evidence stands, with the words of the document. */
export function basisAt(
  { paper, document }: Pick<Formulas, 'paper' | 'document'>,
  { located }: LocatedEvidence,
): Basis {
  const { part, from, to, label, page } = located;
  const end = Math.min(to, from + MAX_QUOTE);
  const quote = (paper.parts[part]?.text ?? '').slice(from, end).toWellFormed();
  return { document, place: label, quote, ...(page === undefined ? {} : { page }), from, to: end };
}
