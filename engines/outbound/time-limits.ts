/** Time limits of a request and of its steps. */
import { type FailureReason, failure } from './failure.ts';

/** How long and how much a request may take, unless its caller says otherwise. */
export type RequestLimits = {
  resolveMs: number;
  /** Connection and TLS handshake together. */
  connectMs: number;
  headersMs: number;
  /** Between two pieces of the body; the reader's own pauses do not count. */
  idleMs: number;
  /** Everything, redirects and the reading of the body included. */
  totalMs: number;
  headerBytes: number;
};

export const REQUEST_LIMITS: RequestLimits = {
  resolveMs: 5000,
  connectMs: 5000,
  headersMs: 10_000,
  idleMs: 10_000,
  totalMs: 25_000,
  headerBytes: 16_384,
};

/** The time that a request and its steps have. Whatever a step opened is closed by its signal. */
export type RequestLifetime = { signal: AbortSignal; end(): void };

/** The whole request: ended by its reader, cut by its total limit or by its caller. */
export function startLifetime(totalMs: number, caller: AbortSignal | undefined): RequestLifetime {
  const control = new AbortController();
  const abort = () => control.abort(caller?.reason);
  const timer = setTimeout(() => control.abort(failure('totalTime')), totalMs);
  if (caller?.aborted) abort();
  caller?.addEventListener('abort', abort, { once: true });
  return {
    signal: control.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

type TimedStep = { ms: number; fault: FailureReason; signal: AbortSignal };

/** One step: settles when its time is over, even if the work does not. */
export async function withTimeout<T>(
  { ms, fault, signal }: TimedStep,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const abort = () => control.abort(signal.reason);
  const timer = setTimeout(() => control.abort(failure(fault)), ms);
  signal.addEventListener('abort', abort, { once: true });
  const cut = new Promise<never>((_, reject) => {
    control.signal.addEventListener('abort', () => reject(control.signal.reason), { once: true });
  });
  try {
    return await Promise.race([cut, work(control.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
