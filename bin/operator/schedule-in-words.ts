/** A schedule as people say it. */
import { DAYS, parseSchedule, type Schedule, type ScheduleText } from '../../shared/schedules/schedule.ts';

export function scheduleInWords(text: ScheduleText): string {
  const schedule = parseSchedule(text);
  return `${daysOf(schedule)} at ${schedule.time} ${schedule.zone}`;
}

function daysOf(schedule: Schedule): string {
  if (schedule.every === 'day') return 'every day';
  if (schedule.every === 'month') return `on day ${schedule.day} of every month`;
  const day = DAYS[schedule.day - 1] ?? '';
  return `every ${day.charAt(0).toUpperCase()}${day.slice(1)}`;
}
