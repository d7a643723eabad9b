/** The one place that asks the machine for the time. */
import type { Clock } from '../ports.ts';

export const systemClock: Clock = { now: () => Date.now() };
