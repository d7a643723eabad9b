/** The time that a request and its steps have. Whatever a step opened is closed by its signal. */
import { type Fault, failed } from './failure.ts';

export type Life = { signal: AbortSignal; end(): void };

/** The whole request: ended by its reader, cut by its total limit or by its caller. */
export function lifeOf(totalMs: number, caller: AbortSignal | undefined): Life {
  const control = new AbortController();
  const follow = () => control.abort(caller?.reason);
  const timer = setTimeout(() => control.abort(failed('totalTime')), totalMs);
  if (caller?.aborted) follow();
  caller?.addEventListener('abort', follow, { once: true });
  return {
    signal: control.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}

export type Step = { ms: number; fault: Fault; signal: AbortSignal };

/** One step: settles when its time is over, even if the work does not. */
export async function within<T>({ ms, fault, signal }: Step, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const follow = () => control.abort(signal.reason);
  const timer = setTimeout(() => control.abort(failed(fault)), ms);
  signal.addEventListener('abort', follow, { once: true });
  const cut = new Promise<never>((_, reject) => {
    control.signal.addEventListener('abort', () => reject(control.signal.reason), { once: true });
  });
  try {
    return await Promise.race([cut, work(control.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
