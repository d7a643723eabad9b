/** A clock that only tests move. */
import type { Clock } from '../../shared/ports.ts';

export function setClock(at = Date.parse('2026-06-01T12:00:00Z')): Clock & { pass(ms: number): void } {
  let now = at;
  return {
    now: () => now,
    pass: (ms) => {
      now += ms;
    },
  };
}
