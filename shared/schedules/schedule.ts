/** When a task recurs: at one time of day, every day, on one day of the week, or on one day of the month. */

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type Schedule = {
  /** HH:MM:SS in the local time of the zone. */
  time: string;
  /** The IANA name of the time zone. */
  zone: string;
} & (
  | { every: 'day' }
  /** 1 is Monday. */
  | { every: 'week'; day: number }
  /** In a month without that day, its last day. */
  | { every: 'month'; day: number }
);

/** Short, because every write of a task carries it: `d 083000 UTC`, `w1 083000 Europe/Berlin`, `m31 083000 UTC`. */
export type ScheduleText = string;

export function scheduleText(schedule: Schedule): ScheduleText {
  const day = schedule.every === 'day' ? 'd' : `${schedule.every[0]}${schedule.day}`;
  return `${day} ${schedule.time.replaceAll(':', '')} ${schedule.zone}`;
}

export function parseSchedule(text: ScheduleText): Schedule {
  const [, character, day, hour, minute, second, zone = ''] =
    /^([dwm])(\d*) (\d\d)(\d\d)(\d\d) (\S+)$/.exec(text) ?? [];
  const common = { time: `${hour}:${minute}:${second}`, zone };
  if (character === 'd') return { ...common, every: 'day' };
  if (character === 'w') return { ...common, every: 'week', day: Number(day) };
  if (character === 'm') return { ...common, every: 'month', day: Number(day) };
  throw new Error(`Not a valid schedule: ${text}`);
}
