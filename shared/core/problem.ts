/** The one error type, and warnings about what a request could not use. */

/** Errors whose code and message callers may read. Any other thrown error is our bug. */
export type ProblemCode =
  | 'atCapacity' // no room for more work until some of it ends
  | 'badCursor' // a pagination cursor that we did not issue
  | 'badSetting' // a setting or a state folder that the operator has to correct
  | 'busy' // a dependency is at its limits; retrying later helps
  | 'forbidden' // an authenticated caller without the permission
  | 'idempotencyMismatch' // the same key was used with another body
  | 'idempotencyRunning' // the first call with this key is still running
  | 'invalid' // an invalid body, field or parameter
  | 'methodNotAllowed'
  | 'notCancellable' // the task has ended, and not by a cancel
  | 'notCompleted' // the task has not ended yet
  | 'noStorage' // the bucket or folder is missing or inaccessible
  | 'noSuchPath'
  | 'notFound' // an unknown, foreign or malformed id; callers cannot tell which
  | 'rateLimited'
  | 'tooLarge' // more bytes than the limit
  | 'unauthorized' // no credential, or an invalid one
  | 'unreadable' // sealed text that none of our keys can open
  | 'unreadableFile' // a stored file that no reader supports
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

/** Warnings about a valid request of which a part has no effect. */
const MAX_WARNINGS = 20;
const MAX_NAME = 48;
/** Control and invisible characters, lone surrogates and line separators. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name or value from a caller, as a warning may quote it. */
export function quotedName(text: string, most = MAX_NAME): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text;
  return short === '' ? '""' : short.replaceAll(UNSAFE, '?');
}

/** The first warnings, and how many more there are. */
export function bounded(warnings: readonly string[], more = 0): string[] {
  const first = warnings.slice(0, MAX_WARNINGS);
  const left = warnings.length - first.length + more;
  return left === 0 ? first : [...first, `${left} more warnings are not listed.`];
}

// The known name that is closest to a misspelled one.

/** Longer names are not compared: callers choose the length, and the comparison takes quadratic time. */
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

/** Levenshtein distance in which a swap of two neighbours counts as one edit. */
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
