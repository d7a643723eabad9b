/** Summarises document by document, in the words and the order of each. */
import { type AnswerContext, fitting, sourcesOf } from './desk.ts';
import { titleOf } from './quote.ts';
import type { PromptRequest } from './read-prompt.ts';
import { summarise } from './summarise.ts';
import { termsOf } from './terms.ts';
import { writeQuotes } from './write-quotes.ts';

const MAX_SENTENCES = 24;

export function writeSummary(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  const sources = sourcesOf(context);
  const count = Math.max(2, Math.min(7, Math.floor(MAX_SENTENCES / sources.length)));
  const focus = new Set(termsOf(request.text).map(({ word }) => word));
  const parts = sources.map((source) => {
    const passages = context.passages.flatMap((passage, at) => (passage.source === source ? [at] : []));
    const units = summarise(passages, context.passages, { count, focus, language: context.language });
    const quotes =
      writeQuotes(fitting(units, maxLength / sources.length), context.citations) || 'Nothing in it can be quoted.';
    return sources.length === 1 ? quotes : `### ${titleOf(source)}\n\n${quotes}`;
  });
  return parts.join('\n\n');
}
