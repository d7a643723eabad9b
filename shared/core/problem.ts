/** The one error type. */

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
