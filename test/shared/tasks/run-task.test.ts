/** Tests how a worker runs a task. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { AgentReport } from '../../../shared/tasks/agent-report.ts';
import { failureOf } from '../../../shared/tasks/failure-message.ts';
import { resultOfAttempt } from '../../../shared/tasks/results.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { TASK_LIMITS } from '../../../shared/tasks/task.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

const answer: Stage = { name: 'answering', run: async () => ({ text: 'done' }) };

/** A stage that blocks until the test opens it. */
function gate(result: unknown = { text: 'late' }) {
  const entered = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const stage: Stage = {
    name: 'waiting',
    async run() {
      entered.resolve();
      await open.promise;
      return result;
    },
  };
  return { stage, entered: entered.promise, open: open.resolve };
}

describe('a task', () => {
  it('is hinted when it is accepted, and succeeds with the result of the last stage', async () => {
    const address = await opened.submit();
    expect(await opened.hinted()).toEqual([address.taskId]);
    await worker(opened, [answer]).run(address);
    const task = await opened.task(address);
    expect(task).toMatchObject({ state: 'succeeded', progress: 100, attempt: 1, resultOf: 1 });
    expect(await resultOfAttempt(opened.table, address, 1)).toEqual({ text: 'done' });
  });

  it('is run by one of two workers', async () => {
    const address = await opened.submit();
    const gated = gate();
    const firstRun = worker(opened, [gated.stage]).run(address);
    await gated.entered;
    await worker(opened, [answer]).run(address);
    expect(await opened.task(address)).toMatchObject({ state: 'running', attempt: 1 });
    gated.open();
    await firstRun;
    expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('continues from its last checkpoint when a worker hands it over', async () => {
    const address = await opened.submit();
    await opened.hinted();
    const ran: string[] = [];
    const read: Stage = {
      name: 'reading',
      run: async () => {
        ran.push('reading');
        return { pages: 3 };
      },
    };
    const gated = gate();
    const leaving = worker(opened, [read, gated.stage]);
    const leavingRun = leaving.run(address);
    await gated.entered;
    leaving.stopController.abort();
    await leavingRun;
    expect(await opened.task(address)).toMatchObject({ state: 'queued', failures: 0, checkpoint: 1, stage: 'waiting' });
    expect(await opened.hinted()).toEqual([address.taskId]);

    const write: Stage = { name: 'writing', run: async (_work, carried) => ({ text: JSON.stringify(carried) }) };
    await worker(opened, [read, write]).run(address);
    expect(ran).toEqual(['reading']);
    expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(await resultOfAttempt(opened.table, address, 2)).toEqual({ text: '{"pages":3}' });
  });

  it('is not changed by a worker that froze past its lease', async () => {
    const address = await opened.submit();
    const gated = gate();
    const frozen = worker(opened, [gated.stage]).run(address);
    await gated.entered;
    opened.clock.pass(61_000);
    await worker(opened, [answer]).run(address);
    gated.open();
    await frozen;
    expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 2, resultOf: 2, vanished: 1 });
    expect(await resultOfAttempt(opened.table, address, 2)).toEqual({ text: 'done' });
  });

  it('ends at the third attempt that ends in an error, with backoff before each repeat', async () => {
    const address = await opened.submit();
    await opened.hinted();
    const broken = worker(opened, [
      {
        name: 'breaking',
        run: async () => {
          throw new Error('an inner secret');
        },
      },
    ]);
    await broken.run(address);
    expect(await opened.task(address)).toMatchObject({ state: 'queued', failures: 1 });
    await broken.run(address);
    expect(await opened.task(address)).toMatchObject({ state: 'queued', attempt: 1 });
    expect(await opened.hinted()).toEqual([]);
    opened.clock.pass(5_000);
    expect(await opened.hinted()).toEqual([address.taskId]);
    await broken.run(address);
    opened.clock.pass(30_000);
    await broken.run(address);
    expect(await opened.task(address)).toMatchObject({ state: 'failed', code: 'PROCESSING_FAILED', failures: 3 });
    const result = await resultOfAttempt(opened.table, address, 3);
    expect(result?.failure?.message).toBe('The task could not be processed.');
  });

  it('waits without a failed attempt while its model is busy, and goes on from its checkpoint', async () => {
    const address = await opened.submit();
    await opened.hinted();
    const until = opened.clock.now() + 30_000;
    let isBusy = true;
    const ran: string[] = [];
    const read: Stage = { name: 'reading', run: async () => ran.push('reading') };
    const ask: Stage = {
      name: 'asking',
      async run({ hasWaited = false }) {
        ran.push(hasWaited ? 'asking again' : 'asking');
        const wait = { waitsFor: 'openai/m: 429', until };
        if (isBusy) throw new TaskFailure('MODEL_UNAVAILABLE', 'The model is busy.', { wait });
        return { text: 'done' };
      },
    };
    const { run } = worker(opened, [read, ask]);
    await run(address);
    expect(await opened.task(address)).toMatchObject({
      state: 'queued',
      queuedAt: until,
      failures: 0,
      waitsFor: 'openai/m: 429',
    });
    expect(await resultOfAttempt(opened.table, address, 1)).toBeUndefined();
    await run(address);
    isBusy = false;
    opened.clock.pass(30_000);
    expect(await opened.hinted()).toEqual([address.taskId]);
    await run(address);
    expect(ran).toEqual(['reading', 'asking', 'asking again']);
    expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 2, failures: 0 });
  });

  it('says for which model it waited when its time is over', async () => {
    const address = await opened.submit();
    const wait = { waitsFor: 'openai/m: 503', until: Number.MAX_SAFE_INTEGER };
    const busy: Stage = {
      name: 'asking',
      run: () => Promise.reject(new TaskFailure('MODEL_UNAVAILABLE', 'The model is busy.', { wait })),
    };
    const { run } = worker(opened, [busy]);
    await run(address);
    opened.clock.pass(TASK_LIMITS.defaultTimeoutMs);
    await run(address);
    expect(failureOf(await opened.task(address), undefined)).toEqual({
      code: 'TASK_TIMEOUT',
      message:
        'The task waited for its model until its timeout (openai/m: 503); submit it again later, or name another model.',
    });
  });

  it('notes in its result that a second model answered, even in an earlier attempt', async () => {
    const address = await opened.submit({ input: { standbyModel: 'openai/second' } });
    let attempt = 0;
    const ask: Stage = {
      name: 'asking',
      async run({ standby }) {
        standby?.note(`${standby.model} answered.`);
        return { pages: 3 };
      },
    };
    const write: Stage = {
      name: 'writing',
      async run() {
        if (++attempt === 1) throw new TaskFailure('MODEL_UNAVAILABLE', 'Not now.', { mayPass: true });
        return { text: 'done', warnings: ['A file was empty.'] };
      },
    };
    const { run } = worker(opened, [ask, write]);
    await run(address);
    opened.clock.pass(5_000);
    await run(address);
    expect(await resultOfAttempt(opened.table, address, 2)).toEqual({
      text: 'done',
      warnings: ['A file was empty.', 'openai/second answered.'],
    });
  });

  it('notes it for a background agent in its report, and nothing where there is no second model', async () => {
    const report: AgentReport = { results: {}, preview: {}, sources: 0, queries: 0 };
    const write: Stage = {
      name: 'writing',
      async run({ standby }) {
        standby?.note('openai/second answered.');
        return { report };
      },
    };
    const withSecond = await opened.submit({ input: { standbyModel: 'openai/second' } });
    const without = await opened.submit();
    for (const address of [withSecond, without]) await worker(opened, [write]).run(address);
    const reportOf = async (address: TaskAddress) => (await resultOfAttempt(opened.table, address, 1))?.report;
    expect(await reportOf(withSecond)).toEqual({ ...report, warnings: ['openai/second answered.'] });
    expect(await reportOf(without)).toEqual(report);
  });

  it('fails immediately with the message of a permanent failure', async () => {
    const address = await opened.submit();
    const failure = new TaskFailure('FILE_UNAVAILABLE', 'The file a.txt is gone.');
    await worker(opened, [{ name: 'reading', run: () => Promise.reject(failure) }]).run(address);
    expect(await opened.task(address)).toMatchObject({ state: 'failed', code: 'FILE_UNAVAILABLE', failures: 0 });
    const result = await resultOfAttempt(opened.table, address, 1);
    expect(result?.failure).toEqual({ code: 'FILE_UNAVAILABLE', message: 'The file a.txt is gone.' });
  });
});
