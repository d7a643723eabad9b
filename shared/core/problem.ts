/** The one error type, and warnings about what a request could not use. */

/** What goes wrong in a way the caller may read. Anything else that is thrown is our own bug. */
export type ProblemCode =
  | 'atCapacity' // more work than is taken in; some of it has to end first
  | 'badCursor' // a page address that we did not give out
  | 'badSetting' // a setting or a state folder that the operator has to mend
  | 'busy' // a place we depend on is over its limits; trying again later helps
  | 'forbidden' // a known caller without the right
  | 'idempotencyMismatch' // one key, two bodies
  | 'idempotencyRunning' // the first call with this key is not answered yet
  | 'invalid' // a body, a field or a parameter that is not as it should be
  | 'methodNotAllowed'
  | 'notCancellable' // it has ended, and not by a cancel
  | 'notCompleted' // it has not ended yet
  | 'noStorage' // the place of the bytes is missing, or closed to us
  | 'noSuchPath'
  | 'notFound' // an id that is unknown, foreign or malformed: no difference is visible
  | 'rateLimited'
  | 'tooLarge' // more bytes than the limit
  | 'unauthorized' // no credential, or none that holds
  | 'unreadable' // sealed text that no key we hold can open
  | 'unreadableFile' // a stored file that no reader can use
  | 'unsupportedType'; // a body that is not JSON

export type Details = Record<string, unknown>;

export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly details: Details;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    o: { cause?: unknown; details?: Details; retryAfterSeconds?: number } = {},
  ) {
    super(message, 'cause' in o ? { cause: o.cause } : undefined);
    this.code = code;
    this.details = o.details ?? {};
    this.retryAfterSeconds = o.retryAfterSeconds;
  }
}

export const isProblem = (error: unknown, code?: ProblemCode): error is Problem =>
  error instanceof Problem && (code === undefined || error.code === code);

/** Warnings about a request that is valid, but of which something has no effect. */
const MAX_WARNINGS = 20;
const MAX_NAME = 48;
/** Control characters, characters that are not shown, halves of pairs, and line separators. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name or a value that a caller sent, as a warning may repeat it. */
export function quotedName(text: string): string {
  const short = text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
  return short === '' ? '""' : short.replaceAll(UNSAFE, '?');
}

/** The first ones, and how many more there are. */
export function bounded(warnings: readonly string[], more = 0): string[] {
  const first = warnings.slice(0, MAX_WARNINGS);
  const left = warnings.length - first.length + more;
  return left === 0 ? first : [...first, `${left} more warnings are not listed.`];
}

// The known name that is nearest to a misspelled one.

/** Longer names are not compared: callers choose their length, and comparing costs its square. */
const MAX_CHARACTERS = 40;
const MAX_EDITS = 2;
const CHARACTERS_PER_EDIT = 3;

export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted.length > MAX_CHARACTERS) return undefined;
  const max = Math.min(MAX_EDITS, Math.floor(wanted.length / CHARACTERS_PER_EDIT));
  const ranked = [...known]
    .map((candidate) => ({ candidate, edits: editsBetween(wanted, plain(candidate)) }))
    .filter(({ edits }) => edits <= max)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** `outputFormat`, `output-format` and `output_format` are the same name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '');

/** Levenshtein's distance, in which two neighbours that changed places are one edit. */
function editsBetween(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + differs);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
