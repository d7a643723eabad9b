/** Waiting that a signal ends. */
import { ErrandError } from './errors.ts';

export const aborted = (signal: AbortSignal): ErrandError =>
  new ErrandError('ABORTED', 'The call was ended by its signal.', { cause: signal.reason });

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const end = () => {
      clearTimeout(timer);
      if (signal) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
