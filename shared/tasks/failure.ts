/** Why an attempt could not bring the task to a good end. Its message is for the caller. */
import type { FailureCode } from './task.ts';

export class TaskFailure extends Error {
  override name = 'TaskFailure';
  readonly code: FailureCode;
  /** Whether another attempt may do better. */
  readonly mayPass: boolean;

  constructor(code: FailureCode, message: string, o: { cause?: unknown; mayPass?: boolean } = {}) {
    super(message, 'cause' in o ? { cause: o.cause } : undefined);
    this.code = code;
    this.mayPass = o.mayPass ?? false;
  }
}
