/** The time that a request and its steps have. Whatever a step opened is closed by its signal. */
import { type FailureReason, failure } from './failure.ts';

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

export type TimedStep = { ms: number; fault: FailureReason; signal: AbortSignal };

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
