/** Computes fields that a document does not state from values that it proves: a closed list of operations, exact decimals. */

import { computedOperation } from '../../verification/arithmetic.ts';
import type { Field } from '../field-words.ts';
import { type Computation, faultOfMeasures } from './operand-measures.ts';
import type { ParsedDocument } from './parsed-document.ts';

type Computed = { value: number; formula: string };

const MAX_OPERANDS = 2_000;

/** The value with its formula, or what is wrong with the computation. */
export function computedValue(
  parsed: ParsedDocument,
  field: Field,
  computation: Computation,
): Computed | { fault: string } {
  const { op, of } = computation;
  const fault = faultOfOperands(computation) ?? faultOfMeasures(parsed, field, computation);
  if (fault) return { fault };
  const figures = of.map(({ name, candidate }) => ({ name, value: op === 'count' ? 1 : Number(candidate.value) }));
  const result = computedOperation(op, figures);
  const isOther = 'value' in result && field.leaf.kind === 'integer' && !Number.isSafeInteger(result.value);
  return isOther ? { fault: 'the result is not a whole number' } : result;
}

function faultOfOperands({ op, of }: Computation): string | undefined {
  if (of.length > MAX_OPERANDS) return `there are more than ${MAX_OPERANDS} operands`;
  if (op !== 'count' && of.some(({ candidate }) => typeof candidate.value !== 'number'))
    return 'an operand is not a number';
  const places = new Set(of.map(({ candidate: { line, start } }) => `${line.part}:${start}`));
  return places.size < of.length ? 'a value is used twice' : undefined;
}
