/** Every run of several years in a dozen time zones, compared with an independent calendar library. */
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../shared/schedules/schedule.ts';
import { slotAfter } from '../../../shared/schedules/slots.ts';
import { proves } from '../../support/proves.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'America/Santiago',
];

/** In the first year, Samoa skipped a day and Brazil changed its clocks at midnight. */
const FIRST_YEARS = [2011, 2025];
const YEARS = 3;
/** Clock changes skip or repeat the first two. */
const TIMES = ['00:30:00', '02:15:00', '08:00:00', '23:59:59'];

type Rule = Pick<Schedule, 'every'> & { day?: number };
const RULES: Rule[] = [
  { every: 'day' },
  { every: 'week', day: 7 },
  { every: 'week', day: 3 },
  { every: 'month', day: 1 },
  { every: 'month', day: 30 },
  { every: 'month', day: 31 },
];

const isDay = ({ every, day = 0 }: Rule, date: Temporal.PlainDate): boolean =>
  every === 'day' || (every === 'week' ? date.dayOfWeek === day : date.day === Math.min(day, date.daysInMonth));

/** The runs at one time of day, by date; a date on which clocks skip it has none. */
function slotsByDate(zone: string, time: string, year: number): [Temporal.PlainDate, number][] {
  const slots: [Temporal.PlainDate, number][] = [];
  const end = Temporal.PlainDate.from({ year: year + YEARS, month: 1, day: 1 });
  for (let date = end.subtract({ years: YEARS }); !date.equals(end); date = date.add({ days: 1 })) {
    const wall = date.toPlainDateTime(Temporal.PlainTime.from(time));
    const shown = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
    if (shown.toPlainDateTime().equals(wall)) slots.push([date, shown.epochMilliseconds]);
  }
  return slots;
}

function slotsFrom(schedule: Schedule, first: number, most: number): number[] {
  const slots: number[] = [];
  for (let before = first - 1; slots.length < most; before = slots.at(-1) ?? before)
    slots.push(slotAfter(schedule, before));
  return slots;
}

const cases = FIRST_YEARS.flatMap((year) => ZONES.map((zone) => ({ zone, year })));
let compared = 0;

describe('the slots of a schedule', () => {
  it.each(cases)('are those of the calendar: $zone from $year on', { timeout: 20_000 }, ({ zone, year }) => {
    for (const time of TIMES) {
      const dates = slotsByDate(zone, time, year);
      for (const rule of RULES) {
        const expected = dates.filter(([date]) => isDay(rule, date)).map(([, slot]) => slot);
        const ours = slotsFrom({ time, zone, ...rule } as Schedule, expected[0] ?? 0, expected.length);
        expect(ours, `${time} ${JSON.stringify(rule)}`).toEqual(expected);
        compared += expected.length;
      }
    }
  });

  it('were many', ({ task }) => {
    expect(compared).toBeGreaterThan(140_000);
    proves(task, `0 wrong of ${compared.toLocaleString('en-US')} slots`);
  });

  it('lie behind any instant, to the millisecond', () => {
    const schedule: Schedule = { every: 'day', time: '02:30:00', zone: 'Europe/Berlin' };
    const slot = Date.parse('2026-03-28T01:30:00Z');
    expect(slotAfter(schedule, slot - 1)).toBe(slot);
    // No run in the night in which the clocks skip the time.
    expect(slotAfter(schedule, slot)).toBe(Date.parse('2026-03-30T00:30:00Z'));
    // The first run in the night in which the time occurs twice.
    const twice = Date.parse('2026-10-25T00:30:00Z');
    expect(slotAfter(schedule, twice - 1)).toBe(twice);
    expect(slotAfter(schedule, twice)).toBe(Date.parse('2026-10-26T01:30:00Z'));
    expect(slotAfter(schedule, twice + 3_600_000)).toBe(Date.parse('2026-10-26T01:30:00Z'));
  });
});
