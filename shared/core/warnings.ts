/** Warnings about a request that is valid, but of which something has no effect. */

const MOST_WARNINGS = 20;
const MOST_NAME = 48;
/** Control characters, characters that are not shown, halves of pairs, and line separators. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name or a value that a caller sent, as a warning may repeat it. */
export function quotedName(text: string): string {
  const short = text.length > MOST_NAME ? `${text.slice(0, MOST_NAME)}…` : text;
  return short === '' ? '""' : short.replaceAll(UNSAFE, '?');
}

/** The first ones, and how many more there are. */
export function bounded(warnings: readonly string[], more = 0): string[] {
  const first = warnings.slice(0, MOST_WARNINGS);
  const left = warnings.length - first.length + more;
  return left === 0 ? first : [...first, `${left} more warnings are not listed.`];
}
