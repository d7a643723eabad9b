/** A clock that believes AWS: what is signed minutes too early or too late is refused. */
import type { Clock } from '../../shared/ports.ts';

/** AWS takes five minutes. */
const MOST_WRONG_MS = 240_000;

export function correctedClock(clock: Clock) {
  let behindMs = 0;
  const now = () => clock.now() + behindMs;
  const isWrong = (at: number): boolean => Math.abs(now() - at) >= MOST_WRONG_MS;
  return {
    now,
    /** Whether an instant of this clock, just read, is no longer what it says. */
    isWrong,
    /** The date of an answer. */
    hear(date: string | undefined): void {
      const told = Date.parse(date ?? '');
      if (isWrong(told)) behindMs = told - clock.now();
    },
  };
}
