/** The local scheduler: its schedules are rows of the table, checked once a minute. */

import { type EachLane, laneOf } from '../../shared/core/lane.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Clock, Key, Queue, Row, ScheduledTask, Scheduler, Table, Timing } from '../../shared/ports.ts';
import { parseSchedule } from '../../shared/schedules/schedule.ts';
import { slotAfter } from '../../shared/schedules/slots.ts';
import { hintOf } from '../../shared/tasks/hints.ts';

const PARTITION = 'SCHEDULES';
const ROWS_AT_ONCE = 1_000;

type Kept = ScheduledTask & { priority: number; timing: Timing };

type LocalScheduler = Scheduler & {
  /** Sends the hints of the current minute, once even if it is called several times. */
  tick(): Promise<void>;
};

type Options = { table: Table; clock: Clock; lanes: EachLane<Queue> };

export function localScheduler({ table, clock, lanes }: Options): LocalScheduler {
  let lookedAt = minuteOf(clock.now());

  /** The reconciler makes up for schedules that were due while the process was down. */
  async function fire({ value, ...row }: Row<Kept>, minute: number): Promise<void> {
    const { organization, taskId, priority, timing } = value;
    if (!isDue(timing, minute)) return;
    await lanes[laneOf(priority)].send([{ body: hintOf({ organization, taskId }), group: organization }]);
    if ('at' in timing) await table.remove(row);
  }

  return {
    async put({ organization, taskId }, o) {
      const value: Kept = { organization, taskId, ...o };
      const key = keyOf(value);
      for (;;) {
        const row = await table.get<Kept>(key);
        if (await (row ? table.replace(row, { value }) : table.insert({ ...key, value }))) return;
      }
    },

    async remove(task) {
      for (let row = await table.get(keyOf(task)); row; row = await table.get(keyOf(task))) await table.remove(row);
    },

    async list(paging) {
      const { rows, ...next } = await table.rows<Kept>(PARTITION, '', paging);
      return { rows: rows.map(({ value: { organization, taskId } }) => ({ organization, taskId })), ...next };
    },

    async tick() {
      const minute = minuteOf(clock.now());
      if (minute === lookedAt) return;
      lookedAt = minute;
      let paging: { after?: string; limit: number } = { limit: ROWS_AT_ONCE };
      for (;;) {
        const { rows, next } = await table.rows<Kept>(PARTITION, '', paging);
        for (const row of rows) await fire(row, minute);
        if (next === undefined) return;
        paging = { after: next, limit: ROWS_AT_ONCE };
      }
    },
  };
}

const keyOf = ({ organization, taskId }: ScheduledTask): Key => ({ pk: PARTITION, sk: `${organization}#${taskId}` });
const minuteOf = (now: number): number => now - (now % MINUTE_MS);

/** A one-time schedule fires late rather than never. */
const isDue = (timing: Timing, minute: number): boolean =>
  ('at' in timing ? timing.at : slotAfter(parseSchedule(timing.by), minute - 1)) < minute + MINUTE_MS;
