/** Looks for a text in a text in linear time, whatever they are. */

/** The first occurrences, at most so many. */
export function occurrences(text: string, wanted: string, most: number): number[] {
  const all: number[] = [];
  for (let at = occurrence(text, wanted); at >= 0 && all.length < most; at = occurrence(text, wanted, at + 1))
    all.push(at);
  return all;
}

/** `indexOf` of V8 knows the last 250 characters of what it looks for; behind them it may compare each one at each place. */
const SAFE_LENGTH = 250;
const TRIES = 32;

/** The first occurrence at or behind `from`, or -1. */
function occurrence(text: string, wanted: string, from = 0): number {
  if (wanted.length <= SAFE_LENGTH) return text.indexOf(wanted, from);
  const tail = wanted.slice(-SAFE_LENGTH);
  const lead = wanted.length - SAFE_LENGTH;
  let at = from + lead;
  for (let tries = 0; tries < TRIES; tries++) {
    at = text.indexOf(tail, at);
    if (at < 0) return -1;
    if (text.startsWith(wanted, at - lead)) return at - lead;
    at++;
  }
  return piecesOf(wanted).every((piece) => text.includes(piece)) ? byPrefixes(text, wanted, at - lead) : -1;
}

const piecesOf = (wanted: string): string[] =>
  Array.from({ length: Math.ceil(wanted.length / SAFE_LENGTH) }, (_, nth) =>
    wanted.slice(nth * SAFE_LENGTH, (nth + 1) * SAFE_LENGTH),
  );

/** The algorithm of Knuth, Morris and Pratt. */
function byPrefixes(text: string, wanted: string, from: number): number {
  const borders = bordersOf(wanted);
  for (let at = from, matched = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched++;
    if (matched === wanted.length) return at + 1 - matched;
  }
  return -1;
}

/** For each beginning, the length of its longest proper beginning that is its end as well. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(matched)) matched++;
    borders[at] = matched;
  }
  return borders;
}
