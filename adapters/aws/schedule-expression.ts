/**
 * A schedule in EventBridge Scheduler's syntax. It fires at a full minute; a run that is due later within the minute gets
 * a delayed hint.
 */
import type { Timing } from '../../shared/ports.ts';
import { DAYS, parseSchedule, type Schedule } from '../../shared/schedules/schedule.ts';

/** The highest day that every month has. */
const SURE_DAY = 28;
const LAST_DAY = 31;

const onceAt = (at: number) => ({
  ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
  ScheduleExpressionTimezone: 'UTC',
});

function cronOf(schedule: Schedule) {
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
  // These days include the last day of a short month; on the others the task is not due, and its hint has no effect.
  return day > SURE_DAY ? `${SURE_DAY}-${day} * ?` : `${day} * ?`;
}

export const expressionOf = (timing: Timing) => ('at' in timing ? onceAt(timing.at) : cronOf(parseSchedule(timing.by)));
