/** Compares what arrived with what a person read in the document. */
import type { Expected } from './set.ts';

/** `marked`: the right value is among the candidates, with the reason why it was not delivered. */
export type Outcome = 'right' | 'marked' | 'missing' | 'wrong';

type Value = string | number | boolean | null;
/** A field of a record as the API delivers it. */
export type DeliveredField = {
  path: string;
  status: string;
  value: Value;
  reason: string;
  candidates: readonly { value: Value }[];
};

export type ScoredField = {
  name: string;
  expected: Expected;
  got: Value | Value[];
  status: string;
  reason: string;
  outcome: Outcome;
};

export function scoreField(name: string, expected: Expected, delivered: readonly DeliveredField[]): ScoredField {
  const isList = Array.isArray(expected);
  const parts = delivered.filter(({ path }) => path === name || (isList && path.startsWith(`${name}.`)));
  const values = parts.flatMap(({ value }) => (value === null ? [] : [value]));
  const candidates = parts.flatMap((part) => part.candidates.map(({ value }) => value));
  const [first] = parts;
  return {
    name,
    expected,
    got: isList ? values : (values[0] ?? null),
    status: first?.status ?? 'missing',
    reason: first?.reason ?? '',
    outcome: outcomeOf(expected, values, candidates),
  };
}

function outcomeOf(expected: Expected, values: readonly Value[], candidates: readonly Value[]): Outcome {
  if (expected === null) return values.length === 0 ? 'right' : 'wrong';
  const wanted = Array.isArray(expected) ? expected : [expected];
  const holdsAll = (given: readonly Value[]) => wanted.every((each) => given.some((value) => isSame(each, value)));
  if (values.length > 0) return holdsAll(values) && values.length === wanted.length ? 'right' : 'wrong';
  return holdsAll(candidates) ? 'marked' : 'missing';
}

/** Amounts differ by less than a thousandth of a unit, texts in case, white space and marks at most. */
const isSame = (expected: string | number | boolean, value: Value): boolean =>
  typeof expected === 'number' && typeof value === 'number'
    ? Math.abs(expected - value) < 0.001
    : folded(String(expected)) === folded(String(value));

const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Which of the texts that a right answer holds are in it. Digits may be grouped in another way. */
export function textsIn(answer: string, expected: readonly string[]): { text: string; isThere: boolean }[] {
  const plain = comparable(answer);
  return expected.map((text) => ({ text, isThere: plain.includes(comparable(text)) }));
}

const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\d)[.,\s](?=\d)/g, '');
