/** Looks again every two seconds while somebody looks at the page. */
import { useEffect } from 'preact/hooks';

const EVERY_MS = 2_000;

export function useLooking(look: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [look]);
}
