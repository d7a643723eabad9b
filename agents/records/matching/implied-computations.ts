/** What is computed without a model: only what the names of fields say, and the arithmetic of tax. */

import type { OperationName } from '../../verification/arithmetic.ts';
import { type Field, labelKey, wordsOf } from '../field-words.ts';
import { BETWEEN_NET_AND_GROSS } from '../invoices/labels.ts';
import type { Computation, Operand } from './operand-measures.ts';
import type { ParsedDocument } from './parsed-document.ts';

/** The rows of an array whose values are all known; `name` is its path. */
export type CompleteList = { name: string; keys: ReadonlySet<string>; columns: { field: Field; values: Operand[] }[] };

/** What the field is computed from, as its kind, its name or its description says. */
export function impliedComputation(
  parsed: ParsedDocument,
  field: Field,
  single: ReadonlyMap<Field, Operand>,
  lists: readonly CompleteList[],
): Computation | undefined {
  if (field.leaf.kind !== 'number' && field.leaf.kind !== 'integer') return undefined;
  return impliedByTax(parsed, field, single) ?? impliedByWords(field, lists);
}

function impliedByTax(
  parsed: ParsedDocument,
  field: Field,
  single: ReadonlyMap<Field, Operand>,
): Computation | undefined {
  const { kind } = field.words;
  const operandOfKind = (labelKind: string) => [...single].find(([{ words }]) => words.kind === labelKind)?.[1];
  const [total, subtotal, tax] = [operandOfKind('total'), operandOfKind('subtotal'), operandOfKind('tax')];
  if (parsed.lines.some(({ text }) => BETWEEN_NET_AND_GROSS.test(text))) return undefined;
  if (kind === 'total' && subtotal && tax) return { op: 'sum', of: [subtotal, tax] };
  if (kind === 'subtotal' && total && tax) return { op: 'difference', of: [total, tax] };
  return kind === 'tax' && total && subtotal ? { op: 'difference', of: [total, subtotal] } : undefined;
}

/** The words of an operation, and whether they need `of` behind them to mean one. */
const WORDS: readonly [op: OperationName, words: RegExp][] = [
  ['sum', /^(?:the )?(?:sum of|total of|summe der|somme des)\s+(?<rest>.+)$/iu],
  ['sum', /^total\s+(?<rest>.+)$/iu],
  ['count', /^(?:the )?(?:number of|count of|anzahl der|nombre de)\s+(?<rest>.+)$/iu],
  ['count', /^(?<rest>.+?)\s+count$/iu],
  ['mean', /^(?:the )?(?:average|mean|avg|durchschnitt der|moyenne des)\s+(?:of\s+)?(?<rest>.+)$/iu],
  ['min', /^(?:the )?(?:lowest|smallest|cheapest|minimum of)\s+(?<rest>.+)$/iu],
  ['max', /^(?:the )?(?:highest|largest|maximum of)\s+(?<rest>.+)$/iu],
];

function impliedByWords({ names, leaf, words }: Field, lists: readonly CompleteList[]): Computation | undefined {
  // `total_amount` is the total of the document, which may have a tax: only a description makes it a sum of rows.
  const texts = [...(words.rule ? [] : [wordsOf(names.at(-1) ?? ''), leaf.title]), leaf.description];
  const implied = texts.flatMap((text = '') =>
    WORDS.flatMap(([op, pattern]): Computation[] => {
      const operandText = pattern.exec(text.trim())?.groups?.rest?.replace(/^(?:all|the)\s+|[.]$/giu, '') ?? '';
      const of = op === 'count' ? rowsNamed(operandText, lists) : columnNamed(operandText, lists);
      return of && of.length > 0 ? [{ op, of }] : [];
    }),
  );
  return implied[0];
}

function rowsNamed(text: string, lists: readonly CompleteList[]): Operand[] | undefined {
  const [only, ...more] = lists.filter(({ keys }) => keys.has(labelKey(text)));
  return more.length > 0 ? undefined : only?.columns[0]?.values;
}

/** A column by its name, or by that of its array and its own. */
function columnNamed(text: string, lists: readonly CompleteList[]): Operand[] | undefined {
  const key = labelKey(text);
  const [only, ...more] = lists.flatMap(({ name, columns }) =>
    columns.filter(({ field }) => {
      const columnName = wordsOf(field.names.at(-1) ?? '');
      return [columnName, `${wordsOf(name)} ${columnName}`].some((phrase) => labelKey(phrase) === key);
    }),
  );
  return more.length > 0 ? undefined : only?.values;
}
