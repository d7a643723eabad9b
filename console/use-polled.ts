/** Looks again and again while somebody watches: for what has no channel of its own. */
import { useEffect } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';

/** No network, a limit, a fault over there: it may be gone the next time. */
export const mayPass = (fault: ErrandError | undefined): boolean => fault?.status === undefined || fault.status >= 429;

export function usePolled(isOn: boolean, everyMs: number, look: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.hidden || look(), everyMs);
    const seen = () => document.hidden || look();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [isOn, everyMs, look]);
}
