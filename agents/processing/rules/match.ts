/** What a named rule finds in a piece of text, and what it may know of the document around it. */

export type RuleMatch = {
  start: number;
  end: number;
  /** In one form, however it was written. */
  value: string;
  /** What else is known of it, such as the cells of a table. */
  more?: Record<string, unknown>;
};

/** What a document shows of its own habits, read from the whole of it. */
export type Habits = {
  /** Of dates such as 03/04/2026: the order that an unmistakable one of the same document has. */
  dayFirst: boolean | undefined;
  /** The order to assume where nothing in the document tells. */
  assumesDayFirst: boolean;
  /** What `crowns` and `kr` are here, if it says so anywhere. */
  crowns: string | undefined;
};

export type Rule = (text: string, habits: Habits) => RuleMatch[];

type Found = RegExpExecArray & { groups: Record<string, string | undefined> };

/** Every place of a pattern, each with its groups; what `read` leaves undefined is no match. */
export function matchesOf(
  pattern: RegExp,
  text: string,
  read: (
    groups: Record<string, string | undefined>,
    found: RegExpExecArray,
  ) => Omit<RuleMatch, 'start' | 'end'> | undefined,
): RuleMatch[] {
  return Array.from(text.matchAll(pattern), (found) => found as Found).flatMap((found) => {
    const value = read(found.groups ?? {}, found);
    if (value === undefined) return [];
    return [{ start: found.index, end: found.index + found[0].length, ...value }];
  });
}

/** Of matches that share text the longest stays, in the order of the text. */
export function apart(matches: readonly RuleMatch[]): RuleMatch[] {
  const kept: RuleMatch[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (!last || match.start >= last.end) kept.push(match);
    else if (match.end - match.start > last.end - last.start) kept[kept.length - 1] = match;
  }
  return kept;
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
