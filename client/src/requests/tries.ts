/** One try of a call within its timeout, and the wait before the next one. */
import { ErrandError } from '../errors.ts';
import { endingOf } from './ending.ts';
import { aborted } from './pause.ts';

export type TryOptions = {
  /** Timeout of one try; for uploads and downloads, of the time without progress. */
  timeoutMs?: number;
  /** The number of retries after the first try. */
  retries?: number;
  /** The longest wait before a retry. If the service asks for a longer one, the call fails with `retryAfterSeconds`. */
  maxWaitMs?: number;
  fetch?: typeof globalThis.fetch;
};

export const TIMEOUT_MS = 35_000;
export const SECOND_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 250;
const RETRIED = new Set([429, 500, 502, 503, 504]);

type AttemptLimits = { signal: AbortSignal | undefined; timeoutMs: number | undefined };
type Work<T> = (o: { signal: AbortSignal; moved(): void }) => Promise<T>;

/** Converts every failure into an ErrandError. */
export async function attempt<T>(origin: string, o: AttemptLimits, work: Work<T>): Promise<T> {
  const { signal, timeoutMs = TIMEOUT_MS } = o;
  if (signal?.aborted) throw aborted(signal);
  const ending = endingOf(signal, timeoutMs);
  try {
    return await work(ending);
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal);
    if (cause instanceof ErrandError) throw cause;
    if (ending.isLate()) throw new ErrandError('TIMEOUT', `No response within ${timeoutMs} ms.`, { cause });
    throw new ErrandError('NETWORK', `${origin} cannot be reached: ${reasonOf(cause)}.`, { cause });
  } finally {
    ending.done();
  }
}

export const mayPass = ({ code, status }: ErrandError): boolean =>
  code === 'NETWORK' || code === 'TIMEOUT' || (status !== undefined && RETRIED.has(status));

type Tried = TryOptions & { tried: number; isWorthIt?: boolean };

/** Throws the error if another try is not worthwhile. */
export function waitBefore(error: unknown, o: Tried): number {
  const { tried, retries = RETRIES, maxWaitMs = MAX_WAIT_MS } = o;
  if (!(error instanceof ErrandError)) throw error;
  const waitMs = waitOf(error, tried);
  if (!(o.isWorthIt ?? mayPass(error)) || tried >= retries || waitMs > maxWaitMs) throw error;
  return waitMs;
}

/** The requested wait with jitter, or exponential backoff with jitter, so that many callers do not retry at the same time. */
export function waitOf({ retryAfterSeconds }: ErrandError, tried: number): number {
  const fallback = FIRST_WAIT_MS * 2 ** tried;
  if (retryAfterSeconds === undefined) return fallback * (1 + Math.random()) * 0.5;
  return retryAfterSeconds * SECOND_MS + Math.random() * fallback;
}

/** The actual reason behind the generic message of `fetch`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? 'unknown';
}
