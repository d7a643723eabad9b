/** Runs of recurring tasks over a table: exactly one per slot, for repeated hints and for crashes at any step. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../../shared/ports.ts';
import { scheduleRepairer } from '../../../shared/reconcile/task-schedules.ts';
import { tickTask } from '../../../shared/reconcile/tick-task.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { detailsKey } from '../../../shared/tasks/details.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import { runsOf } from '../../../shared/tasks/runs.ts';
import type { RunOf } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { interceptedTable } from './intercepted-table.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LANES = { note: () => undefined };

let opened: TaskSetup;
let firstSlot: number;
beforeEach(() => {
  opened = openTasks();
  firstSlot = Math.ceil(opened.clock.now() / DAY) * DAY + DAY;
});
afterEach(() => opened.close());

const submitRecurring = () => opened.submit({}, { firstAt: firstSlot, recurs: 'd 000000 UTC' });
const setTo = (at: number) => opened.clock.pass(at - opened.clock.now());

/** Records its runs. Each attempt of a run executes both stages. */
function noting() {
  const runs: RunOf[] = [];
  const stages: Stage[] = ['reading', 'sending'].map((name) => ({
    name,
    run: async ({ run }) => {
      if (name === 'sending' && run) runs.push(run);
      return { text: name };
    },
  }));
  return { runs, stages };
}

async function runRows(address: TaskAddress) {
  const rows = await runsOf(opened.table, address, 100);
  return rows.map(({ value: { state, run } }) => [run?.number, run?.slotAt, state]).reverse();
}

const slot = (days: number) => firstSlot + days * DAY;

/** A table that executes the call of the given number and then fails, which simulates a crash of the caller. */
function dying(number: number) {
  let calls = 0;
  const table = interceptedTable(opened.table, async (_call, go) => {
    if (calls > number) throw new Error('It is dead.');
    const answer = await go();
    if (calls++ === number) throw new Error('It dies.');
    return answer;
  });
  return { table, isOver: () => calls <= number };
}

/** Runs only the reconciler and other workers for ten minutes. */
async function runOtherWorkers(address: TaskAddress, stages: Stage[]): Promise<void> {
  for (let minutes = 0; minutes < 10; minutes++) {
    opened.clock.pass(MINUTE);
    await tickTask({ ...opened, lanes: LANES }, taskKey(address));
    for (const _hint of await opened.hinted()) await worker(opened, stages).run(address);
  }
}

describe('a task that recurs', () => {
  it('runs each slot once when it is hinted one to three times, early and late', async () => {
    const address = await submitRecurring();
    const { runs, stages } = noting();
    for (let day = 0; day < 9; day++) {
      setTo(slot(day) - 1);
      await worker(opened, stages).run(address);
      setTo(slot(day));
      for (let times = 0; times <= day % 3; times++) {
        await Promise.all([worker(opened, stages).run(address), worker(opened, stages).run(address)]);
        opened.clock.pass(times * MINUTE);
      }
    }
    const expected = Array.from({ length: 9 }, (_, day) => ({ number: day + 1, slotAt: slot(day) }));
    expect(runs).toEqual(expected);
    expect(await runRows(address)).toEqual(expected.map(({ number, slotAt }) => [number, slotAt, 'succeeded']));
  });

  it('runs each slot once and misses none when a worker crashes between any two steps', {
    timeout: 60_000,
  }, async () => {
    let died = 0;
    for (let number = 0; ; number++) {
      const address = await submitRecurring();
      const { stages } = noting();
      setTo(slot(0));
      const { table, isOver } = dying(number);
      await worker({ ...opened, table: table as TaskSetup['table'] }, stages)
        .run(address)
        .catch(() => undefined);
      if (isOver()) break;
      died++;
      await runOtherWorkers(address, stages);
      expect(await runRows(address), `${number}`).toEqual([[1, slot(0), 'succeeded']]);
      expect(await opened.task(address)).toMatchObject({ state: 'queued', recurs: { run: 2, slotAt: slot(1) } });
      firstSlot += DAY;
      setTo(slot(0) - MINUTE);
    }
    expect(died).toBe(8);
  });

  it('runs its slot within two minutes when no schedule fires, and has a schedule from then on', async () => {
    const address = await submitRecurring();
    const { runs, stages } = noting();
    setTo(slot(0));
    expect((await opened.scheduler.list({ limit: 10 })).rows).toEqual([]);
    for (let minutes = 0; minutes < 2 && runs.length === 0; minutes++) {
      opened.clock.pass(MINUTE);
      await tickTask({ ...opened, lanes: LANES }, taskKey(address));
      for (const _hint of await opened.hinted()) await worker(opened, stages).run(address);
    }
    expect(runs).toEqual([{ number: 1, slotAt: slot(0) }]);
    expect((await opened.scheduler.list({ limit: 10 })).rows).toEqual([address]);
  });

  it('is punctual through its schedule, which the first look creates', async () => {
    const address = await submitRecurring();
    await tickTask({ ...opened, lanes: LANES }, taskKey(address));
    expect(await opened.hinted()).toEqual([]);
    setTo(slot(3));
    await opened.scheduler.tick();
    expect(await opened.hinted()).toEqual([address.taskId]);
  });

  it('runs at its due time when its schedule cannot be created', async () => {
    const address = await submitRecurring();
    const scheduler = { ...opened.scheduler, put: () => Promise.reject(new Error('The scheduler is away.')) };
    const look = () => tickTask({ ...opened, scheduler, lanes: LANES }, taskKey(address));
    await expect(look()).rejects.toThrow('away');
    setTo(slot(0) + MINUTE);
    await look();
    expect(await opened.hinted()).toEqual([address.taskId]);
  });

  it('is hinted again for its exact second when its schedule fires slightly early', async () => {
    firstSlot += 30_000;
    const address = await opened.submit({}, { firstAt: firstSlot, recurs: 'd 000030 UTC' });
    setTo(slot(0) - 30_000);
    const { runs, stages } = noting();
    await worker(opened, stages).run(address);
    expect([runs, await opened.hinted()]).toEqual([[], []]);
    opened.clock.pass(30_000);
    expect(await opened.hinted()).toEqual([address.taskId]);
  });

  it('loses its schedule when it is cancelled, and its rows expire', async () => {
    const address = await submitRecurring();
    const { stages } = noting();
    setTo(slot(0));
    await tickTask({ ...opened, lanes: LANES }, taskKey(address));
    await worker(opened, stages).run(address);
    expect(await opened.table.get(detailsKey(address))).not.toHaveProperty('expiresAt');
    await moveTask(opened, address, { type: 'cancel', force: false });
    await tickTask({ ...opened, lanes: LANES }, taskKey(address));
    expect((await opened.scheduler.list({ limit: 10 })).rows).toEqual([]);
    opened.clock.pass(30 * DAY + 1);
    const { rows } = await opened.table.rows(taskKey(address).pk, '', { limit: 100 });
    expect(rows).toEqual([]);
  });

  it('keeps its schedule in a sweep, which removes only schedules without a task', async () => {
    const [open, over, gone] = [
      await submitRecurring(),
      await submitRecurring(),
      { ...(await submitRecurring()), taskId: opened.ids.uuid() },
    ];
    for (const task of [open, over, gone])
      await opened.scheduler.put(task, { priority: 5, timing: { by: 'd 000000 UTC' } });
    await moveTask(opened, over, { type: 'cancel', force: false });
    await scheduleRepairer({ ...opened, table: opened.table as Table })();
    expect((await opened.scheduler.list({ limit: 10 })).rows).toEqual([open]);
  });
});
