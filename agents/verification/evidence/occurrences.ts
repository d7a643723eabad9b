/** Looks for a text in a text in linear time, whatever they are. */

/** The first occurrences, at most so many. */
export function occurrences(text: string, pattern: string, limit: number): number[] {
  const positions: number[] = [];
  for (let at = occurrence(text, pattern); at >= 0 && positions.length < limit; at = occurrence(text, pattern, at + 1))
    positions.push(at);
  return positions;
}

/** `indexOf` of V8 knows the last 250 characters of what it looks for; behind them it may compare each one at each place. */
const SAFE_LENGTH = 250;
const TRIES = 32;

/** The first occurrence at or behind `from`, or -1. */
function occurrence(text: string, pattern: string, from = 0): number {
  if (pattern.length <= SAFE_LENGTH) return text.indexOf(pattern, from);
  const tail = pattern.slice(-SAFE_LENGTH);
  const lead = pattern.length - SAFE_LENGTH;
  let at = from + lead;
  for (let tries = 0; tries < TRIES; tries++) {
    at = text.indexOf(tail, at);
    if (at < 0) return -1;
    if (text.startsWith(pattern, at - lead)) return at - lead;
    at++;
  }
  return piecesOf(pattern).every((piece) => text.includes(piece)) ? byPrefixes(text, pattern, at - lead) : -1;
}

const piecesOf = (pattern: string): string[] =>
  Array.from({ length: Math.ceil(pattern.length / SAFE_LENGTH) }, (_, nth) =>
    pattern.slice(nth * SAFE_LENGTH, (nth + 1) * SAFE_LENGTH),
  );

/** The algorithm of Knuth, Morris and Pratt. */
function byPrefixes(text: string, pattern: string, from: number): number {
  const borders = bordersOf(pattern);
  for (let at = from, matched = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== pattern.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === pattern.charCodeAt(matched)) matched++;
    if (matched === pattern.length) return at + 1 - matched;
  }
  return -1;
}

/** For each beginning, the length of its longest proper beginning that is its end as well. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  for (let at = 1, matched = 0; at < pattern.length; at++) {
    while (matched > 0 && pattern.charCodeAt(at) !== pattern.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(at) === pattern.charCodeAt(matched)) matched++;
    borders[at] = matched;
  }
  return borders;
}
