/** A schedule in the words of EventBridge Scheduler, to the minute: what fires too early is hinted again for its second. */
import { DAYS, type Schedule } from '../shared/schedules/schedule.ts';

/** Every month has a day of this number. */
const SURE_DAY = 28;
const LAST_DAY = 31;

export const onceAt = (at: number) => ({
  ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
  ScheduleExpressionTimezone: 'UTC',
});

export function cronOf(schedule: Schedule) {
  const [hour, minute] = schedule.time.split(':').map(Number);
  return {
    ScheduleExpression: `cron(${minute} ${hour} ${daysOf(schedule)} *)`,
    ScheduleExpressionTimezone: schedule.zone,
  };
}

/** Day of the month, month, day of the week. */
function daysOf(schedule: Schedule): string {
  if (schedule.every === 'day') return '* * ?';
  if (schedule.every === 'week') return `? * ${DAYS[schedule.day - 1]?.slice(0, 3).toUpperCase()}`;
  const { day } = schedule;
  if (day === LAST_DAY) return 'L * ?';
  // The last day of a short month is among these; on the others the task is not due, and the hint is nothing.
  return day > SURE_DAY ? `${SURE_DAY}-${day} * ?` : `${day} * ?`;
}
