/** `offline/extractive`: without a language model, a task gets the passages nearest to its prompt, word for word. */
import { quotesOf } from '../retrieval/quotes.ts';
import type { FoundPassage } from '../retrieval/search.ts';

/** Every result that needed a language model and had none says this. */
export const PASSAGES_ONLY =
  'No language model is configured: passages only; nothing was counted, compared or concluded.';

export const MAX_PASSAGES = 5;
/** What scores below this share of the best passage is about something else. */
const MIN_SHARE = 0.5;

/** `nearest` and `leading` are the passages of the documents, the first ones first; `leading` is how they begin. */
export function keylessAnswer(found: { nearest: readonly FoundPassage[]; leading: readonly FoundPassage[] }): string {
  const least = MIN_SHARE * (found.nearest[0]?.score ?? 0);
  const nearest = found.nearest.filter(({ score }) => score >= least);
  const shown = (nearest.length > 0 ? nearest : found.leading).slice(0, MAX_PASSAGES);
  const label = `_${PASSAGES_ONLY}_`;
  if (shown.length === 0) return `${label}\n\nNo file with text is attached, so there is no passage to show.`;
  const { text, sources } = quotesOf(shown);
  const opening = nearest.length > 0 ? '' : 'No passage has words of the prompt. The files begin with:\n\n';
  return `${label}\n\n${opening}${text}\n\n**Sources**\n\n${sources}`;
}
