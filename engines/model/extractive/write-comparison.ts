/** Compares by quoting each side by itself: from the document that bears its name, or from wherever it is spoken of. */
import { type AnswerContext, searchTermsOf, sourcesOf } from './desk.ts';
import { titleOfFile } from './passage.ts';
import { titleOf } from './quote.ts';
import type { PromptRequest } from './read-prompt.ts';
import { termsOf } from './terms.ts';
import { writeMatches } from './write-found.ts';

const MAX_SIDES = 6;

export function writeComparison(request: PromptRequest, context: AnswerContext, maxLength: number): string {
  const sides = request.sides.length > 0 ? request.sides : sourcesOf(context).slice(0, MAX_SIDES);
  if (sides.length < 2) return writeMatches(searchTermsOf(request, context), 'list', context, maxLength);
  const share = Math.floor(maxLength / sides.length);
  return sides.map((side) => `### ${titleOf(side)}\n\n${writeSide(side, sides, request, context, share)}`).join('\n\n');
}

function writeSide(
  side: string,
  sides: string[],
  request: PromptRequest,
  context: AnswerContext,
  maxLength: number,
): string {
  const terms = searchTermsOf(request, context);
  const own = wordsIn(side);
  const others = sides.filter((other) => other !== side).flatMap((other) => [...wordsIn(other)]);
  context.lexicon.terms.forEach(({ word }, term) => {
    if (others.includes(word) && !own.has(word)) terms.weights.delete(term);
  });
  const source = sourcesOf(context).find((name) => name === side || isNamed(name, own));
  return writeMatches(terms, 'answer', source === undefined ? context : onlyFrom(source, context), maxLength);
}

const wordsIn = (side: string): Set<string> => new Set(termsOf(side).map(({ word }) => word));

const isNamed = (source: string, side: Set<string>): boolean => {
  const name = wordsIn(titleOfFile(source));
  return side.size > 0 && [...side].every((word) => name.has(word));
};

const onlyFrom = (source: string, context: AnswerContext): AnswerContext => ({
  ...context,
  sieved: {
    ...context.sieved,
    hits: context.sieved.hits.filter(({ passage }) => context.passages[passage]?.source === source),
  },
});
