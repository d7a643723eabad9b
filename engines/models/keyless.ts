/** `offline/extractive`: without a language model, a task gets the passages nearest to its prompt, word for word. */
import { quotesOf } from '../retrieval/quotes.ts';
import type { FoundPassage } from '../retrieval/search.ts';

/** Every result that needed a language model and had none says this. */
export const PASSAGES_ONLY =
  'No language model is configured: passages only; nothing was counted, compared or concluded.';

export const MAX_PASSAGES = 5;
/** What scores below this share of the best passage is about something else. */
const MIN_SHARE = 0.5;

type Passages = readonly FoundPassage[] | undefined;

/** `nearest`: the best first. `leading`: how the documents begin, if none is near. Undefined: it took too long to search them. */
export function keylessAnswer({ nearest, leading }: { nearest: Passages; leading: Passages }): string {
  const label = `_${PASSAGES_ONLY}_`;
  const isNear = nearest !== undefined && nearest.length > 0;
  const passages = isNear ? nearest : leading;
  if (passages === undefined)
    return `${label}\n\nThe files took too long to be searched, so there is no passage to show.`;
  if (passages.length === 0) return `${label}\n\nNo file with text is attached, so there is no passage to show.`;
  const least = MIN_SHARE * (passages[0]?.score ?? 0);
  const { text, sources } = quotesOf(passages.filter(({ score }) => score >= least));
  const opening = isNear ? '' : 'No passage has words of the prompt. The files begin with:\n\n';
  return `${label}\n\n${opening}${text}\n\n**Sources**\n\n${sources}`;
}
