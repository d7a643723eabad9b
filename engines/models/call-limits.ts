/** Limits of model calls: concurrency, retries with backoff, and time and size of a response. */

import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { DAY_MS, HOUR_MS } from '../../shared/core/time.ts';
import { TaskFailure } from '../../shared/tasks/agent.ts';
import { isOutboundFailure } from '../outbound/failure.ts';
import { isTooLong } from './context.ts';
import { BrokenStream, withGenerate } from './streaming.ts';

/**
 * The limits of the connection: the answer itself is limited by its tokens, see `streaming.ts`, and by the task's deadline.
 * A streamed token takes some 200 bytes on the wire.
 */
export const MODEL_REQUEST = {
  maxBytes: 1_000_000_000,
  limits: { headersMs: HOUR_MS, idleMs: HOUR_MS, totalMs: DAY_MS },
} as const;

/** Limits the concurrent calls to a model, shared fairly between organizations. */
export const withConcurrencyLimit = (model: LanguageModelV4, calls: Semaphore, organization: string): LanguageModelV4 =>
  withGenerate(model, (options) =>
    calls.run({ organization, signal: options.abortSignal }, async () => model.doGenerate(options)),
  );

const MAX_TRIES = 4;
/** An attempt that brought a part of the answer, or took long to bring nothing, is expensive. */
const MAX_LATE_TRIES = 2;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** The request itself is at fault, or its target does not exist, so a retry would get the same answer. */
const PERMANENT_STATUSES = new Set([400, 401, 403, 404, 405, 413, 415, 422]);

export type RetryTiming = {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number from 0 to 1. It spreads the retries of callers that failed together. */
  chance(): number;
};

/**
 * Retries a call that failed temporarily, with exponential backoff, and then throws a TaskFailure with a clear message.
 * A call whose answer had begun is repeated once only, as both are paid for. `id` is the name that callers use for the
 * model.
 */
export const withRetries = (model: LanguageModelV4, id: string, timing: RetryTiming): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    const errors: unknown[] = [];
    for (;;) {
      try {
        return await model.doGenerate(options);
      } catch (error) {
        // A budget that is used up is not a fault of the model.
        if (options.abortSignal?.aborted || error instanceof TaskFailure) throw error;
        errors.push(error);
        if (isLast(errors)) throw unavailable(id, error);
        await timing.wait(waitBefore(errors.length, error, timing.chance()), options.abortSignal);
      }
    }
  });

const isLast = (errors: readonly unknown[]): boolean =>
  isPermanent(errors.at(-1)) || errors.length === MAX_TRIES || errors.filter(isLate).length === MAX_LATE_TRIES;

const isLate = (error: unknown): boolean => isTimeout(error) || (error instanceof BrokenStream && error.hasTokens);

const isTimeout = (error: unknown): boolean =>
  isOutboundFailure(error)
    ? error.kind === 'failed' && error.reason === 'idleTime'
    : error instanceof BrokenStream && isTimeout(error.cause);

const isPermanent = (error: unknown): boolean =>
  APICallError.isInstance(error) && (PERMANENT_STATUSES.has(error.statusCode ?? 0) || isPage(error));

/** A page in place of an answer comes from something that is not the provider. */
const isPage = ({ statusCode, responseHeaders }: APICallError): boolean =>
  statusCode === 200 && responseHeaders?.['content-type']?.includes('html') === true;

/** Respects the provider's Retry-After header, up to a maximum. */
function waitBefore(tries: number, error: unknown, random: number): number {
  const planned = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + random);
  const requested = APICallError.isInstance(error)
    ? Number(error.responseHeaders?.['retry-after']) * 1_000
    : Number.NaN;
  return Math.min(MAX_WAIT_MS, Number.isFinite(requested) ? Math.max(planned, requested) : planned);
}

function unavailable(id: string, cause: unknown): TaskFailure {
  if (isTooLong(cause)) {
    const message = `The request is longer than the model ${id} accepts; make the task smaller or name another model.`;
    return new TaskFailure('PROCESSING_FAILED', message, { cause });
  }
  const permanent = isPermanent(cause);
  const remedy = permanent
    ? 'name another model, or ask the operator to look at its settings'
    : 'submit the task again later';
  return new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} ${whyUnavailable(cause)}; ${remedy}.`, {
    cause,
    mayPass: !permanent,
  });
}

function whyUnavailable(cause: unknown): string {
  if (isTimeout(cause)) return 'did not answer in time';
  if (cause instanceof BrokenStream) return 'interrupted its answer';
  if (!APICallError.isInstance(cause)) return 'did not answer';
  if (isPage(cause)) return 'answered with a web page';
  if (cause.statusCode === 200) return 'returned an answer that cannot be read';
  return `answered with status ${cause.statusCode}`;
}
