/** What is wrong with each field of a body, nested names with dots. */
import type { BaseIssue } from 'valibot';
import { isObject } from '../../shared/agents/field.ts';

type Issue = BaseIssue<unknown>;
type Entry = { nth: number; of: number };

/** Of one fault in one list. */
const MOST_NAMED = 10;

export const reasonsIn = (issues: readonly Issue[]): Record<string, string> =>
  Object.fromEntries([...Map.groupBy(issues, fieldOf)].map(([field, its]) => [field, reasonOf(its)]));

/** An entry has no name of its own: the field is the list's. Where entries have fields, their place is told. */
function fieldOf(issue: Issue): string {
  const keys = (issue.path ?? []).map(({ key }) => key);
  return (entryOf(issue) ? keys.slice(0, -1) : keys).join('.');
}

function entryOf({ path, requirement }: Issue): Entry | undefined {
  const last = path?.at(-1);
  if (last?.type !== 'array' || requirement === isObject) return undefined;
  return { nth: Number(last.key) + 1, of: (last.input as unknown[]).length };
}

/** The first fault of a field, or of an entry, is the one that explains the others. */
function reasonOf(issues: Issue[]): string {
  const [first] = issues;
  if (!first || !entryOf(first)) return first?.message ?? '';
  const ofEntries = Map.groupBy(issues, (issue) => entryOf(issue)?.nth);
  ofEntries.delete(undefined);
  const byFault = Map.groupBy(
    [...ofEntries.values()].flatMap(([explains]) => explains ?? []),
    ({ message }) => message,
  );
  return [...byFault]
    .map(([message, its]) => `${message} (${named(its.flatMap((issue) => entryOf(issue) ?? []))})`)
    .join('; ');
}

const AND = new Intl.ListFormat('en-GB');

function named(entries: Entry[]): string {
  const places = entries.slice(0, MOST_NAMED).map(({ nth }) => `${nth}`);
  const more = entries.length - places.length;
  const all = AND.format(more > 0 ? [...places, `${more} more`] : places);
  return `${entries.length > 1 ? 'entries' : 'entry'} ${all} of ${entries[0]?.of}`;
}
