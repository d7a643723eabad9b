/** Writes the answers to all requests of a prompt, each under its own heading when there are several. */
import { type Desk, wantedBy } from './desk.ts';
import { onlyKinds } from './hints.ts';
import { titleOf } from './quote.ts';
import type { Request } from './read-prompt.ts';
import { termsOf } from './terms.ts';
import { writeComparison } from './write-comparison.ts';
import { NOTHING_FOUND, writeFound, writeKind } from './write-found.ts';
import { writeSummary } from './write-summary.ts';

/** What a heading takes, with its marks. */
const HEADING = 110;

export function writeAnswers(requests: Request[], desk: Desk): string {
  const [only] = requests;
  if (!only) return NOTHING_FOUND;
  if (requests.length === 1) return writeAnswer(only, desk, desk.room);
  const share = Math.floor(desk.room / requests.length) - HEADING;
  return requests.map((request) => `## ${titleOf(request.text)}\n\n${writeAnswer(request, desk, share)}`).join('\n\n');
}

function writeAnswer(request: Request, desk: Desk, room: number): string {
  if (request.kind === 'summarise') return writeSummary(request, desk, room);
  if (request.kind === 'compare') return writeComparison(request, desk, room);
  const { kind, hint, text } = request;
  const kinds = kind === 'list' && onlyKinds(termsOf(text).map(({ word }) => word));
  return hint && kinds ? writeKind(hint, desk, room) : writeFound(wantedBy(request, desk), kind, desk, room);
}
