/** Applying an event to a task by optimistic updates, with retries when another writer was first. */

import { expect } from 'vitest';
import type { ReplaceOptions, Row, Table } from '../../../shared/ports.ts';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { Effect, StartedTask, Task } from '../../../shared/tasks/task.ts';
import type { Engine, EngineScenario } from './engine.ts';
import { interceptedTable, type TableCall } from './intercepted-table.ts';
import { openTasks, type TaskSetup } from './setup.ts';
import { beat, CANCEL, CLAIM, MINUTE, REMINDER, SECOND, SEND, succeeds, TICK } from './task-scenario.ts';

type SubmittedTask = Awaited<ReturnType<typeof submittedTask>>;

/** A submitted task, with a record of the calls to the table and the queues when an event is applied. */
async function submittedTask(engine: Engine, opened: TaskSetup, start: StartedTask = {}) {
  const address = await opened.submit({}, start);
  const calls: string[] = [];
  const hinted: { effects: readonly Effect[]; about: TaskAddress & { priority: number } }[] = [];
  const news: { effects: readonly Effect[]; task: Task }[] = [];
  let meddle: (call: TableCall) => Promise<'lose' | undefined> = async () => undefined;
  const table: Table = interceptedTable(opened.table, async (call, go) => {
    calls.push(call.name);
    if (calls.length > 50) throw new Error('It never ends.');
    return (await meddle(call)) === 'lose' ? (undefined as never) : go();
  });
  const hints = async (effects: readonly Effect[], about: TaskAddress & { priority: number }) => {
    calls.push('hints');
    hinted.push({ effects, about });
  };
  const notifyTask = (effects: readonly Effect[], about: TaskAddress, task: Task) => {
    calls.push('tell');
    expect(about).toEqual(address);
    news.push({ effects, task });
  };
  const move = (event: TaskEvent, stored?: Row<Task>) =>
    engine.moveTask(
      { table, clock: opened.clock, hints, notifyTask: notifyTask },
      address,
      event,
      stored ? { cachedRow: stored } : {},
    );
  return {
    address,
    calls,
    hinted,
    news,
    move,
    row: async () => (await opened.table.get<Task>(taskKey(address))) as Row<Task>,
    meddle: (way: typeof meddle) => {
      meddle = way;
    },
  };
}

/** For each event, whether its write has relaxed durability; the task has a webhook and has waited for `waitMs`. */
async function relaxedWrites(engine: Engine, opened: TaskSetup, events: TaskEvent[], waitMs = 0): Promise<boolean[]> {
  const address = await opened.submit({ endpoint: 'https://receiver.example.com/hook' });
  opened.clock.pass(waitMs);
  const fading: boolean[] = [];
  const table = interceptedTable(opened.table, async ({ name, args }, go) => {
    if (name === 'replace') fading.push((args[2] as ReplaceOptions | undefined)?.durability === 'relaxed');
    return go();
  });
  for (const event of events)
    await engine.moveTask({ table, clock: opened.clock, hints: opened.hints }, address, event);
  return fading;
}

type Scenario = (subject: SubmittedTask, opened: TaskSetup, engine: Engine) => Promise<void>;

const scenario = (words: string, run: Scenario, start: (now: number) => StartedTask = () => ({})): EngineScenario => ({
  promise: words,
  async check(engine) {
    const opened = openTasks();
    try {
      await run(await submittedTask(engine, opened, start(opened.clock.now())), opened, engine);
    } finally {
      opened.close();
    }
  },
});

/** A promise about a recurring task whose first slot is now. */
const scenarioOfRecurring = (words: string, run: Scenario): EngineScenario =>
  scenario(words, run, (now) => ({ firstAt: now, recurs: 'd 120000 UTC' }));

export const MOVING: readonly EngineScenario[] = [
  scenarioOfRecurring(
    'moves a run to its own rows as soon as it has ended, before any notification',
    async (subject, opened) => {
      await subject.move(CLAIM);
      subject.calls.length = 0;
      expect(await subject.move(succeeds(1))).toMatchObject({ row: { value: { state: 'succeeded' } } });
      expect(subject.calls).toEqual(
        ['replace', 'tell', 'hints', 'insert', 'replace', 'tell', 'hints'].toSpliced(0, 0, 'get'),
      );
      const run = await opened.table.get<Task>(taskKey({ ...subject.address, run: 1 }));
      expect(run).toMatchObject({
        value: { state: 'succeeded', run: { number: 1 } },
        expiresAt: opened.clock.now() + 400 * 24 * 60 * MINUTE,
      });
      expect(run).not.toHaveProperty('listed');
      expect((await subject.row()).value).toMatchObject({ state: 'queued', recurs: { run: 2 } });
    },
  ),
  scenarioOfRecurring('ends a run even when it cannot be moved to its own rows immediately', async (subject) => {
    await subject.move(CLAIM);
    subject.meddle(async ({ name }) => {
      if (name === 'insert') throw new Error('The table is away.');
      return undefined;
    });
    expect(await subject.move(succeeds(1))).toMatchObject({ row: { value: { state: 'succeeded' } } });
    expect(await subject.row()).toMatchObject({ listed: { state: 'recurring' }, dueAt: expect.any(Number) });
  }),
  scenario('rejects an event immediately when the row was just read', async (subject, opened, engine) => {
    const stored = await subject.row();
    const ports = {
      ...opened,
      table: interceptedTable(opened.table, async () => Promise.reject(new Error('Nothing is read.'))),
    };
    expect(await engine.moveTask(ports, subject.address, succeeds(7), { cachedRow: stored, isCurrent: true })).toEqual({
      row: stored,
      ignored: 'stale',
    });
  }),
  scenario('reads a task, replaces the version that was read, and only then notifies and hints', async (subject) => {
    const outcome = await subject.move(CANCEL);
    expect(subject.calls).toEqual(['get', 'replace', 'tell', 'hints']);
    expect(outcome).toEqual({ row: await subject.row() });
    expect(outcome?.row.value.state).toBe('cancelled');
    expect(subject.news).toEqual([{ effects: subject.hinted[0]?.effects, task: outcome?.row.value }]);
  }),
  scenario('writes claims, and nothing else, with relaxed durability', async (_, opened, engine) => {
    expect(await relaxedWrites(engine, opened, [CLAIM, beat(1), CANCEL, succeeds(1), SEND])).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(await relaxedWrites(engine, opened, [{ type: 'cancel', force: true }])).toEqual([false]);
    expect(await relaxedWrites(engine, opened, [CLAIM], 25 * 60 * MINUTE)).toEqual([false]); // after the deadline the claim ends the task
  }),
  scenario('passes the effects on with the address and the priority', async (subject, opened) => {
    opened.clock.pass(MINUTE);
    await subject.move(TICK);
    expect(subject.hinted).toEqual([{ effects: [REMINDER()], about: { ...subject.address, priority: 5 } }]);
  }),
  scenario('reports a missing task as missing', async (_subject, opened, engine) => {
    const nowhere = { organization: opened.organization, taskId: opened.ids.uuid() };
    expect(await engine.moveTask(opened, nowhere, CLAIM)).toBeUndefined();
  }),
  scenario('saves the read while no other writer has changed the held row', async (subject) => {
    const stored = await subject.row();
    const claimed = await subject.move(CLAIM, stored);
    await subject.move(beat(1, { progress: 10 }), claimed?.row);
    expect(subject.calls).toEqual(['replace', 'tell', 'hints', 'replace', 'tell', 'hints']);
    expect((await subject.row()).value).toMatchObject({ state: 'running', progress: 10 });
  }),
  scenario('decides again over a fresh read when another writer was faster', async (subject) => {
    const stored = await subject.row();
    await subject.move(CLAIM, stored);
    subject.calls.length = 0;
    expect(await subject.move(CANCEL, stored)).toMatchObject({ row: { value: { state: 'running', attempt: 1 } } });
    expect(subject.calls).toEqual(['replace', 'get', 'replace', 'tell', 'hints']);
    expect((await subject.row()).value).toHaveProperty('cancelAt');
  }),
  scenario('rejects an event only after a fresh read', async (subject, opened) => {
    const claimed = await subject.move(CLAIM);
    const stale = claimed?.row as Row<Task>;
    await subject.move({ type: 'yield', attempt: 1 });
    subject.calls.length = 0;
    expect(await subject.move(CLAIM, stale)).toMatchObject({ row: { value: { state: 'running', attempt: 2 } } });
    expect(subject.calls).toEqual(['get', 'replace', 'tell', 'hints']);
    opened.clock.pass(SECOND);
    expect(await subject.move(CLAIM)).toEqual({ row: await subject.row(), ignored: 'leased' });
  }),
  scenario('writes and hints nothing when the event is rejected', async (subject) => {
    await subject.move(CLAIM);
    const before = await subject.row();
    subject.calls.length = 0;
    expect(await subject.move(succeeds(7))).toEqual({ row: before, ignored: 'stale' });
    expect(subject.calls).toEqual(['get']);
  }),
  scenario('retries ten times while other writers keep changing the task', async (subject) => {
    let lost = 0;
    subject.meddle(async ({ name }) => (name === 'replace' && ++lost < 10 ? 'lose' : undefined));
    expect(await subject.move(CANCEL)).toMatchObject({ row: { value: { state: 'cancelled' } } });
    expect(lost).toBe(10);
    expect(subject.hinted).toHaveLength(1);
  }),
  scenario('gives up as busy after ten conflicts, without a hint', async (subject) => {
    subject.meddle(async ({ name }) => (name === 'replace' ? 'lose' : undefined));
    await expect(subject.move(CANCEL)).rejects.toMatchObject({ code: 'busy' });
    expect(subject.calls.filter((name) => name === 'replace')).toHaveLength(10);
    expect(subject.calls).not.toContain('hints');
  }),
  scenario(
    'keeps the index attributes of the row for lists, the reconciler and the expiry',
    async (subject, opened) => {
      const waiting = await subject.row();
      const createdAt = opened.clock.now();
      expect(waiting).toMatchObject({ listed: { state: 'queued', at: createdAt }, dueAt: createdAt + MINUTE });
      expect(waiting).not.toHaveProperty('expiresAt');
      opened.clock.pass(SECOND);
      await subject.move(CLAIM);
      // The task stays open, and the first hint's due time is early enough for the lease, so the indexes need no write.
      const { listed, dueAt } = waiting;
      expect(await subject.row()).toMatchObject({ listed, dueAt, value: { state: 'running' } });
      await subject.move({ type: 'yield', attempt: 1 });
      expect(await subject.row()).toMatchObject({ listed, value: { state: 'queued' } });
      await subject.move(CLAIM);
      opened.clock.pass(SECOND);
      await subject.move(succeeds(2));
      const ended = await subject.row();
      const endedAt = createdAt + 2 * SECOND;
      expect(ended).toMatchObject({
        listed: { state: 'succeeded', endedAt },
        expiresAt: endedAt + 30 * 24 * 60 * MINUTE,
      });
      expect(ended).not.toHaveProperty('dueAt');
    },
  ),
];
