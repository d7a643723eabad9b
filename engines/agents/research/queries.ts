/** The queries that rules make of a question: itself, its parts, and what its kind and its places add. */
import { ASKING_WORDS, STOP_WORDS } from '../../model/extractive/stop-words.ts';
import { wordsOf } from '../../model/extractive/words.ts';
import type { ResearchRequest } from './wish.ts';

const MOST_WORDS = 12;
const MOST_CHARACTERS = 200;
const PARTS =
  /[?;\n]+|(?<=[.!])\s+|,?\s+(?:and|as well as|und|et|y)\s+(?=how|what|who|which|why|when|where|whether)/giu;

/** The most telling first: of a shallow research only those are asked. */
export function queriesFor({ query, facets, places, depth }: ResearchRequest): string[] {
  const subject = telling(query);
  const parts = query.split(PARTS).map(telling);
  const made = [
    subject,
    ...places.map((place) => joined(subject, place)),
    ...(parts.length > 1 ? parts : []),
    ...facets.map((facet) => joined(subject, facet)),
    ...facets.flatMap((facet) => places.map((place) => joined(subject, `${facet} ${place}`))),
  ];
  const queries = [...new Set(made.filter((text) => text !== ''))].slice(0, depth.queries);
  return queries.length > 0 ? queries : [query.slice(0, MOST_CHARACTERS)];
}

/** A question without its asking; what is nothing but that stays as it is. */
function telling(text: string): string {
  const words = text.match(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}.'&/-]*/gu) ?? [];
  const kept = words.map((word) => word.replace(/['.]+$/, '')).filter(isTelling);
  return (kept.length > 0 ? kept : words).slice(0, MOST_WORDS).join(' ').slice(0, MOST_CHARACTERS);
}

const isTelling = (word: string): boolean =>
  !wordsOf(word).every((folded) => STOP_WORDS.has(folded) || ASKING_WORDS.has(folded));

const joined = (subject: string, more: string): string =>
  subject.toLowerCase().includes(more.toLowerCase()) ? subject : `${subject} ${more}`.slice(0, MOST_CHARACTERS);
