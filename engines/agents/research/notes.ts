/** What a reader must know first. */
import { quotedName } from '../../../shared/core/problem.ts';
import type { ResearchState } from './state.ts';

export function notesOf(known: ResearchState): string[] {
  const { sources, items, documents, findings } = known;
  const dead = sources.filter(({ status }) => status === 'dead');
  const samples = sources.filter(({ sample_data: isSample, items }) => isSample && items > 0);
  const isGathered = sources.every(({ status }) => status !== 'pending');
  const isQuoted = findings.length > 0 && findings.every(({ is_quote: isQuote }) => isQuote);
  return [
    ...(samples.length > 0
      ? [`Sample data, made up and no news of the world: ${list(samples.map(({ source }) => source))}.`]
      : []),
    ...dead.map(({ source, faults }) => `Could not be read: ${source} (${faults[0]?.reason ?? 'it gave nothing'}).`),
    // Nothing waits to be ranked, and yet there is nothing to read.
    ...(isGathered && items.length + documents.length === 0 && dead.length < sources.length
      ? ['Nothing that the sources gave is about the question.']
      : []),
    ...scopeNotes(known),
    ...(isQuoted ? ['Every sentence is quoted from a document; no language model wrote any of it.'] : []),
  ];
}

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const MOST_PLACES = 5;

/** Places that were asked for and that narrowed nothing. */
export function scopeNotes({ placesNotMentioned = [] }: ResearchState): string[] {
  if (placesNotMentioned.length === 0) return [];
  const named = placesNotMentioned.slice(0, MOST_PLACES).map(quotedName);
  const more = placesNotMentioned.length - named.length;
  const all = list(more > 0 ? [...named, `${more} more`] : named);
  return [`No document that was read mentions ${all}: geographic_scope had no effect there.`];
}
