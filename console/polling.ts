/** Polling for data without a live channel, while the page is visible. */
import { useEffect } from 'preact/hooks';
import type { ErrandError } from '../client/src/index.ts';

/** For errors that may be temporary: no network, a limit, a server error. */
export const mayPass = (fault: ErrandError | undefined): boolean => fault?.status === undefined || fault.status >= 429;

export function usePolled(isOn: boolean, everyMs: number, look: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => document.hidden || look(), everyMs);
    const pollIfVisible = () => document.hidden || look();
    document.addEventListener('visibilitychange', pollIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', pollIfVisible);
    };
  }, [isOn, everyMs, look]);
}

const EVERY_MS = 2_000;

/** Polls every two seconds while the page is visible. */
export function useVisiblePolling(look: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [look]);
}
