/** Reads robots.txt (RFC 9309): which paths of a host a program may open. */

/** The name that site owners write into robots.txt to address this product. */
export const ROBOTS_NAME = 'errand-research';

type Rule = { pattern: string; isAllowed: boolean };
export type Robots = { rules: readonly Rule[] };

export const ALLOW_ALL: Robots = { rules: [] };

const MAX_RULES = 2_000;
const MAX_PATTERN = 500;
const LINE = /^\s*(user-agent|allow|disallow)\s*:\s*([^#]*)/i;

/** Keeps the rules of the groups that name this product, or else those of the groups for everyone (`*`). */
export function parseRobots(text: string): Robots {
  const groups = groupsIn(text);
  const ourGroups = groups.filter(({ agents }) => agents.includes(ROBOTS_NAME));
  const applicable = ourGroups.length > 0 ? ourGroups : groups.filter(({ agents }) => agents.includes('*'));
  return { rules: applicable.flatMap(({ rules }) => rules).slice(0, MAX_RULES) };
}

type Group = { agents: string[]; rules: Rule[] };

/** A group begins with one or more lines that name its programs. */
function groupsIn(text: string): Group[] {
  const groups: Group[] = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const [, field = '', raw = ''] = LINE.exec(line) ?? [];
    const value = raw.trim();
    const last = groups.at(-1);
    if (value === '' || value.length > MAX_PATTERN) {
      // An empty pattern forbids nothing, and still ends the names of its group.
      if (field !== '') last?.rules.push({ pattern: '', isAllowed: true });
    } else if (field.toLowerCase() !== 'user-agent') {
      last?.rules.push({ pattern: value, isAllowed: field.toLowerCase() === 'allow' });
    } else if (last?.rules.length === 0) last.agents.push(value.toLowerCase());
    else groups.push({ agents: [value.toLowerCase()], rules: [] });
  }
  return groups;
}

/** The longest pattern that matches decides; of two of equal length, the one that allows. */
export function isAllowedBy({ rules }: Robots, { pathname, search }: URL): boolean {
  const path = pathname + search;
  let best: Rule = { pattern: '', isAllowed: true };
  for (const rule of rules) {
    const [length, bestLength] = [rule.pattern.length, best.pattern.length];
    if ((length > bestLength || (length === bestLength && rule.isAllowed)) && isMatch(rule.pattern, path)) best = rule;
  }
  return best.isAllowed;
}

/** `*` stands for any characters and a final `$` for the end. Without a regular expression, so no pattern can be slow. */
function isMatch(pattern: string, path: string): boolean {
  const isToEnd = pattern.endsWith('$');
  const [first = '', ...rest] = (isToEnd ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return !isToEnd || path.length === first.length;
  let at = first.length;
  for (const part of rest) {
    const index = path.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return isToEnd ? path.length - last.length >= at && path.endsWith(last) : path.indexOf(last, at) >= 0;
}
