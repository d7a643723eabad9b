/** The contract of schedulers. Each tests by itself that it fires, as no emulator of EventBridge does. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScheduledTask, Scheduler, Timing } from '../../shared/ports.ts';

export type SchedulerHarness = { scheduler: Scheduler; close(): Promise<void> };

const PAGE = 10;
export const DAILY: Timing = { by: 'd 083000 Europe/Berlin' };
export const newTask = (organization: string = randomUUID()): ScheduledTask => ({ organization, taskId: randomUUID() });

export async function allIn(scheduler: Scheduler, limit = PAGE): Promise<ScheduledTask[]> {
  const schedules: ScheduledTask[] = [];
  for (let after: string | undefined; ; ) {
    const page = await scheduler.list({ limit, ...(after === undefined ? {} : { after }) });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    schedules.push(...page.rows);
    if (page.next === undefined) return schedules;
    after = page.next;
  }
}

const inOrder = (tasks: ScheduledTask[]): string[] =>
  tasks.map(({ organization, taskId }) => `${organization} ${taskId}`).sort();

export function schedulerContract(name: string, open: () => Promise<SchedulerHarness>): void {
  describe(name, () => {
    let harness: SchedulerHarness;
    let scheduler: Scheduler;
    beforeEach(async () => {
      harness = await open();
      scheduler = harness.scheduler;
    });
    afterEach(() => harness.close());

    const listSchedules = async () => inOrder(await allIn(scheduler));

    it('has nothing at first', async () => {
      expect(await scheduler.list({ limit: PAGE })).toEqual({ rows: [] });
    });

    it.each<[string, Timing]>([
      ['every day', DAILY],
      ['on a day of the week', { by: 'w7 000000 America/Argentina/ComodRivadavia' }],
      ['on a day of the month', { by: 'm1 235959 UTC' }],
      ['on a day that some months lack', { by: 'm29 120000 Asia/Kathmandu' }],
      ['on the last day of the month', { by: 'm31 120000 Pacific/Chatham' }],
      ['once', { at: Date.now() + 3_600_000 }],
    ])('takes what fires %s', async (_when, timing) => {
      const task = newTask();
      await scheduler.put(task, { priority: 5, timing });
      expect(await listSchedules()).toEqual(inOrder([task]));
    });

    it('has one schedule for a task, however often it is put', async () => {
      const task = newTask();
      await scheduler.put(task, { priority: 5, timing: DAILY });
      await scheduler.put(task, { priority: 5, timing: DAILY });
      await scheduler.put(task, { priority: 9, timing: { by: 'w1 083000 UTC' } });
      expect(await listSchedules()).toEqual(inOrder([task]));
    });

    it('has one schedule for each, put at the same time', async () => {
      const task = newTask();
      await Promise.all([1, 2, 3].map(() => scheduler.put(task, { priority: 5, timing: DAILY })));
      expect(await listSchedules()).toEqual(inOrder([task]));
    });

    it('tells tasks apart by their organization and by their own id', async () => {
      const sharedTask = newTask();
      const tasks = [sharedTask, newTask(sharedTask.organization), { ...newTask(), taskId: sharedTask.taskId }];
      for (const task of tasks) await scheduler.put(task, { priority: 5, timing: DAILY });
      expect(await listSchedules()).toEqual(inOrder(tasks));
      await scheduler.remove(sharedTask);
      expect(await listSchedules()).toEqual(inOrder(tasks.slice(1)));
    });

    it('leaves alone what is not there, and takes again what was removed', async () => {
      const [task, otherTask] = [newTask(), newTask()];
      await scheduler.put(otherTask, { priority: 5, timing: DAILY });
      await scheduler.remove(task);
      await scheduler.put(task, { priority: 5, timing: DAILY });
      await scheduler.remove(task);
      await scheduler.remove(task);
      expect(await listSchedules()).toEqual(inOrder([otherTask]));
      await scheduler.put(task, { priority: 5, timing: DAILY });
      expect(await listSchedules()).toEqual(inOrder([otherTask, task]));
    });

    it('is listed page by page, each once', async () => {
      const tasks = Array.from({ length: 2 * PAGE + 3 }, () => newTask());
      for (const task of tasks) await scheduler.put(task, { priority: 5, timing: DAILY });
      expect(await listSchedules()).toEqual(inOrder(tasks));
    });
  });
}
