import { beforeEach, describe, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { scheduleInWords } from '../../../bin/operator/task.ts';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { resultDrafts } from '../../../shared/tasks/results.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { withAcme } from './errand.ts';
import { submitOne } from './submit-one.ts';

const { acme, json, refuses, run, state } = withAcme();

let address: TaskAddress;
beforeEach(async () => {
  address = await submitOne(state(), acme().id);
});

/** Runs the worker with the test's clock. */
async function happen(...events: [at: number, event: TaskEvent][]): Promise<Task | undefined> {
  const { table, close } = openLocal({ ERRAND_STATE: state() });
  for (const [at, event] of events) {
    await moveTask({ table, clock: { now: () => at }, hints: async () => undefined }, address, event);
  }
  const row = await table.get<Task>(taskKey(address));
  close();
  return row?.value;
}

const line = (verb: string) => ['task', verb, address.taskId, '--org', 'Acme'];

const attempts = async () =>
  (await json(line('show'))).timeline.map((each: { attempt: number; what: string }) => [each.attempt, each.what]);

describe('task show', () => {
  it('shows the stage and the input', async () => {
    const shown = await json(line('show'));
    expect(shown).toMatchObject({ stage: null, input: { prompt: expect.stringMatching(/\S/) } });
    expect((await run(line('show'))).stdout).toContain(`Input: {"prompt":"${shown.input.prompt.slice(0, 5)}`);
  });

  it('shows every attempt with its outcome and message', async () => {
    const now = Date.now();
    const { table, close } = openLocal({ ERRAND_STATE: state() });
    const failure = { code: 'MODEL_UNAVAILABLE', message: 'The model did not answer.' } as const;
    for (const draft of resultDrafts(address, { attempt: 1, result: { failure }, expiresAt: now + 1e9 })) {
      await table.insert(draft);
    }
    close();
    await happen(
      [now, { type: 'claim' }],
      [now + 10, { type: 'fault', attempt: 1, code: 'MODEL_UNAVAILABLE' }],
      [now + 6_000, { type: 'claim' }],
      [now + 70_000, { type: 'tick' }],
      [now + 71_000, { type: 'claim' }],
    );
    const shown = await json(line('show'));
    expect(shown).toMatchObject({ id: address.taskId, state: 'running', failures: 1, api: 'files-and-tasks' });
    expect(shown.timeline.map((each: { what: string; message: string }) => [each.what, each.message])).toEqual([
      ['MODEL_UNAVAILABLE', 'The model did not answer.'],
      ['vanished', null],
      ['running', null],
    ]);
    const { stdout } = await run(line('show'));
    expect(stdout).toMatch(/accepted[\s\S]*MODEL_UNAVAILABLE[\s\S]*vanished[\s\S]*running/);
  });

  it('shows no current stage after the last one has ended', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }], [now, { type: 'beat', attempt: 1, stage: 'planning', progress: 5 }]);
    expect((await run(line('show'))).stdout).toMatch(/It is running: 5 %, stage planning/);
    await happen([now, { type: 'finish', attempt: 1, as: 'succeeded' }]);
    expect((await run(line('show'))).stdout).toMatch(/\n\nIt has succeeded\.\nInput: [^\n]+\n$/);
    expect((await json(line('show'))).stage).toBeNull();
  });

  it('shows how a task ended, without its last percentage', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }], [now, { type: 'beat', attempt: 1, progress: 40 }]);
    await happen([now, { type: 'finish', attempt: 1, as: 'failed', code: 'FILE_UNAVAILABLE' }]);
    expect((await run(line('show'))).stdout).toMatch(/\n\nIt has failed: FILE_UNAVAILABLE\.\nInput: [^\n]+\n$/);
  });

  it('shows only the attempts that ran of a task that was cancelled between attempts', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }], [now + 10, { type: 'fault', attempt: 1, code: 'MODEL_UNAVAILABLE' }]);
    await happen([now + 20, { type: 'cancel', force: true }]);
    expect(await attempts()).toEqual([[1, 'MODEL_UNAVAILABLE']]);
  });

  it('shows the attempt that a forced cancel ended under the number it ran as', async () => {
    await happen([Date.now(), { type: 'claim' }], [Date.now(), { type: 'cancel', force: true }]);
    expect(await attempts()).toEqual([[1, 'cancelled']]);
    address = await submitOne(state(), acme().id);
    const now = Date.now();
    await happen(
      [now, { type: 'claim' }],
      [now + 10, { type: 'yield', attempt: 1 }],
      [now + 20, { type: 'claim' }],
      [now + 30, { type: 'cancel', force: false }],
      [now + 40, { type: 'cancel', force: true }],
    );
    expect(await attempts()).toEqual([
      [1, 'yielded'],
      [2, 'cancelled'],
    ]);
  });

  it('shows the attempt that was cancelled at a safe point under its own number', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }], [now, { type: 'cancel', force: false }]);
    await happen([now, { type: 'yield', attempt: 1 }]);
    expect((await json(line('show'))).timeline).toMatchObject([{ attempt: 1, what: 'cancelled' }]);
  });

  it.each([
    [true, 2],
    [false, 2],
  ])('shows the last attempt of a task that recurs, with force %s', async (force, attempt) => {
    const now = Date.now();
    address = await submitOne(state(), acme().id, { firstAt: now, recurs: 'd 080000 UTC' });
    await happen(
      [now, { type: 'claim' }],
      [now + 10, { type: 'yield', attempt: 1 }],
      [now + 20, { type: 'claim' }],
      [now + 30, { type: 'cancel', force }],
    );
    if (!force) await happen([now + 40, { type: 'yield', attempt: 2 }]);
    expect((await json(line('show'))).timeline).toMatchObject([{ attempt, what: 'cancelled' }]);
  });

  it.each([
    ['d 083000 UTC', 'every day at 08:30:00 UTC'],
    ['w1 083000 Europe/Berlin', 'every Monday at 08:30:00 Europe/Berlin'],
    ['m31 100000 America/New_York', 'on day 31 of every month at 10:00:00 America/New_York'],
  ])('describes the schedule %s in words', (text, words) => {
    expect(scheduleInWords(text)).toBe(words);
  });

  it('also accepts the id of the agent API, and finds no task of another organization', async () => {
    expect(await json(['task', 'show', `task_${address.taskId}`, '--org', 'Acme'])).toMatchObject({ state: 'queued' });
    await run(['org', 'create', 'Other']);
    await refuses(['task', 'show', address.taskId, '--org', 'Other'], /There is no task/);
  });
});

describe('task run-now', () => {
  const HOUR = 3_600_000;
  const recurs = 'd 080000 UTC';
  const begun = () => ({ firstAt: Date.now() + HOUR, recurs });

  it('runs a recurring task now, in addition to its slots, and shows its runs', async () => {
    const { firstAt } = begun();
    address = await submitOne(state(), acme().id, { firstAt, recurs });
    expect(await json(line('show'))).toMatchObject({
      state: 'queued',
      run: 1,
      schedule: 'every day at 08:00:00 UTC',
      nextRunAt: new Date(firstAt).toISOString(),
    });
    expect(await json(line('run-now'))).toEqual({ id: address.taskId, run: 1 });
    const now = Date.now();
    await happen([now, { type: 'claim' }]);
    await refuses(line('run-now'), /is running/);
    const task = await happen([now, { type: 'finish', attempt: 1, as: 'succeeded' }]);
    expect(task).toMatchObject({ state: 'queued', queuedAt: firstAt, recurs: { run: 2, slotAt: firstAt } });
    expect((await json(line('show'))).timeline).toMatchObject([{ what: 'run 1 succeeded' }]);
    expect((await run(line('show'))).stdout).toMatch(
      /run 1 succeeded[\s\S]*run 2, every day at 08:00:00 UTC, next at /,
    );
  });

  it('is refused for a one-time task, and for a cancelled one', async () => {
    await refuses(line('run-now'), /runs once/);
    address = await submitOne(state(), acme().id, begun());
    await happen([Date.now(), { type: 'cancel', force: false }]);
    await refuses(line('run-now'), /is cancelled/);
  });
});

describe('task redrive', () => {
  it('makes a task that backs off due now', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }], [now, { type: 'fault', attempt: 1, code: 'PROCESSING_FAILED' }]);
    await json(line('redrive'));
    const task = await happen();
    expect(task?.queuedAt).toBeLessThanOrEqual(Date.now());
    expect(task?.hintAt).toBeLessThanOrEqual(Date.now());
  });

  it('does not change a task that a worker holds, or one that has ended', async () => {
    const now = Date.now();
    await happen([now, { type: 'claim' }]);
    await refuses(line('redrive'), /runs, with a lease until/);
    await happen([now, { type: 'finish', attempt: 1, as: 'succeeded' }]);
    await refuses(line('redrive'), /has ended: submit it again/);
  });

  it('suggests run-now for a task that waits for its next run', async () => {
    address = await submitOne(state(), acme().id, { firstAt: Date.now() + 3_600_000, recurs: 'd 080000 UTC' });
    await refuses(line('redrive'), /waits for its next run: see task run-now/);
  });
});
