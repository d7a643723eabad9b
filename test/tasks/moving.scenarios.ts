/** How an event comes to a task: over the version that was read, and over a fresh one when others were faster. */

import { expect } from 'vitest';
import type { Replacing, Row, Table } from '../../shared/ports.ts';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import type { Effect, StartedTask, Task } from '../../shared/tasks/task.ts';
import { around, type Call } from './around.ts';
import type { Engine, Kept } from './engine.ts';
import { type Opened, openTasks } from './opened.ts';
import { beat, CANCEL, CLAIM, MINUTE, REMINDER, SECOND, SEND, succeeds, TICK } from './story.ts';

type Moving = Awaited<ReturnType<typeof moving>>;

/** A submitted task, and what reaches the table and the queues when it is moved. */
async function moving(engine: Engine, opened: Opened, begun: StartedTask = {}) {
  const address = await opened.submit({}, begun);
  const calls: string[] = [];
  const hinted: { effects: readonly Effect[]; about: TaskAddress & { priority: number } }[] = [];
  const news: { effects: readonly Effect[]; task: Task }[] = [];
  let meddle: (call: Call) => Promise<'lose' | undefined> = async () => undefined;
  const table: Table = around(opened.table, async (call, go) => {
    calls.push(call.name);
    if (calls.length > 50) throw new Error('It never ends.');
    return (await meddle(call)) === 'lose' ? (undefined as never) : go();
  });
  const hints = async (effects: readonly Effect[], about: TaskAddress & { priority: number }) => {
    calls.push('hints');
    hinted.push({ effects, about });
  };
  const tell = (effects: readonly Effect[], about: TaskAddress, task: Task) => {
    calls.push('tell');
    expect(about).toEqual(address);
    news.push({ effects, task });
  };
  const move = (event: TaskEvent, held?: Row<Task>) =>
    engine.moveTask({ table, clock: opened.clock, hints, notifyTask: tell }, address, event, held ? { held } : {});
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

/** Whether the write of each event may be lost with the power, for a task with a webhook that waited so long. */
async function fadings(engine: Engine, opened: Opened, events: TaskEvent[], waitMs = 0): Promise<boolean[]> {
  const address = await opened.submit({ endpoint: 'https://receiver.example.com/hook' });
  opened.clock.pass(waitMs);
  const fading: boolean[] = [];
  const table = around(opened.table, async ({ name, args }, go) => {
    if (name === 'replace') fading.push((args[2] as Replacing | undefined)?.durability === 'relaxed');
    return go();
  });
  for (const event of events)
    await engine.moveTask({ table, clock: opened.clock, hints: opened.hints }, address, event);
  return fading;
}

type Hold = (told: Moving, opened: Opened, engine: Engine) => Promise<void>;

const promise = (words: string, hold: Hold, begun: (now: number) => StartedTask = () => ({})): Kept => ({
  promise: words,
  async hold(engine) {
    const opened = openTasks();
    try {
      await hold(await moving(engine, opened, begun(opened.clock.now())), opened, engine);
    } finally {
      opened.close();
    }
  },
});

/** Of a task whose first slot is now, and that has others behind it. */
const ofRecurring = (words: string, hold: Hold): Kept =>
  promise(words, hold, (now) => ({ firstAt: now, recurs: 'd 120000 UTC' }));

export const MOVING: readonly Kept[] = [
  ofRecurring('sets a run apart as soon as it has ended, before anything says so', async (told, opened) => {
    await told.move(CLAIM);
    told.calls.length = 0;
    expect(await told.move(succeeds(1))).toMatchObject({ row: { value: { state: 'succeeded' } } });
    expect(told.calls).toEqual(
      ['replace', 'tell', 'hints', 'insert', 'replace', 'tell', 'hints'].toSpliced(0, 0, 'get'),
    );
    const run = await opened.table.get<Task>(taskKey({ ...told.address, run: 1 }));
    expect(run).toMatchObject({
      value: { state: 'succeeded', run: { number: 1 } },
      expiresAt: opened.clock.now() + 400 * 24 * 60 * MINUTE,
    });
    expect(run).not.toHaveProperty('listed');
    expect((await told.row()).value).toMatchObject({ state: 'queued', recurs: { run: 2 } });
  }),
  ofRecurring('ends a run also when it cannot be set apart at once', async (told) => {
    await told.move(CLAIM);
    told.meddle(async ({ name }) => {
      if (name === 'insert') throw new Error('The table is away.');
      return undefined;
    });
    expect(await told.move(succeeds(1))).toMatchObject({ row: { value: { state: 'succeeded' } } });
    expect(await told.row()).toMatchObject({ listed: { state: 'recurring' }, dueAt: expect.any(Number) });
  }),
  promise('says no at once over what was read just now', async (told, opened, engine) => {
    const held = await told.row();
    const ports = { ...opened, table: around(opened.table, async () => Promise.reject(new Error('Nothing is read.'))) };
    expect(await engine.moveTask(ports, told.address, succeeds(7), { held, isCurrent: true })).toEqual({
      row: held,
      ignored: 'stale',
    });
  }),
  promise('reads a task, writes it over the version that was read, and tells and hints only then', async (told) => {
    const outcome = await told.move(CANCEL);
    expect(told.calls).toEqual(['get', 'replace', 'tell', 'hints']);
    expect(outcome).toEqual({ row: await told.row() });
    expect(outcome?.row.value.state).toBe('cancelled');
    expect(told.news).toEqual([{ effects: told.hinted[0]?.effects, task: outcome?.row.value }]);
  }),
  promise('lets fade what nobody is told of, and nothing else', async (_, opened, engine) => {
    expect(await fadings(engine, opened, [CLAIM, beat(1), CANCEL, succeeds(1), SEND])).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(await fadings(engine, opened, [{ type: 'cancel', force: true }])).toEqual([false]);
    expect(await fadings(engine, opened, [CLAIM], 25 * 60 * MINUTE)).toEqual([false]); // too late: it ends the task
  }),
  promise('hands on what is to be done, with the address and the priority', async (told, opened) => {
    opened.clock.pass(MINUTE);
    await told.move(TICK);
    expect(told.hinted).toEqual([{ effects: [REMINDER()], about: { ...told.address, priority: 5 } }]);
  }),
  promise('knows of no task that is not there', async (_told, opened, engine) => {
    const nowhere = { organization: opened.organization, taskId: opened.ids.uuid() };
    expect(await engine.moveTask(opened, nowhere, CLAIM)).toBeUndefined();
  }),
  promise('spares the read while nobody else has changed what is held', async (told) => {
    const held = await told.row();
    const claimed = await told.move(CLAIM, held);
    await told.move(beat(1, { progress: 10 }), claimed?.row);
    expect(told.calls).toEqual(['replace', 'tell', 'hints', 'replace', 'tell', 'hints']);
    expect((await told.row()).value).toMatchObject({ state: 'running', progress: 10 });
  }),
  promise('decides anew over a fresh look when another was faster', async (told) => {
    const held = await told.row();
    await told.move(CLAIM, held);
    told.calls.length = 0;
    expect(await told.move(CANCEL, held)).toMatchObject({ row: { value: { state: 'running', attempt: 1 } } });
    expect(told.calls).toEqual(['replace', 'get', 'replace', 'tell', 'hints']);
    expect((await told.row()).value).toHaveProperty('cancelAt');
  }),
  promise('says no only after a fresh look', async (told, opened) => {
    const claimed = await told.move(CLAIM);
    const held = claimed?.row as Row<Task>;
    await told.move({ type: 'yield', attempt: 1 });
    told.calls.length = 0;
    expect(await told.move(CLAIM, held)).toMatchObject({ row: { value: { state: 'running', attempt: 2 } } });
    expect(told.calls).toEqual(['get', 'replace', 'tell', 'hints']);
    opened.clock.pass(SECOND);
    expect(await told.move(CLAIM)).toEqual({ row: await told.row(), ignored: 'leased' });
  }),
  promise('writes nothing and hints at nothing when the answer is no', async (told) => {
    await told.move(CLAIM);
    const before = await told.row();
    told.calls.length = 0;
    expect(await told.move(succeeds(7))).toEqual({ row: before, ignored: 'stale' });
    expect(told.calls).toEqual(['get']);
  }),
  promise('tries ten times while others keep changing the task', async (told) => {
    let lost = 0;
    told.meddle(async ({ name }) => (name === 'replace' && ++lost < 10 ? 'lose' : undefined));
    expect(await told.move(CANCEL)).toMatchObject({ row: { value: { state: 'cancelled' } } });
    expect(lost).toBe(10);
    expect(told.hinted).toHaveLength(1);
  }),
  promise('gives up as busy at the tenth loss, with nothing hinted', async (told) => {
    told.meddle(async ({ name }) => (name === 'replace' ? 'lose' : undefined));
    await expect(told.move(CANCEL)).rejects.toMatchObject({ code: 'busy' });
    expect(told.calls.filter((name) => name === 'replace')).toHaveLength(10);
    expect(told.calls).not.toContain('hints');
  }),
  promise('keeps the row that the lists, the reconciler and the expiry read', async (told, opened) => {
    const waiting = await told.row();
    const createdAt = opened.clock.now();
    expect(waiting).toMatchObject({ listed: { state: 'queued', at: createdAt }, dueAt: createdAt + MINUTE });
    expect(waiting).not.toHaveProperty('expiresAt');
    opened.clock.pass(SECOND);
    await told.move(CLAIM);
    // It is open, and the moment of the first hint is early enough for the lease too: no index need be written.
    const { listed, dueAt } = waiting;
    expect(await told.row()).toMatchObject({ listed, dueAt, value: { state: 'running' } });
    await told.move({ type: 'yield', attempt: 1 });
    expect(await told.row()).toMatchObject({ listed, value: { state: 'queued' } });
    await told.move(CLAIM);
    opened.clock.pass(SECOND);
    await told.move(succeeds(2));
    const ended = await told.row();
    const endedAt = createdAt + 2 * SECOND;
    expect(ended).toMatchObject({
      listed: { state: 'succeeded', endedAt },
      expiresAt: endedAt + 30 * 24 * 60 * MINUTE,
    });
    expect(ended).not.toHaveProperty('dueAt');
  }),
];
