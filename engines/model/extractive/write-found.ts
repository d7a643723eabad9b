/** Writes what was found for one request, or that nothing was. */
import { pickUnits } from './answer-request.ts';
import { type AnswerContext, fitting } from './desk.ts';
import type { AnswerKind } from './hints.ts';
import { unitsOfKind } from './list-kind.ts';
import { rank, type SearchTerms } from './rank.ts';
import { writeQuotes } from './write-quotes.ts';

export const NOTHING_FOUND = 'The attached documents do not seem to say anything about this.';
const NO_CLEAR_ANSWER = 'No passage answers this clearly. The nearest ones are:';

export function writeMatches(
  terms: SearchTerms,
  kind: 'answer' | 'list',
  context: AnswerContext,
  maxLength: number,
): string {
  const { units, sure } = pickUnits(rank({ ...context, wanted: terms }), kind, context.passages, context.language);
  if (units.length === 0) return NOTHING_FOUND;
  const quotes = writeQuotes(fitting(units, maxLength), context.citations);
  return sure ? quotes : `${NO_CLEAR_ANSWER}\n\n${quotes}`;
}

export function writeKind(kind: AnswerKind, context: AnswerContext, maxLength: number): string {
  const units = unitsOfKind(kind, context.passages, context.language);
  return units.length === 0 ? NOTHING_FOUND : writeQuotes(fitting(units, maxLength), context.citations);
}
