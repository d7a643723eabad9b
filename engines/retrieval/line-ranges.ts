/** Places in plain text: the lines of a passage within the lines of its part. */
import type { Passage } from './passages.ts';

const LINES = /^lines (\d+)-(\d+)$/;

/** `lines 3-4` of a passage within the part `lines 1-21`; any other place stays as it is. */
export function placeWithin({ place, text }: Passage, { start, end }: { start: number; end: number }): string {
  const [, first = 0, last = -1] = (LINES.exec(place) ?? []).map(Number);
  // A piece of a part that was divided once more has other lines than its place says.
  if (lineEnds(text) !== last - first) return place;
  const passage = text.slice(start, end);
  const from = first + lineEnds(text.slice(0, start)) + lineEnds(/^\s*/.exec(passage)?.[0] ?? '');
  const to = from + lineEnds(passage.trim());
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

const lineEnds = (text: string): number => text.split('\n').length - 1;
