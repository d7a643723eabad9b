/** The statement that code makes false for each call of a second look, so that one who agrees with everything is found out. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import { DAY_MS } from '../../shared/core/time.ts';
import type { Assertion, Statement } from './statement-verdict.ts';

/** Other than any usual term, so that the date is not one that the document computes. */
const DAYS_LATER = 411;

/** The false statement, and where it stands among the others: nobody can tell it by its place. */
export function falseStatement(group: readonly Statement[], round: number): { control: Statement; at: number } {
  const seed = JSON.stringify(group).length + round;
  const candidates = group.flatMap((statement) => falsifiedStatement(statement, group) ?? []);
  const control = candidates[(seed + round) % Math.max(1, candidates.length)] ?? withoutValue(group, seed);
  return { control, at: seed % (group.length + 1) };
}

function falsifiedStatement(statement: Statement, group: readonly Statement[]): Statement | undefined {
  const { claim, quotes } = statement;
  const quotesText = JSON.stringify(quotes);
  if ('text' in claim) {
    if (claim.missing || claim.advice || claim.uncited) return undefined;
    const text = claim.text.replace(/\d[\d.,]*\d|\d/u, (figure) => otherFigure(figure));
    return text === claim.text ? undefined : { claim: { ...definedFields({ context: claim.context }), text }, quotes };
  }
  const { absent: _, formula: __, ...valueClaim } = claim;
  const value = otherValue(valueClaim, quotesText, group);
  return claim.absent || value === undefined ? undefined : { claim: { ...valueClaim, value }, quotes };
}

type ValueClaim = Exclude<Assertion, { text: string }>;

function otherValue({ field, value }: ValueClaim, quotesText: string, group: readonly Statement[]) {
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number(otherFigure(String(value)));
  const day = /^[12]\d{3}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(day)) return new Date(day + DAYS_LATER * DAY_MS).toISOString().slice(0, 10);
  const digits = /\d+(?=\D*$)/;
  if (digits.test(value)) return value.replace(digits, otherFigure);
  // The value of another field, which stands nowhere near.
  const otherValues = group.flatMap(({ claim }) =>
    'text' in claim || claim.field === field || typeof claim.value !== 'string' ? [] : [claim.value],
  );
  return otherValues.find(
    (candidate) => candidate !== value && !quotesText.toLowerCase().includes(candidate.toLowerCase()),
  );
}

/** As many digits, each another one: no rounding, scale or unit leads from one to the other. */
const otherFigure = (figure: string): string =>
  figure.replaceAll(/\d/g, (digit, at: number) => String((Number(digit) + 3) % 10 || (at === 0 ? 4 : 0)));

/** Where no statement has a value to change. */
const withoutValue = ([statement]: readonly Statement[], seed: number): Statement => ({
  claim: { text: `The passage gives the reference number ${480_000 + ((seed * 7_919) % 90_000)}.` },
  quotes: statement?.quotes ?? [],
});
