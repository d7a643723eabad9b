/** Limits of model calls: concurrency, retries with backoff, and time and size of a response. */

import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import { TaskFailure } from '../../shared/tasks/agent.ts';

/** Models take long before the first byte and may send much, so these limits exceed those of other requests. */

export const MODEL_REQUEST = {
  maxBytes: 20_000_000,
  limits: { headersMs: 5 * MINUTE_MS, idleMs: 2 * MINUTE_MS, totalMs: 10 * MINUTE_MS },
} as const;

/** Limits the concurrent calls to a model, shared fairly between organizations. */
export const withConcurrencyLimit = (
  model: LanguageModelV4,
  calls: Semaphore,
  organization: string,
): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doStream: (options) => model.doStream(options),
  doGenerate: (options) =>
    calls.run({ organization, signal: options.abortSignal }, async () => model.doGenerate(options)),
});

const MAX_TRIES = 4;
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
 * `id` is the name that callers use for the model.
 */
export const withRetries = (model: LanguageModelV4, id: string, timing: RetryTiming): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doStream: (options) => model.doStream(options),
  async doGenerate(options) {
    for (let tries = 1; ; tries++) {
      try {
        return await model.doGenerate(options);
      } catch (error) {
        if (options.abortSignal?.aborted) throw error;
        if (tries === MAX_TRIES || isPermanent(error)) throw unavailable(id, error);
        await timing.wait(waitBefore(tries, error, timing.chance()), options.abortSignal);
      }
    }
  },
});

const isPermanent = (error: unknown): boolean =>
  APICallError.isInstance(error) && PERMANENT_STATUSES.has(error.statusCode ?? 0);

/** Respects the provider's Retry-After header, up to a maximum. */
function waitBefore(tries: number, error: unknown, random: number): number {
  const planned = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + random);
  const requested = APICallError.isInstance(error)
    ? Number(error.responseHeaders?.['retry-after']) * 1_000
    : Number.NaN;
  return Math.min(MAX_WAIT_MS, Number.isFinite(requested) ? Math.max(planned, requested) : planned);
}

function unavailable(id: string, cause: unknown): TaskFailure {
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  const permanent = isPermanent(cause);
  const why = status === undefined ? 'did not answer' : `answered with status ${status}`;
  const remedy = permanent
    ? 'name another model, or ask the operator to look at its settings'
    : 'submit the task again later';
  return new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} ${why}; ${remedy}.`, {
    cause,
    mayPass: !permanent,
  });
}
