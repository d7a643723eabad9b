/** The one place that asks the machine for the time. */
import type { Clock, Every } from '../ports.ts';

export const systemClock: Clock = { now: () => Date.now() };

export const systemEvery: Every = (ms, run) => {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
};
