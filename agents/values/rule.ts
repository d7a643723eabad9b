/** The types and helpers of the named rules: matches in a text, and the locale of a document. */

export type RuleMatch = {
  start: number;
  end: number;
  /** Normalized, however the document writes it. */
  value: string;
  /** Further details, such as the cells of a table. */
  more?: Record<string, unknown>;
};

/** Notation habits of a document, read from the whole of it. */
export type DocumentLocale = {
  /** The order in dates such as 03/04/2026, taken from unambiguous dates of the same document. */
  dayFirst: boolean | undefined;
  /** The order to assume if nothing in the document tells. */
  assumesDayFirst: boolean;
  /** The currency that `crowns` and `kr` stand for, if the document says so anywhere. */
  crowns: string | undefined;
};

export type Rule = (text: string, locale: DocumentLocale) => RuleMatch[];

type NamedMatch = RegExpExecArray & { groups: Record<string, string | undefined> };

/** Returns all matches of a pattern. A match is dropped if `read` returns undefined. */
export function matchesOf(
  pattern: RegExp,
  text: string,
  read: (
    groups: Record<string, string | undefined>,
    match: RegExpExecArray,
  ) => Omit<RuleMatch, 'start' | 'end'> | undefined,
): RuleMatch[] {
  return Array.from(text.matchAll(pattern), (found) => found as NamedMatch).flatMap((found) => {
    const value = read(found.groups ?? {}, found);
    if (value === undefined) return [];
    return [{ start: found.index, end: found.index + found[0].length, ...value }];
  });
}

/** Removes overlaps: the longest match stays. Returns the matches in text order. */
export function withoutOverlaps(matches: readonly RuleMatch[]): RuleMatch[] {
  const keptMatches: RuleMatch[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = keptMatches.at(-1);
    if (!last || match.start >= last.end) keptMatches.push(match);
    else if (match.end - match.start > last.end - last.start) keptMatches[keptMatches.length - 1] = match;
  }
  return keptMatches;
}
