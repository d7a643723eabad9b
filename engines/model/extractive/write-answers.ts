/** Writes the answers to all requests of a prompt, each under its own heading when there are several. */
import { type AnswerContext, searchTermsOf } from './desk.ts';
import { onlyKinds } from './hints.ts';
import { titleOf } from './quote.ts';
import type { PromptRequest } from './read-prompt.ts';
import { termsOf } from './terms.ts';
import { writeComparison } from './write-comparison.ts';
import { NOTHING_FOUND, writeKind, writeMatches } from './write-found.ts';
import { writeSummary } from './write-summary.ts';

/** What a heading takes, with its marks. */
const HEADING = 110;

export function writeAnswers(requests: PromptRequest[], context: AnswerContext): string {
  const [only] = requests;
  if (!only) return NOTHING_FOUND;
  if (requests.length === 1) return writeAnswer(only, context, context.room);
  const share = Math.floor(context.room / requests.length) - HEADING;
  return requests
    .map((request) => `## ${titleOf(request.text)}\n\n${writeAnswer(request, context, share)}`)
    .join('\n\n');
}

function writeAnswer(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  if (request.kind === 'summarise') return writeSummary(request, context, maxLength);
  if (request.kind === 'compare') return writeComparison(request, context, maxLength);
  const { kind, hint, text } = request;
  const kinds = kind === 'list' && onlyKinds(termsOf(text).map(({ word }) => word));
  return hint && kinds
    ? writeKind(hint, context, maxLength)
    : writeMatches(searchTermsOf(request, context), kind, context, maxLength);
}
