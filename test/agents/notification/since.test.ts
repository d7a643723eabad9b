/** The start of the period that a recurring mail covers. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sinceOf } from '../../../agents/notification/since.ts';
import type { NotificationInput } from '../../../shared/agents/notification-input.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import { newTask, type Task } from '../../../shared/tasks/task.ts';
import { openFiles } from '../../shared/files/setup.ts';

const organization = '01a203bf-5800-7082-9dae-b6fdf1d747d4';
const address = { organization, taskId: '01a203bf-5800-7083-94a7-ba785e86dfe5' };
let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

const since = async (schedule: object, slot: string) => {
  const input = { schedule } as NotificationInput;
  const run = { number: 9, slotAt: Date.parse(slot) };
  const found = await sinceOf(at.table, { address, input, run });
  return found === undefined ? undefined : new Date(found).toISOString();
};

const endedRun = (number: number, slot: string, state: Task['state']) => {
  const made = newTask({ face: 'agents', type: 'notification_agent', priority: 5, now: 0, hasWebhook: false });
  const run = { number, slotAt: Date.parse(slot), seq: 0 };
  return at.table.insert({ ...taskKey({ ...address, run: number }), value: { ...made, state, run } });
};

it.each([
  [{ frequency: 'daily', time: '08:00' }, '2026-11-21T08:00:00Z', '2026-11-20T08:00:00.000Z'],
  [{ frequency: 'weekly', day_of_week: 'monday', time: '08:00' }, '2026-11-23T08:00:00Z', '2026-11-16T08:00:00.000Z'],
  [{ frequency: 'monthly', day_of_month: 1, time: '08:00' }, '2026-03-01T08:00:00Z', '2026-02-01T08:00:00.000Z'],
  [{ frequency: 'monthly', day_of_month: 31, time: '08:00' }, '2026-03-31T08:00:00Z', '2026-02-28T08:00:00.000Z'],
  // The clocks are set back, so the day has 25 hours.
  [
    { frequency: 'daily', time: '08:00', timezone: 'Europe/Berlin' },
    '2026-10-25T07:00:00Z',
    '2026-10-24T06:00:00.000Z',
  ],
])('is the previous slot if no mail was sent yet: %o', async (schedule, slot, expected) => {
  expect(await since({ ...schedule, time: `${schedule.time}:00` }, slot)).toBe(expected);
});

it('is the slot of the last mail that was sent, however many were missed or failed since', async () => {
  await endedRun(6, '2026-11-15T08:00:00Z', 'succeeded');
  await endedRun(7, '2026-11-16T08:00:00Z', 'succeeded');
  await endedRun(8, '2026-11-17T08:00:00Z', 'failed');
  expect(await since({ frequency: 'daily', time: '08:00:00' }, '2026-11-21T08:00:00Z')).toBe(
    '2026-11-16T08:00:00.000Z',
  );
});

it('is undefined for an e-mail that is sent once', async () => {
  expect(await since({ frequency: 'once', time: '08:00:00' }, '2026-11-21T08:00:00Z')).toBeUndefined();
  const input = { schedule: { frequency: 'daily' } } as NotificationInput;
  expect(await sinceOf(at.table, { address, input, run: undefined })).toBeUndefined();
});
