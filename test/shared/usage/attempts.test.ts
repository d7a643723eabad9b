/** The tokens of attempts are counted once, however attempts end. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAgentTask } from '../../../shared/agents/agent-task.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { usageOf } from '../../../shared/tasks/attempt-usage.ts';
import { getTask } from '../../../shared/tasks/get-task.ts';
import { resultOf } from '../../../shared/tasks/results.ts';
import { type TaskAddress, taskPartition } from '../../../shared/tasks/rows.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { tokensByDay } from '../../../shared/usage/daily-usage.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { openTasks, type TaskSetup, worker } from '../tasks/setup.ts';

let opened: TaskSetup;
let address: TaskAddress;
beforeEach(async () => {
  opened = openTasks();
  address = await opened.submit();
});
afterEach(() => opened.close());

const MODEL = 'openai/m';
const MINUTE_MS = 60_000;

/** Calls a model once, whose provider reports this many tokens. */
const asks = (inputTokens: number, then: () => unknown = () => ({ text: 'done' })): Stage => ({
  name: 'asking',
  async run({ meter }) {
    meter.use(MODEL);
    meter.begin(() => NO_TOKENS)({ inputTokens, outputTokens: 1 });
    return then();
  },
});

/** Calls a model that never answers. */
function hangs(inputTokens: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stage: Stage = {
    name: 'hanging',
    run({ meter }) {
      meter.use(MODEL);
      meter.begin(() => ({ inputTokens, estimatedInputTokens: inputTokens }));
      resolve();
      return new Promise(() => undefined);
    },
  };
  return { stage, asked: promise };
}

const breaks = (): never => {
  throw new Error('broken');
};

const today = async () => {
  const [day] = await tokensByDay(opened.table, opened.organization, opened.clock.now());
  const { date: _date, costUsd: _cost, ...tokens } = day ?? { date: '', costUsd: 0, ...NO_TOKENS };
  return { ...NO_TOKENS, ...tokens };
};

async function usageNow() {
  const task = await opened.task(address);
  const result = await resultOf(opened.table, address, task);
  return usageOf(opened.table, address, task, result?.usage);
}

const rows = async () => (await opened.table.rows(taskPartition(address), 'USAGE#', { limit: 10 })).rows;

const tokensOf = (inputTokens: number, outputTokens: number, estimatedInputTokens = 0) => ({
  ...NO_TOKENS,
  inputTokens,
  outputTokens,
  estimatedInputTokens,
});

it('counts a task that succeeds at once, and needs no row of its own for that', async () => {
  await worker(opened, [asks(100)]).run(address);
  expect(await today()).toEqual(tokensOf(100, 1));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(100, 1) });
  expect(await rows()).toEqual([]);
});

it('counts a task that fails for good', async () => {
  const failing = asks(100, () => {
    throw new TaskFailure('PROCESSING_FAILED', 'The model came to no end.');
  });
  await worker(opened, [failing]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'failed', code: 'PROCESSING_FAILED' });
  expect(await today()).toEqual(tokensOf(100, 1));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(100, 1) });
});

it('counts every attempt of a task that is tried three times, without a query, which workers may not make', async () => {
  const rows = () => Promise.reject(new Error('AccessDenied'));
  const onAws = { ...opened, table: { ...opened.table, rows } };
  for (const inputTokens of [100, 20]) {
    await worker(onAws, [asks(inputTokens, breaks)]).run(address);
    opened.clock.pass(MINUTE_MS);
  }
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(120, 2) });
  await worker(onAws, [asks(3)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 3 });
  expect(await today()).toEqual(tokensOf(123, 3));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(123, 3) });
});

it('keeps the tokens of the first attempts of a task that then waited for its model a hundred times', async () => {
  const away = () => {
    const wait = { waitsFor: `${MODEL}: 429`, until: opened.clock.now() + 1_000, awayMs: 0 };
    throw new TaskFailure('MODEL_UNAVAILABLE', 'The model is busy.', { wait });
  };
  for (let attempt = 1; attempt <= 105; attempt++) {
    await worker(opened, [attempt <= 12 ? asks(100, away) : { name: 'asking', run: async () => away() }]).run(address);
    opened.clock.pass(1_000);
  }
  await worker(opened, [asks(3)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 106 });
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(1_203, 13) });
});

it('estimates a call that a forced cancel aborts', async () => {
  const hanging = hangs(70);
  const working = worker(opened, [asks(100), hanging.stage]);
  const running = working.run(address);
  await hanging.asked;
  await moveTask(opened, address, { type: 'cancel', force: true });
  working.beat();
  await running;
  expect(await opened.task(address)).toMatchObject({ state: 'cancelled' });
  expect(await today()).toEqual(tokensOf(170, 1, 70));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(170, 1, 70) });
});

it('estimates a call that a timeout aborts', async () => {
  const hanging = hangs(70);
  const working = worker(opened, [hanging.stage]);
  const running = working.run(address);
  await hanging.asked;
  opened.clock.pass(61 * MINUTE_MS);
  working.beat();
  await running;
  expect(await opened.task(address)).toMatchObject({ state: 'failed', code: 'TASK_TIMEOUT' });
  expect(await today()).toEqual(tokensOf(70, 0, 70));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(70, 0, 70) });
});

it('counts a task that is handed over in both workers, and repeated work twice', async () => {
  const hanging = hangs(70);
  const leaving = worker(opened, [asks(100), hanging.stage]);
  const left = leaving.run(address);
  await hanging.asked;
  leaving.stopController.abort();
  await left;
  await worker(opened, [asks(100), asks(5)]).run(address);
  expect(await today()).toEqual(tokensOf(175, 2, 70));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(175, 2, 70) });
});

it('keeps what a worker had written with its heartbeat before it was killed', async () => {
  const hanging = hangs(70);
  const killed = worker(opened, [
    {
      ...hanging.stage,
      run: async (work, carried) => [await asks(100).run(work, carried), await hanging.stage.run(work, carried)],
    },
  ]);
  void killed.run(address);
  await hanging.asked;
  killed.beat();
  await expect.poll(today).toEqual(tokensOf(100, 1));
  // The heartbeat writes the attempt's row after the counters of the day.
  await expect.poll(rows).toHaveLength(1);
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(5)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 2, vanished: 1 });
  expect(await today()).toEqual(tokensOf(105, 2));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(105, 2) });
});

it('knows from a checkpoint what an attempt spent that was killed soon after it', async () => {
  const hanging = hangs(70);
  void worker(opened, [asks(100), hanging.stage]).run(address);
  await hanging.asked;
  expect(await opened.task(address)).toMatchObject({ checkpoint: 1 });
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(50, breaks)]).run(address);
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(5)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 3 });
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(155, 3) });
});

it('adds up what a killed attempt spent before its checkpoint, and what the next one spent after its own', async () => {
  const hanging = hangs(70);
  void worker(opened, [asks(100), hanging.stage]).run(address);
  await hanging.asked;
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(50), asks(20, breaks)]).run(address);
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(50), asks(3)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 3 });
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(173, 4) });
});

it('counts nothing twice if a worker that lost its lease writes after its checkpoint was continued', async () => {
  const hanging = hangs(70);
  const slow = worker(opened, [asks(100), hanging.stage]);
  const late = slow.run(address);
  await hanging.asked;
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(50), asks(20, breaks)]).run(address);
  slow.beat();
  await late;
  opened.clock.pass(2 * MINUTE_MS);
  await worker(opened, [asks(100), asks(50), asks(3)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 3 });
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(243, 4, 70) });
  expect(await today()).toEqual(tokensOf(243, 4, 70));
});

it.each(['agents', 'files-and-tasks'] as const)(
  'shows in %s what a killed attempt spent before its checkpoint, if the task then ends without a result',
  async (face) => {
    const task = await opened.submit({}, { face });
    const hanging = hangs(70);
    void worker(opened, [asks(100), hanging.stage]).run(task);
    await hanging.asked;
    opened.clock.pass(2 * MINUTE_MS);
    await moveTask(opened, task, { type: 'cancel', force: true });
    const { usage } = face === 'agents' ? await readAgentTask(opened, task) : await getTask(opened, task, face);
    expect(usage).toEqual({ model: MODEL, ...tokensOf(100, 1) });
  },
);

it('writes no row for the tokens of each stage, as the heartbeat and the end write them', async () => {
  const writes: string[] = [];
  const spend: typeof opened.table.spend = async (key, spent) => {
    writes.push(key.sk);
    return opened.table.spend(key, spent);
  };
  const insert: typeof opened.table.insert = async (draft, first) => {
    writes.push(draft.sk);
    return opened.table.insert(draft, first);
  };
  const counting = { ...opened, table: { ...opened.table, spend, insert } };
  await worker(counting, [asks(100), asks(20), asks(3)]).run(address);
  expect(await today()).toEqual(tokensOf(123, 3));
  expect(writes).toEqual([expect.stringMatching(/^DAY#/)]);
});

it('counts the tokens of a worker whose task was ended by another one before it finished', async () => {
  const cancelling = asks(100, async () => {
    await moveTask(opened, address, { type: 'cancel', force: true });
    return { text: 'too late' };
  });
  await worker(opened, [cancelling]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'cancelled' });
  expect(await today()).toEqual(tokensOf(100, 1));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(100, 1) });
});

it('reports the tokens of all attempts so far with the heartbeat', async () => {
  await worker(opened, [asks(100, breaks)]).run(address);
  opened.clock.pass(MINUTE_MS);
  const hanging = hangs(70);
  const working = worker(opened, [hanging.stage]);
  const running = working.run(address);
  await hanging.asked;
  working.beat();
  await expect.poll(async () => (await opened.task(address)).tokens).toBe(171);
  working.stopController.abort();
  await running;
});

it('does not fail a task that could not be counted, and counts it again', async () => {
  let faults = 1;
  const spend: typeof opened.table.spend = async (...o) => {
    if (faults-- > 0) throw new Error('no counters just now');
    return opened.table.spend(...o);
  };
  const faulty = { ...opened, table: { ...opened.table, spend } };
  await worker(faulty, [asks(100), asks(5)]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'succeeded' });
  expect(await today()).toEqual(tokensOf(105, 2));
  expect(opened.lines.join('')).toContain('the tokens of a task were not recorded');
});

it('counts an attempt whose result is too long to be kept', async () => {
  await worker(opened, [asks(100, () => ({ text: 'x'.repeat(6_000_000) }))]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'queued', failures: 1 });
  expect(await today()).toEqual(tokensOf(100, 1));
  expect(await usageNow()).toEqual({ model: MODEL, ...tokensOf(100, 1) });
});

it('does not count the tokens of one organization for another', async () => {
  await worker(opened, [asks(100)]).run(address);
  expect((await tokensByDay(opened.table, opened.ids.uuid(), opened.clock.now()))[0]).toMatchObject({
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
  });
});
