/** The slot before an instant. */
import type { Schedule } from './schedule.ts';
import { slotAfter } from './slot-after.ts';

/** Among so many days there is a slot of any schedule, also where a change of the clocks has skipped a month's one. */
const LOOKED_BACK_MS = 65 * 86_400_000;

export function slotBefore(schedule: Schedule, instant: number): number {
  let before = slotAfter(schedule, instant - LOOKED_BACK_MS);
  for (let next = before; next < instant; next = slotAfter(schedule, next)) before = next;
  return before;
}
