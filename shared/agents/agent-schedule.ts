/** Converts the schedule in a notification's input to the start of the task and its recurrence. */

import { DAYS, type Schedule, scheduleText } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slots.ts';
import type { StartedTask } from '../tasks/task.ts';
import type { NotificationInput } from './notification-input.ts';

type ScheduleRequest = NonNullable<NotificationInput['schedule']>;

const DEFAULT_TIME = '09:00:00';
const DEFAULT_ZONE = 'UTC';

export const isRecurring = ({ frequency }: ScheduleRequest): boolean => Boolean(frequency) && frequency !== 'once';

/** Without a schedule the task begins at once. */
export function scheduledStart(request: ScheduleRequest | null | undefined, now: number): StartedTask {
  if (!request || !(isRecurring(request) || request.time)) return {};
  const schedule = scheduleOf(request);
  const firstAt = slotAfter(schedule, now);
  return isRecurring(request) ? { firstAt, recurs: scheduleText(schedule) } : { firstAt };
}

/** A task that runs once begins at the next such time of day. */
export function scheduleOf({ frequency, day_of_week, day_of_month, time, timezone }: ScheduleRequest): Schedule {
  const common = { time: time ?? DEFAULT_TIME, zone: timezone ?? DEFAULT_ZONE };
  if (frequency === 'weekly' && day_of_week) return { ...common, every: 'week', day: DAYS.indexOf(day_of_week) + 1 };
  if (frequency === 'monthly') return { ...common, every: 'month', day: day_of_month ?? 1 };
  return { ...common, every: 'day' };
}
