/** A worker's hold on a task: how it is kept, and the ways it ends. */

import { expect } from 'vitest';
import { type LeasedTasks, leasedTasks } from '../../shared/lanes/leased-tasks.ts';
import type { Row, Table } from '../../shared/ports.ts';
import type { TaskEvent } from '../../shared/tasks/decide.ts';
import type { LeaseEnd } from '../../shared/tasks/lease.ts';
import { taskKey } from '../../shared/tasks/rows.ts';
import type { Task } from '../../shared/tasks/task.ts';
import type { MoveOutcome, NotifyTask } from '../../shared/tasks/transition.ts';
import { around } from './around.ts';
import type { Engine, Kept } from './engine.ts';
import { type Opened, openTasks } from './opened.ts';
import { beat, CANCEL, CLAIM, FORCE, MINUTE, SECOND, succeeds, TICK } from './story.ts';

type Holding = Awaited<ReturnType<typeof holding>>;

type Options = { mustGo?: AbortController; held?: LeasedTasks | undefined };

/**
 * A worker that has claimed a task, with a heart that the test strikes. With `held`, `move` writes as another part of
 * the worker's own process does; without it, as another process does.
 */
async function holding(engine: Engine, opened: Opened, { mustGo = new AbortController(), held }: Options = {}) {
  const address = await opened.submit();
  const beats = new Map<() => void, number>();
  let fault: Error | undefined;
  const calls: string[] = [];
  let underWay = 0;
  const table: Table = around(opened.table, async ({ name }, go) => {
    calls.push(name);
    if (fault) throw fault;
    underWay++;
    try {
      return await go();
    } finally {
      underWay--;
    }
  });
  const every = (ms: number, run: () => void) => {
    beats.set(run, ms);
    return () => beats.delete(run);
  };
  const tell: NotifyTask = (_effects, address, task) => held?.notify(address, task);
  const ports = { ...opened, notifyTask: tell, ...(held ? { held } : {}) };
  const move = async (event: TaskEvent) => (await engine.moveTask(ports, address, event)) as MoveOutcome;
  const { row } = await move(CLAIM);
  const hold = engine.leaseTask({ ...ports, table, every }, { address, row, mustGo: mustGo.signal });
  return {
    address,
    hold,
    move,
    mustGo,
    beats,
    calls,
    task: () => opened.task(address),
    ending: (): LeaseEnd | undefined => hold.signal.reason as LeaseEnd | undefined,
    fails: (error: Error | undefined) => {
      fault = error;
    },
    /** Strikes the heart once, and waits until that has been heard. */
    async beat() {
      for (const run of beats.keys()) run();
      await turns();
      while (underWay > 0) await turns();
    },
  };
}

/** Enough of them for one call to lead to the next. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

type Scenario = (told: Holding, opened: Opened, engine: Engine) => Promise<void>;

const promise = (words: string, hold: Scenario, makeHeld?: () => LeasedTasks): Kept => ({
  promise: words,
  async hold(engine) {
    const opened = openTasks();
    try {
      await hold(await holding(engine, opened, { held: makeHeld?.() }), opened, engine);
    } finally {
      opened.close();
    }
  },
});

/** Everything that the scenario writes is written by the worker's own process. */
const promiseInOneProcess = (words: string, hold: Scenario): Kept => promise(words, hold, leasedTasks);

export const HOLDING: readonly Kept[] = [
  promise('beats every 20 seconds, which prolongs the lease and tells the highest progress', async (told, opened) => {
    expect([...told.beats.values()]).toEqual([20 * SECOND]);
    told.hold.report(30);
    told.hold.report(10);
    opened.clock.pass(20 * SECOND);
    await told.beat();
    expect(await told.task()).toMatchObject({ progress: 30, leaseUntil: opened.clock.now() + MINUTE });
    expect(told.hold.task()).toEqual(await told.task());
    expect([told.hold.attempt, told.ending(), told.hold.signal.aborted]).toEqual([1, undefined, false]);
  }),
  promise('tells with each beat the tokens by then, once it can count them', async (told) => {
    await told.beat();
    expect(await told.task()).not.toHaveProperty('tokens');
    let tokens: number | undefined;
    told.hold.countTokens(() => tokens);
    await told.beat();
    expect(await told.task()).not.toHaveProperty('tokens');
    for (tokens of [700, 900]) {
      await told.beat();
      expect(await told.task()).toMatchObject({ tokens });
    }
  }),
  promise('bears a beat that fails, and one that follows makes up for it', async (told, opened) => {
    told.fails(new Error('no answer'));
    opened.clock.pass(20 * SECOND);
    await told.beat();
    expect(told.ending()).toBeUndefined();
    told.fails(undefined);
    opened.clock.pass(20 * SECOND);
    await told.beat();
    expect(await told.task()).toMatchObject({ leaseUntil: opened.clock.now() + MINUTE });
    expect(told.ending()).toBeUndefined();
  }),
  promise('tells its caller of a move that failed, and goes on with the next', async (told) => {
    told.fails(new Error('no answer'));
    await expect(told.hold.move(beat(1))).rejects.toThrow('no answer');
    told.fails(undefined);
    await told.hold.move(succeeds(1));
    expect(await told.task()).toMatchObject({ state: 'succeeded' });
  }),
  promise('moves one after the other, each over what the last one left', async (told) => {
    await Promise.all([told.hold.move(beat(1, { progress: 5 })), told.hold.move(beat(1, { progress: 7 }))]);
    expect(await told.task()).toMatchObject({ progress: 7, seq: 3 });
    expect(told.calls).toEqual(['replace', 'replace']); // what it holds it need not read
  }),
  promise('brings the rows that its move will speak of', async (told, opened) => {
    const draft = { pk: 'P', sk: 'S', value: 'a result' };
    await told.hold.move(succeeds(1), [draft]);
    expect(await opened.table.get(draft)).toMatchObject(draft);
  }),
  promise('is lost when another worker has the task', async (told, opened) => {
    opened.clock.pass(MINUTE);
    await told.move(CLAIM);
    await told.beat();
    expect(told.ending()).toBe('lost');
  }),
  promise('is lost when another worker had the task and handed it over', async (told, opened) => {
    opened.clock.pass(MINUTE);
    await told.move(CLAIM);
    await told.move({ type: 'yield', attempt: 2 });
    await told.beat();
    expect(told.ending()).toBe('lost');
  }),
  promise('is lost when the task waits for its next attempt', async (told) => {
    await told.move({ type: 'restart' });
    await told.beat();
    expect(told.ending()).toBe('lost');
  }),
  promise('is lost when the task was ended by force, or is gone', async (told, opened, engine) => {
    await told.move(FORCE);
    await told.beat();
    expect(told.ending()).toBe('lost');
    const other = await holding(engine, opened);
    await opened.table.remove((await opened.table.get<Task>(taskKey(other.address))) as Row<Task>);
    await other.beat();
    expect(other.ending()).toBe('lost');
  }),
  promise('is lost when a beat finds the time of the task over', async (told, opened) => {
    opened.clock.pass(60 * MINUTE);
    await told.beat();
    expect([(await told.task()).code, told.ending()]).toEqual(['TASK_TIMEOUT', 'lost']);
  }),
  promise('ends as cancelled when somebody wishes the task to end', async (told) => {
    await told.move(CANCEL);
    await told.beat();
    expect(told.ending()).toBe('cancelled');
    expect(await told.task()).toMatchObject({ state: 'running' });
  }),
  promise('ends as handed over when its worker must go, be it at once', async (told, opened, engine) => {
    expect(told.hold.signal.aborted).toBe(false);
    told.mustGo.abort();
    expect(told.ending()).toBe('handOver');
    const gone = new AbortController();
    gone.abort();
    const late = await holding(engine, opened, { mustGo: gone });
    expect(late.ending()).toBe('handOver');
  }),
  promise('goes on while nothing has happened to it', async (told) => {
    await told.hold.move(beat(1));
    expect(told.ending()).toBeUndefined();
  }),
  promise('neither beats nor hears of anything once it is released', async (told) => {
    told.hold.release();
    expect(told.beats.size).toBe(0);
    told.mustGo.abort();
    expect(told.ending()).toBeUndefined();
  }),
  promiseInOneProcess(
    'ends as cancelled at once, without a heartbeat, when its own process cancels',
    async (worker) => {
      await worker.move(CANCEL);
      expect(worker.ending()).toBe('cancelled');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'running', attempt: 1 });
    },
  ),
  promiseInOneProcess('is lost at once, without a heartbeat, when its own process cancels by force', async (worker) => {
    await worker.move(FORCE);
    expect(worker.ending()).toBe('lost');
    expect(worker.calls).toEqual([]);
    expect(await worker.task()).toMatchObject({ state: 'cancelled', attempt: 2 });
  }),
  promiseInOneProcess(
    'is lost at once when its own process claims the task for another attempt',
    async (worker, opened) => {
      opened.clock.pass(MINUTE);
      await worker.move(CLAIM);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'running', attempt: 2 });
    },
  ),
  promiseInOneProcess(
    'is lost at once when its own process queues the task after a lapsed lease',
    async (worker, opened) => {
      opened.clock.pass(MINUTE);
      await worker.move(TICK);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'queued', attempt: 1 });
    },
  ),
  promiseInOneProcess(
    'is lost at once when its own process finds the time of the task over',
    async (worker, opened) => {
      opened.clock.pass(60 * MINUTE);
      await worker.move(TICK);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'failed', code: 'TASK_TIMEOUT', attempt: 1 });
    },
  ),
  promiseInOneProcess('goes on when it hears of its own heartbeat and progress', async (worker, opened) => {
    worker.hold.report(30);
    opened.clock.pass(20 * SECOND);
    await worker.beat();
    await worker.hold.move(beat(1, { progress: 40, checkpoint: 1 }));
    expect(await worker.task()).toMatchObject({ progress: 40, seq: 3 });
    expect(worker.ending()).toBeUndefined();
  }),
  promiseInOneProcess('hears nothing of its own process once it is released', async (worker) => {
    worker.hold.release();
    await worker.move(CANCEL);
    expect(await worker.task()).toMatchObject({ cancelAt: expect.any(Number) });
    await worker.move(FORCE);
    expect(await worker.task()).toMatchObject({ state: 'cancelled' });
    expect(worker.ending()).toBeUndefined();
  }),
];
