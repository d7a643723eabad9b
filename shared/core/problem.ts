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
  | 'notFound' // an id that is unknown, foreign or malformed: never told apart
  | 'rateLimited'
  | 'tooLarge' // more bytes than the limit
  | 'unauthorized' // no credential, or none that holds
  | 'unreadable' // sealed text that no key we hold can open
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
