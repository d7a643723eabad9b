/** Computes written formulas such as `(640 - 598) / 640 * 100` whose numbers stand at quotes. */

import { calculate } from '../../../engines/calculator/calculate.ts';
import { CALENDAR, isWritten, POWERS } from './number-figures.ts';
import { cachedFigureTexts, isDated, type QuoteEvidence } from './sentence-figures.ts';

const LONGEST_FORMULA = 200;
const IS_YEAR = /^(?:19|20|21)\d\d$/;
const LITERAL = /\d+(?:\.\d+)?/g;

/** A number, or a day as `2026-03-01`. */
export type FormulaResult = { value: number } | { day: string };

/** The result, computed here, or what is wrong with the formula. `earlier` are results of other formulas. */
export function computedFormula(
  written: string,
  evidence: readonly QuoteEvidence[],
  earlier: readonly number[] = [],
): FormulaResult | { fault: string } {
  const formula = plainFormula(written);
  if (IS_DAY_FORMULA.test(formula)) return computedDay(formula, evidence, earlier);
  if (!isFormula(formula)) return { fault: `“${formula.slice(0, LONGEST_FORMULA)}” is no formula of plain numbers` };
  const literals = [...formula.matchAll(LITERAL)];
  const isKnown = (literal: string): boolean =>
    isStated(Number(literal), evidence) ||
    isResult(literal, earlier) ||
    (IS_YEAR.test(literal) && isDated(literal, { evidence, computed: [] }));
  const stated = literals.filter(([literal]) => isKnown(literal));
  const [unstated] =
    literals.find((literal) => !isKnown(literal[0]) && !isConstant(literal, formula, stated.length)) ?? [];
  if (unstated !== undefined) return { fault: `${unstated} of the formula ${formula} stands at none of its quotes` };
  if (stated.length === 0) return { fault: `no number of the formula ${formula} stands at its quotes` };
  const calculated = calculate(formula);
  const value = 'error' in calculated ? Number.NaN : Number(calculated.result);
  return Number.isFinite(value) ? { value } : { fault: `the formula ${formula} has no result` };
}

/** As a calculator reads it: `1,640 × 2 − 5 % = …` is `1640 * 2 - 5`. */
const plainFormula = (written: string): string =>
  written
    .replace(/\s*=.*$/s, '')
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll(/[−–]/g, '-')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(/\s*%\s*$/, '')
    .trim();

/** In any scale, but not rounded: that would make the result another one. */
function isStated(literal: number, evidence: readonly QuoteEvidence[]): boolean {
  return evidence
    .map(cachedFigureTexts)
    .some((text) => POWERS.some((power) => isWritten(literal / power, text) || isWritten(literal * power, text)));
}

/** As it was rounded for the text. */
function isResult(literal: string, earlier: readonly number[]): boolean {
  const half = 0.5 / 10 ** (literal.split('.')[1]?.length ?? 0);
  return earlier.some((result) => Math.abs(Math.abs(result) - Number(literal)) <= half * (1 + 1e-9));
}

/** `2025-04-01 + 36 months - 1 day` */
const IS_DAY_FORMULA = /^\d{4}-\d\d-\d\d(?: [+-] \d{1,5} (?:days?|weeks?|months?|years?)){1,3}$/;

function computedDay(
  formula: string,
  evidence: readonly QuoteEvidence[],
  earlier: readonly number[],
): FormulaResult | { fault: string } {
  const base = formula.slice(0, 'yyyy-mm-dd'.length);
  const terms = formula.slice(base.length).match(/\d+/g) ?? [];
  if (!isDated(base, { evidence, computed: [] }))
    return { fault: `${base} of the formula ${formula} stands at none of its quotes` };
  const isKnown = (term: string): boolean => isStated(Number(term), evidence) || isResult(term, earlier);
  const unstated = terms.find((term) => Number(term) > 1 && !isKnown(term));
  if (unstated !== undefined) return { fault: `${unstated} of the formula ${formula} stands at none of its quotes` };
  const calculated = calculate(formula);
  const day = 'error' in calculated ? undefined : /^\d{4}-\d\d-\d\d/.exec(calculated.result)?.[0];
  return day === undefined ? { fault: `the formula ${formula} has no result` } : { day };
}

const isFormula = (text: string): boolean =>
  text.length <= LONGEST_FORMULA && /^[\d.\s()+*/-]+$/.test(text) && /\d\D*[-+*/]\D*\d/.test(text);

/** Half, a third, a tenth of something, and months of a year. */
const MAX_PART = 12;

/**
 * A scale or a percentage, a unit of the calendar, a part, or how many numbers a mean is of: as a factor or a divisor. Only a one
 * may be added or taken away, as in `(1.12 - 1) * 100`.
 */
function isConstant({ 0: literal, index }: RegExpExecArray, formula: string, stated: number): boolean {
  const value = Number(literal);
  const isPart = Number.isInteger(value) && value > 0 && value <= MAX_PART;
  if (![...POWERS, ...CALENDAR].includes(value) && value !== stated && !isPart) return false;
  const isFactor =
    /[*/]\s*\(*\s*$/.test(formula.slice(0, index)) || /^\s*\)*\s*[*/]/.test(formula.slice(index + literal.length));
  return isFactor || value === 1;
}
