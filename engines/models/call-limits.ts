/** Limits of model calls: concurrency, retries with backoff, and time and size of a response. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/core/time.ts';
import { TaskFailure, type Wait } from '../../shared/tasks/task-failure.ts';
import { isTooLong } from './context.ts';
import { failureOfCall, type ModelFailure, retryAfterMs } from './failures.ts';
import { loggableFault } from './loggable-fault.ts';
import type { Gate } from './model-gates.ts';
import { withGenerate } from './streaming.ts';

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
/** An attempt that brought a part of the answer is expensive. */
const MAX_PAID_TRIES = 2;
const FIRST_WAIT_MS = 1_000;
/** A model that is away is asked once more in the place of the task if it wants no longer wait than this. */
const SHORT_WAIT_MS = 2_000;
/** How long a call waits in the place of its task, where the task would have to pay again for what it asked before. */
const MAX_PLACE_MS = MINUTE_MS;

export type RetryTiming = {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number from 0 to 1. It spreads the retries of callers that failed together. */
  chance(): number;
};

type RetryOptions = {
  /** The name that callers use for the model. */
  id: string;
  timing: RetryTiming;
  gate: Pick<Gate, 'busy' | 'isPaced' | 'now'>;
  /** Whether the attempt has paid for answers, which it would lose if it gave up its place. */
  hasPaid(): boolean;
};

/**
 * Repeats a call that failed: briefly, while the task keeps its place. Then throws a TaskFailure with a clear message. If the
 * model is busy or away, that has a `Wait`: the task gives up its place and comes back, as often as its time allows.
 */
export const withRetries = (model: LanguageModelV4, retrying: RetryOptions): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    const { abortSignal } = options;
    const pauseAfter = pausesOfCall(retrying);
    for (;;) {
      try {
        return await model.doGenerate(options);
      } catch (error) {
        if (abortSignal?.aborted) throw error;
        await retrying.timing.wait(await pauseAfter(error), abortSignal);
      }
    }
  });

/** Returns how long to pause before the call is repeated in the place of the task, or throws if it is not. */
function pausesOfCall({ id, timing, gate, hasPaid }: RetryOptions): (error: unknown) => Promise<number> {
  const failures: ModelFailure[] = [];
  let placeMs = 0;

  function pauseInPlace(failure: TaskFailure, { until }: Wait): number {
    const ms = Math.max(0, until - gate.now());
    placeMs += ms;
    if (!hasPaid() || placeMs > MAX_PLACE_MS) throw failure;
    return ms;
  }

  return async (error) => {
    if (error instanceof TaskFailure) {
      // Others found the model busy. A budget that is used up is not a fault of the model.
      if (!error.wait) throw error;
      return pauseInPlace(error, error.wait);
    }
    const failure = failureOfCall(error);
    failures.push(failure);
    const ms = briefPause(failures, { chance: timing.chance(), isPaced: gate.isPaced(), now: gate.now() });
    if (ms !== undefined) return ms;
    if (failure.kind !== 'away') throw unavailableFailure(id, failure, { cause: error });
    const { reason, retryAfter } = failure;
    const wait = await gate.busy({ reason, retryAfterMs: retryAfterMs(retryAfter, gate.now()) });
    // No other model continues what this one has begun to answer.
    if (failures.some((previous) => previous.kind === 'failed' && previous.isPaid)) delete wait.awayMs;
    return pauseInPlace(unavailableFailure(id, failure, { cause: error, wait }), wait);
  };
}

type Moment = { chance: number; isPaced: boolean; now: number };

/** `undefined`: the call is not repeated for this failure, or not at once. */
function briefPause(failures: readonly ModelFailure[], { chance, isPaced, now }: Moment): number | undefined {
  const failure = failures.at(-1);
  const plannedMs = FIRST_WAIT_MS * 2 ** (failures.length - 1) * (0.5 + chance);
  if (failure?.kind === 'failed') {
    const paid = failures.filter((previous) => previous.kind === 'failed' && previous.isPaid);
    return failures.length < MAX_TRIES && paid.length < MAX_PAID_TRIES ? plannedMs : undefined;
  }
  if (failure?.kind !== 'away' || failure.isSlow || isPaced || failures.length > 1) return undefined;
  const ms = Math.max(plannedMs, retryAfterMs(failure.retryAfter, now));
  return ms <= SHORT_WAIT_MS ? ms : undefined;
}

type FailureContext = { cause: unknown; wait?: Wait };

function unavailableFailure(id: string, failure: ModelFailure, { cause: error, wait }: FailureContext): TaskFailure {
  const cause = loggableFault(error);
  if (isTooLong(error)) {
    const message = `The request is longer than the model ${id} accepts; make the task smaller or name another model.`;
    return new TaskFailure('PROCESSING_FAILED', message, { cause });
  }
  const remedy = failure.kind === 'lasting' ? failure.remedy : 'submit the task again later';
  const mayPass = failure.kind !== 'lasting';
  return new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} ${failure.says}; ${remedy}.`, { cause, mayPass, wait });
}
