/** Waits that a signal can abort. */
import { ErrandError } from '../errors.ts';

export const aborted = (signal: AbortSignal): ErrandError =>
  new ErrandError('ABORTED', 'The call was aborted by its signal.', { cause: signal.reason });

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await endedBy(signal, over).finally(() => clearTimeout(timer));
}

/** Rejects when the signal is aborted. The shared promise continues for other callers. */
export function endedBy<T>(signal: AbortSignal | undefined, going: Promise<T>): Promise<T> {
  if (!signal) return going;
  return new Promise((resolve, reject) => {
    const end = () => reject(aborted(signal));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    going.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
