/** Compares by quoting each side by itself: from the document that bears its name, or from wherever it is spoken of. */
import { type Desk, sourcesOf, wantedBy } from './desk.ts';
import { titleOfFile } from './passage.ts';
import { titleOf } from './quote.ts';
import type { Request } from './read-prompt.ts';
import { termsOf } from './terms.ts';
import { writeFound } from './write-found.ts';

const MAX_SIDES = 6;

export function writeComparison(request: Request, desk: Desk, room: number): string {
  const sides = request.sides.length > 0 ? request.sides : sourcesOf(desk).slice(0, MAX_SIDES);
  if (sides.length < 2) return writeFound(wantedBy(request, desk), 'list', desk, room);
  const share = Math.floor(room / sides.length);
  return sides.map((side) => `### ${titleOf(side)}\n\n${writeSide(side, sides, request, desk, share)}`).join('\n\n');
}

function writeSide(side: string, sides: string[], request: Request, desk: Desk, room: number): string {
  const wanted = wantedBy(request, desk);
  const own = wordsIn(side);
  const others = sides.filter((other) => other !== side).flatMap((other) => [...wordsIn(other)]);
  desk.lexicon.terms.forEach(({ word }, term) => {
    if (others.includes(word) && !own.has(word)) wanted.weights.delete(term);
  });
  const source = sourcesOf(desk).find((name) => name === side || isNamed(name, own));
  return writeFound(wanted, 'answer', source === undefined ? desk : onlyFrom(source, desk), room);
}

const wordsIn = (side: string): Set<string> => new Set(termsOf(side).map(({ word }) => word));

const isNamed = (source: string, side: Set<string>): boolean => {
  const name = wordsIn(titleOfFile(source));
  return side.size > 0 && [...side].every((word) => name.has(word));
};

const onlyFrom = (source: string, desk: Desk): Desk => ({
  ...desk,
  sieved: { ...desk.sieved, hits: desk.sieved.hits.filter(({ passage }) => desk.passages[passage]?.source === source) },
});
