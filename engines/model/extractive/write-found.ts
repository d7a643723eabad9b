/** Writes what was found for one request, or that nothing was. */
import { pickUnits } from './answer-request.ts';
import { type Desk, fitting } from './desk.ts';
import type { Hint } from './hints.ts';
import { listKind } from './list-kind.ts';
import { rank, type Wanted } from './rank.ts';
import { writeQuotes } from './write-quotes.ts';

export const NOTHING_FOUND = 'The attached documents do not seem to say anything about this.';
const ONLY_NEAR = 'No passage answers this clearly. The nearest ones are:';

export function writeFound(wanted: Wanted, kind: 'answer' | 'list', desk: Desk, room: number): string {
  const { units, sure } = pickUnits(rank({ ...desk, wanted }), kind, desk.passages, desk.language);
  if (units.length === 0) return NOTHING_FOUND;
  const quotes = writeQuotes(fitting(units, room), desk.citations);
  return sure ? quotes : `${ONLY_NEAR}\n\n${quotes}`;
}

export function writeKind(hint: Hint, desk: Desk, room: number): string {
  const units = listKind(hint, desk.passages, desk.language);
  return units.length === 0 ? NOTHING_FOUND : writeQuotes(fitting(units, room), desk.citations);
}
