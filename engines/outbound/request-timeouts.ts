/** Time and size limits of an outbound request, and the timeouts of its steps. */
import { type FailureReason, outboundFailure } from './failure.ts';

/** Time and size limits of a request; callers may override each one. */
export type RequestLimits = {
  resolveMs: number;
  /** Covers the connection and the TLS handshake together. */
  connectMs: number;
  headersMs: number;
  /** Maximum gap between two chunks of the body. Pauses of the reader do not count. */
  idleMs: number;
  /** Covers everything, including redirects and reading the body. */
  totalMs: number;
  headerBytes: number;
};

/** The lifetime of a request. Its signal closes whatever a step has opened. */
export type RequestLifetime = { signal: AbortSignal; end(): void };

/**
 * Starts the lifetime of a whole request. It ends when the reader is done, at the total timeout, or when the caller
 * aborts.
 */
export function startLifetime(totalMs: number, caller: AbortSignal | undefined): RequestLifetime {
  const control = new AbortController();
  const abort = () => control.abort(caller?.reason);
  const timer = setTimeout(() => control.abort(outboundFailure('totalTime')), totalMs);
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

/** Runs one step with a timeout. Settles when the time is over, even if the work does not. */
export async function withTimeout<T>(
  { ms, fault, signal }: TimedStep,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const abort = () => control.abort(signal.reason);
  const timer = setTimeout(() => control.abort(outboundFailure(fault)), ms);
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
