/** When a task is to begin, and by what rule again, out of the schedule that a notification asks for. */
import { DAYS, type Schedule, scheduleText } from '../schedules/schedule.ts';
import { slotAfter } from '../schedules/slot-after.ts';
import type { StartedTask } from '../tasks/task.ts';
import type { NotificationInput } from './notification-input.ts';

type SubmitRequest = NonNullable<NotificationInput['schedule']>;

const USUAL_TIME = '09:00:00';
const USUAL_ZONE = 'UTC';

export const isRecurring = ({ frequency }: SubmitRequest): boolean => Boolean(frequency) && frequency !== 'once';

/** Without a schedule it begins at once. */
export function submitAgentTask(asked: SubmitRequest | null | undefined, now: number): StartedTask {
  if (!asked || !(isRecurring(asked) || asked.time)) return {};
  const schedule = scheduleOf(asked);
  const firstAt = slotAfter(schedule, now);
  return isRecurring(asked) ? { firstAt, recurs: scheduleText(schedule) } : { firstAt };
}

/** One that begins once begins at the next such time of any day. */
export function scheduleOf({ frequency, day_of_week, day_of_month, time, timezone }: SubmitRequest): Schedule {
  const common = { time: time ?? USUAL_TIME, zone: timezone ?? USUAL_ZONE };
  if (frequency === 'weekly' && day_of_week) return { ...common, every: 'week', day: DAYS.indexOf(day_of_week) + 1 };
  if (frequency === 'monthly') return { ...common, every: 'month', day: day_of_month ?? 1 };
  return { ...common, every: 'day' };
}
