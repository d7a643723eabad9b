/** Why an attempt failed, and what its agent had produced. */

import type { AgentReport } from './agent-report.ts';
import type { FailureCode } from './task.ts';

/** What an agent had produced when a limit ended the work. */
type PartialResult = {
  text?: string;
  archive?: { bytesAt: string; sizeBytes: number };
  record?: Record<string, unknown>;
  steps?: { number: number; name: string; text: string; truncated?: true }[];
  /** In place of the one of the last checkpoint. */
  report?: AgentReport;
};

/**
 * What the work cannot go on without, such as `openai/gpt-5: 429`, and when it may be tried again. `awayMs`: for how long it has
 * been so.
 */
export type Wait = { waitsFor: string; until: number; awayMs?: number };

/** Of the text `waitsFor`, so that the task's item stays small. */
export const MAX_WAITS_FOR = 64;

/** Why an attempt failed. Its message is shown to the caller. */
export class TaskFailure extends Error {
  override name = 'TaskFailure';
  readonly code: FailureCode;
  /** Whether another attempt may succeed. */
  readonly mayPass: boolean;
  readonly partial: PartialResult | undefined;
  /** The task is queued again until then, and its attempt does not count as failed. */
  readonly wait: Wait | undefined;

  constructor(
    code: FailureCode,
    message: string,
    o: { cause?: unknown; mayPass?: boolean; partial?: PartialResult | undefined; wait?: Wait | undefined } = {},
  ) {
    super(message, 'cause' in o ? { cause: o.cause } : undefined);
    this.code = code;
    this.mayPass = o.mayPass ?? false;
    this.partial = o.partial;
    this.wait = o.wait;
  }
}
