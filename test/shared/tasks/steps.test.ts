/** Writes between the stages of a task: checkpoints of repeatable work are stored only as often as they are worth it. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
let written: string[];
beforeEach(() => {
  opened = openTasks();
  written = [];
});
afterEach(() => opened.close());

/** Stages that each advance the clock by the given milliseconds. */
const stages = (...took: number[]): Stage[] =>
  took.map((ms, at) => ({
    name: `stage ${at + 1}`,
    mayRepeat: true,
    async run() {
      opened.clock.pass(ms);
      return { text: `after ${at + 1}` };
    },
  }));

/** A stage that returns its input unchanged. */
const idle = (ms: number): Stage => ({
  name: 'idle',
  async run(_work, carried) {
    opened.clock.pass(ms);
    return carried as object;
  },
});

/** Records the writes of the task and of its stages. */
function watching(): TaskSetup {
  const { table } = opened;
  const replace: typeof table.replace = (row, next, o) => {
    const prerequisiteNames = (o?.prerequisites ?? []).map(({ sk }) => sk.split('#').slice(0, 2).join('#'));
    written.push([...prerequisiteNames, 'TASK'].join('+'));
    return table.replace(row, next, o);
  };
  return { ...opened, table: { ...table, replace } };
}

const run = async (stageList: Stage[]) => worker(watching(), stageList).run(await opened.submit());
const ENDS = 'RESULT#1+TASK';

it('writes nothing while stages are short, and the task still ends', async () => {
  await run(stages(10, 10, 10, 10));
  expect(written).toEqual(['TASK', ENDS]);
});

it('writes progress once a second, and a checkpoint every ten seconds', async () => {
  await run(stages(1_000, 8_000, 1_000, 9_000, 400, 600, 10));
  const [progress, ended] = ['TASK', 'RESULT#1+TASK'];
  expect(written).toEqual([progress, progress, progress, 'STAGE#3+TASK', progress, 'STAGE#6+TASK', ended]);
});

it('immediately stores a stage that must not be repeated', async () => {
  const [first, ...otherStages] = stages(10, 10, 10);
  await run([{ ...(first as Stage), mayRepeat: false }, ...otherStages]);
  expect(written).toEqual(['TASK', 'STAGE#1+TASK', ENDS]);
});

it('does not immediately store a result that is marked as repeatable', async () => {
  const answering = (mayRepeat: boolean): Stage => ({ name: 'one', run: async () => ({ text: 'done', mayRepeat }) });
  const [last] = stages(10);
  await run([answering(true), last as Stage]);
  expect(written).toEqual(['TASK', ENDS]);
  written = [];
  await run([answering(false), last as Stage]);
  expect(written).toEqual(['TASK', 'STAGE#1+TASK', ENDS]);
});

it('stores nothing for a stage that returns its input, and continues from the stage before', async () => {
  const [first] = stages(10);
  const breaks: Stage = { name: 'breaking', run: () => Promise.reject(new Error('broken')) };
  const address = await opened.submit();
  await worker(watching(), [{ ...(first as Stage), mayRepeat: false }, idle(10), idle(11_000), idle(10), breaks]).run(
    address,
  );
  expect(written).toEqual(['TASK', 'STAGE#1+TASK', 'TASK', ENDS]);
  expect(await opened.task(address)).toMatchObject({ checkpoint: 1 });
  const carriedValues: unknown[] = [];
  const last: Stage = { name: 'last', run: async (_work, carried) => carriedValues.push(carried) };
  opened.clock.pass(10_000);
  await worker(opened, [first as Stage, idle(10), idle(10), idle(10), last]).run(address);
  expect(carriedValues).toEqual([{ text: 'after 1' }]);
});

it('stores a repeatable result in time even if the next stage returns its input', async () => {
  const [first, ...otherStages] = stages(10, 10);
  await run([first as Stage, idle(11_000), ...otherStages]);
  expect(written).toEqual(['TASK', 'STAGE#2+TASK', ENDS]);
});

it('stores the current state when the work ends early, so that the next worker continues from it', async () => {
  const [first] = stages(10);
  const breaks: Stage = { name: 'breaking', run: () => Promise.reject(new Error('broken')) };
  const address = await opened.submit();
  await worker(watching(), [first as Stage, breaks]).run(address);
  expect(written).toEqual(['TASK', 'STAGE#1+TASK', ENDS]);
  expect(await opened.task(address)).toMatchObject({ state: 'queued', failures: 1, checkpoint: 1 });
  const carriedValues: unknown[] = [];
  const last: Stage = { name: 'last', run: async (_work, carried) => carriedValues.push(carried) };
  opened.clock.pass(10_000);
  await worker(opened, [first as Stage, last]).run(address);
  expect(carriedValues).toEqual([{ text: 'after 1' }]);
});

it('stores earlier results while a long stage runs', async () => {
  const [first] = stages(10);
  const entered = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const long: Stage = {
    name: 'long',
    async run() {
      entered.resolve();
      await open.promise;
      return { text: 'done' };
    },
  };
  const address = await opened.submit();
  const working = worker(opened, [first as Stage, long]);
  const ran = working.run(address);
  await entered.promise;
  expect(await opened.task(address)).toMatchObject({ checkpoint: 0 });
  opened.clock.pass(10_000);
  working.beat();
  await vi.waitFor(async () => expect(await opened.task(address)).toMatchObject({ checkpoint: 1, stage: 'long' }));
  open.resolve();
  await ran;
});

it('is logged with the trace of the submit', async () => {
  const trace = { id: '4bf92f3577b34da6a3ce929d0e0e4736', flags: '01' };
  const address = await opened.submit({ trace });
  const breaks: Stage = { name: 'breaking', run: () => Promise.reject(new Error('broken')) };
  await worker(opened, [breaks]).run(address);
  opened.clock.pass(10_000);
  await worker(opened, stages(1)).run(address);
  const lines = opened.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ message, trace }) => [message, trace])).toEqual([
    ['an attempt failed', trace.id],
    ['a task ended', trace.id],
  ]);
});
