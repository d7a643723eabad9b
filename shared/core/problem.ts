/** What goes wrong in a way the caller may read. Anything else that is thrown is our own bug. */

export type ProblemCode =
  | 'badCursor' // a page address that we did not give out
  | 'badSetting' // a setting or a state folder that the operator has to mend
  | 'busy' // a place we depend on is over its limits; trying again later helps
  | 'tooLarge' // more bytes than the limit
  | 'unreadable'; // sealed text that no key we hold can open

export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export const isProblem = (error: unknown, code?: ProblemCode): error is Problem =>
  error instanceof Problem && (code === undefined || error.code === code);
