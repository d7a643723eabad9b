/** Looks again and again while somebody watches: for what has no channel of its own. */
import { useEffect } from 'preact/hooks';

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
