/** Where an instant lies among the slots of a schedule, however long ago the last one that is known was. */
import type { Schedule } from './schedule.ts';
import { slotAfter } from './slot-after.ts';

const DAY_MS = 86_400_000;
/** Among so many days there are two slots of any schedule. */
const LOOKED_BACK_MS = 100 * DAY_MS;

/**
 * `newest` is the last one up to `now`, and `before` the one before it; both are `slotAt`, which is a slot, as long as it
 * is the last one, or lies ahead.
 */
export function slotsAround(schedule: Schedule, { slotAt, now }: { slotAt: number; now: number }) {
  if (now < slotAt) return { before: slotAt, newest: slotAt, next: slotAt };
  let [before, newest] = [slotAt, slotAt];
  let next = slotAfter(schedule, Math.max(slotAt, now - LOOKED_BACK_MS));
  for (; next <= now; next = slotAfter(schedule, next)) [before, newest] = [newest, next];
  return { before, newest, next };
}

/** The last slot before an instant, of a schedule of which no slot is known. */
export const slotBefore = (schedule: Schedule, instant: number): number =>
  slotsAround(schedule, { slotAt: slotAfter(schedule, instant - LOOKED_BACK_MS), now: instant - 1 }).newest;
