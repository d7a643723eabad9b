/** A signal that aborts with the caller's signal or after a timeout. */

/** The longest delay of a timer. */
const LONGEST_MS = 2_147_483_647;

export type Ending = {
  signal: AbortSignal;
  /** Whether the timeout aborted it. */
  isLate(): boolean;
  /** Restarts the timeout. */
  moved(): void;
  /** Stops the timer and the listener, so that nothing aborts the signal any more. */
  done(): void;
  end(): void;
};

export function endingOf(signal: AbortSignal | undefined, timeoutMs = Infinity): Ending {
  const ending = new AbortController();
  const abort = () => ending.abort(signal?.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  function moved(): void {
    clearTimeout(timer);
    if (!isDone && timeoutMs < Infinity) timer = setTimeout(abort, Math.min(timeoutMs, LONGEST_MS));
  }
  function done(): void {
    isDone = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
  moved();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: ending.signal,
    isLate: () => ending.signal.aborted && signal?.aborted !== true,
    moved,
    done,
    end() {
      done();
      ending.abort();
    },
  };
}
