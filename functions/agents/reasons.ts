/** What is wrong with each field of a body, nested names with dots. */
import type { BaseIssue } from 'valibot';

type BodyIssue = BaseIssue<unknown>;

/** Of the entries of one list, and of all fields of a body. */
const MAX_ENTRIES = 10;
const MAX_FIELDS = 100;

/** The first fault of a field is the one that explains the others. */
export function reasonsIn(issues: readonly BodyIssue[]): Record<string, string> {
  const reasons = new Map<string, string>();
  const entries = new Map<string, Set<string>>();
  for (const issue of issues) {
    const keys = (issue.path ?? []).map(({ key }) => String(key));
    const field = keys.join('.');
    const list = listOf(issue);
    if (list !== undefined) {
      const ofList = entries.get(list) ?? new Set();
      entries.set(list, ofList.add(field));
      if (ofList.size > MAX_ENTRIES) continue;
    }
    if (!reasons.has(field)) reasons.set(field, issue.message);
  }
  for (const [list, { size }] of entries) {
    const more = size - MAX_ENTRIES;
    if (more > 0 && !reasons.has(list)) reasons.set(list, `has ${more} more entries that are not valid`);
  }
  return Object.fromEntries([...reasons].slice(0, MAX_FIELDS));
}

/** The list that the issue is about an entry of. */
function listOf({ path }: BodyIssue): string | undefined {
  const at = path?.findIndex(({ type }) => type === 'array') ?? -1;
  return at < 0
    ? undefined
    : path
        ?.slice(0, at)
        .map(({ key }) => String(key))
        .join('.');
}
