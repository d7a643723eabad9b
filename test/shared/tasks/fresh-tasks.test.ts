/** Freshly submitted tasks, which a worker in the same process runs without reading the table. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freshTasks } from '../../../shared/tasks/fresh-tasks.ts';
import { resultOfAttempt } from '../../../shared/tasks/results.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { countReads } from './counted-reads.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

/** A worker in the API's process that reports how many rows it has read. */
function besideWorker() {
  const fresh = freshTasks();
  const { table, read } = countReads(opened.table);
  const inputs: unknown[] = [];
  const stage = {
    name: 'answering',
    run: async ({ input }: { input: unknown }) => ({ text: String(inputs.push(input)) }),
  };
  return {
    inputs,
    read,
    async submit(prompt: string, organization = opened.organization): Promise<TaskAddress> {
      const address = { organization, taskId: opened.ids.uuid() };
      const submission = { face: 'agents', type: 'made', priority: 5, about: { input: { prompt } } } as const;
      await submitTask({ ...opened, fresh }, address, submission);
      return address;
    },
    run: (address: TaskAddress) => worker({ ...opened, table, fresh }, [stage]).run(address),
  };
}

it('is run as it was submitted, and read by a worker that runs it again', async () => {
  const { submit, run, read, inputs } = besideWorker();
  const address = await submit('When?');
  await run(address);
  expect([read(), inputs]).toEqual([0, [{ prompt: 'When?' }]]);
  expect(await resultOfAttempt(opened.table, address, 1)).toEqual({ text: '1' });
  await run(address);
  expect([read(), inputs.length]).toEqual([2, 1]);
});

it('is run with its whole input, even if the table stores it in several rows', async () => {
  const { submit, run, inputs } = besideWorker();
  const long = 'Why? '.repeat(2_000);
  await run(await submit(long));
  expect(inputs).toEqual([{ prompt: long }]);
});

it('is only a copy: a task that was cancelled meanwhile is not run', async () => {
  const { submit, run, inputs } = besideWorker();
  const address = await submit('When?');
  await moveTask(opened, address, { type: 'cancel', force: false });
  await run(address);
  expect(inputs).toEqual([]);
  expect(await opened.task(address)).toMatchObject({ state: 'cancelled', attempt: 0 });
});

it('is found only under its own organization', async () => {
  const { submit, run, inputs } = besideWorker();
  const { taskId } = await submit('When?');
  await run({ organization: opened.ids.uuid(), taskId });
  expect(inputs).toEqual([]);
});

it('is cached up to a limit; tasks beyond it are read from the table', async () => {
  const { submit, run, read, inputs } = besideWorker();
  for (let before = 0; before < 1_000; before++) await submit('Before?');
  const address = await submit('Behind?');
  await run(address);
  expect([read(), inputs]).toEqual([2, [{ prompt: 'Behind?' }]]);
});
