/** The local scheduler: the contract, and when it fires. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localQueues } from '../../adapters/local/local-queues.ts';
import { localScheduler } from '../../adapters/local/scheduler.ts';
import { sqliteTable } from '../../adapters/local/sqlite-table.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { LANES } from '../../shared/core/lane.ts';
import type { Timing } from '../../shared/ports.ts';
import { addressOfHint } from '../../shared/tasks/hints.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { setClock } from './clock.ts';
import { allIn, DAILY, newTask, schedulerContract } from './scheduler.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function open() {
  const folder = temporaryFolder();
  const clock = setClock();
  const ids = makeIds(clock);
  const table = sqliteTable({ file: join(folder.path, 'state.db'), clock, ids });
  const queues = localQueues({ clock, ids });
  const start = () => localScheduler({ table, clock, lanes: queues.lanes });
  return {
    clock,
    scheduler: start(),
    /** As a restarted process. */
    start,
    setTo: (iso: string) => clock.pass(Date.parse(iso) - clock.now()),
    async hinted(lanes = LANES.slice()): Promise<string[]> {
      const hinted: string[] = [];
      for (const lane of lanes) {
        const received = await queues.lanes[lane].receive(10, 0);
        await queues.lanes[lane].done(received.map(({ receipt }) => receipt));
        hinted.push(...received.map(({ body }) => addressOfHint(body)?.taskId ?? ''));
      }
      return hinted;
    },
    async close() {
      table.close();
      folder.remove();
    },
  };
}

schedulerContract('the scheduler of one machine', async () => open());

describe('the scheduler of one machine, by the clock,', () => {
  let at: ReturnType<typeof open>;
  beforeEach(() => {
    at = open();
    at.setTo('2027-03-26T00:00:30Z');
  });
  afterEach(() => at.close());

  const put = async (timing: Timing, priority = 5): Promise<string> => {
    const task = newTask();
    await at.scheduler.put(task, { priority, timing });
    return task.taskId;
  };
  /** As a process that polls twice a minute. */
  async function runTo(iso: string): Promise<string[]> {
    const fired: string[] = [];
    while (at.clock.now() < Date.parse(iso)) {
      at.clock.pass(30_000);
      await at.scheduler.tick();
      if ((await at.hinted()).length > 0) fired.push(new Date(at.clock.now()).toISOString().slice(0, 16));
    }
    return fired;
  }

  it('fires once within the minute of each slot', async () => {
    await put({ by: 'd 083015 UTC' });
    expect(await runTo('2027-03-28T12:00:00Z')).toEqual(['2027-03-26T08:30', '2027-03-27T08:30', '2027-03-28T08:30']);
  });

  it('leaves out a time that the clocks skip, and fires once for one that they show twice', async () => {
    await put({ by: 'd 023000 Europe/Berlin' });
    expect(await runTo('2027-03-30T00:00:00Z')).toEqual(['2027-03-26T01:30', '2027-03-27T01:30', '2027-03-29T00:30']);
    at.setTo('2027-10-30T12:00:00Z');
    await at.scheduler.tick();
    expect(await runTo('2027-10-31T12:00:00Z')).toEqual(['2027-10-31T00:30']);
  });

  it('fires what is to fire once, though it is late, and forgets it then', async () => {
    const taskId = await put({ at: at.clock.now() + HOUR });
    at.clock.pass(HOUR - MINUTE);
    await at.scheduler.tick();
    expect(await at.hinted()).toEqual([]);
    at.clock.pass(3 * HOUR);
    await at.start().tick();
    expect(await at.hinted()).toEqual([]);
    at.clock.pass(MINUTE);
    await at.scheduler.tick();
    expect(await at.hinted()).toEqual([taskId]);
    expect(await allIn(at.scheduler)).toEqual([]);
  });

  it('knows its schedules after a restart, and fires nothing for the time it was away', async () => {
    const taskId = await put(DAILY);
    at.setTo('2027-03-27T20:00:00Z');
    const second = at.start();
    await second.tick();
    at.clock.pass(MINUTE);
    await second.tick();
    expect(await at.hinted()).toEqual([]);
    at.setTo('2027-03-28T06:30:00Z');
    await second.tick();
    expect(await at.hinted()).toEqual([taskId]);
  });

  it('hints into the lane of the priority, as it was put last', async () => {
    const [low, high] = [await put(DAILY, 1), await put(DAILY, 10)];
    const moved = newTask();
    await at.scheduler.put(moved, { priority: 1, timing: { by: 'd 120000 UTC' } });
    await at.scheduler.put(moved, { priority: 10, timing: DAILY });
    at.setTo('2027-03-26T07:30:00Z');
    await at.scheduler.tick();
    expect(await at.hinted(['low'])).toEqual([low]);
    expect((await at.hinted(['high'])).sort()).toEqual([high, moved.taskId].sort());
    expect(await at.hinted(['normal'])).toEqual([]);
  });

  it('does not fire what was removed', async () => {
    const task = newTask();
    await at.scheduler.put(task, { priority: 5, timing: DAILY });
    await at.scheduler.remove(task);
    expect(await runTo('2027-03-26T12:00:00Z')).toEqual([]);
  });
});
