/** Shortens a passage that a search found to what of it is nearest to the query. */

import { fold, indexedWords, STOP_WORDS, stem } from '../../engines/retrieval/words.ts';

/** Whole lines around the one with the most words of the query, or of a longer line what is around its first such word. */
export function shortenedPassage(text: string, query: string, room: number): string {
  if (text.length <= room) return text;
  const queryStems = new Set(stemsIn(query));
  const lines = text.split('\n');
  const scores = lines.map((line) => new Set(stemsIn(line).filter((word) => queryStems.has(word))).size);
  const nearest = scores.indexOf(Math.max(...scores));
  const line = lines[nearest] ?? '';
  if (line.length > room) return cutAround(line, queryStems, room);
  let [from, to, remaining] = [nearest, nearest + 1, room - line.length];
  const lengthAt = (at: number) => (lines[at]?.length ?? Number.POSITIVE_INFINITY) + 1;
  while (lengthAt(from - 1) <= remaining || lengthAt(to) <= remaining) {
    const isBefore =
      lengthAt(from - 1) <= remaining && (nearest - from <= to - nearest - 1 || lengthAt(to) > remaining);
    remaining -= isBefore ? lengthAt(--from) : lengthAt(to++);
  }
  return lines.slice(from, to).join('\n');
}

const stemsIn = (text: string): string[] =>
  indexedWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);

function cutAround(line: string, queryStems: ReadonlySet<string>, room: number): string {
  const folded = fold(line);
  const positions = indexedWords(line).flatMap((word) => (queryStems.has(stem(word)) ? folded.indexOf(word) : []));
  const from = Math.min(Math.max(0, (positions[0] ?? 0) - Math.floor(room / 3)), line.length - room);
  return line.slice(from, from + room).toWellFormed();
}
