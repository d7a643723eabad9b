/** What a submit had in its hands, and a worker of the same process takes without a look at the table. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resultOfAttempt } from '../../shared/tasks/details.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { freshTasks, submitTask } from '../../shared/tasks/submit.ts';
import { moveTask } from '../../shared/tasks/transition.ts';
import { countedReads } from './counted-reads.ts';
import { type Opened, openTasks, worker } from './opened.ts';

let opened: Opened;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

/** A worker beside the API, which says how many rows it read before it began. */
function beside() {
  const fresh = freshTasks();
  const { table, read } = countedReads(opened.table);
  const told: unknown[] = [];
  const stage = {
    name: 'answering',
    run: async ({ input }: { input: unknown }) => ({ text: String(told.push(input)) }),
  };
  return {
    told,
    read,
    async submit(prompt: string, organization = opened.organization): Promise<TaskAddress> {
      const address = { organization, taskId: opened.ids.uuid() };
      const given = { face: 'agents', type: 'made', priority: 5, about: { input: { prompt } } } as const;
      await submitTask({ ...opened, fresh }, address, given);
      return address;
    },
    run: (address: TaskAddress) => worker({ ...opened, table, fresh }, [stage]).run(address),
  };
}

it('is run as it was submitted, and read by a worker that runs it again', async () => {
  const { submit, run, read, told } = beside();
  const address = await submit('When?');
  await run(address);
  expect([read(), told]).toEqual([0, [{ prompt: 'When?' }]]);
  expect(await resultOfAttempt(opened.table, address, 1)).toEqual({ text: '1' });
  await run(address);
  expect([read(), told.length]).toEqual([2, 1]);
});

it('is run with all of an input that the table keeps apart', async () => {
  const { submit, run, told } = beside();
  const long = 'Why? '.repeat(2_000);
  await run(await submit(long));
  expect(told).toEqual([{ prompt: long }]);
});

it('is only a copy: a task that was cancelled meanwhile is not run', async () => {
  const { submit, run, told } = beside();
  const address = await submit('When?');
  await moveTask(opened, address, { type: 'cancel', force: false });
  await run(address);
  expect(told).toEqual([]);
  expect(await opened.task(address)).toMatchObject({ state: 'cancelled', attempt: 0 });
});

it('is of its own organization', async () => {
  const { submit, run, told } = beside();
  const { taskId } = await submit('When?');
  await run({ organization: opened.ids.uuid(), taskId });
  expect(told).toEqual([]);
});

it('is kept of so many and no more; the others are read', async () => {
  const { submit, run, read, told } = beside();
  for (let before = 0; before < 1_000; before++) await submit('Before?');
  const address = await submit('Behind?');
  await run(address);
  expect([read(), told]).toEqual([2, [{ prompt: 'Behind?' }]]);
});
