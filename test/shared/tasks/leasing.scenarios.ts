/** A worker's lease on a task: how it is renewed, and how it ends. */

import { expect } from 'vitest';
import type { Row, Table } from '../../../shared/ports.ts';
import type { TaskEvent } from '../../../shared/tasks/decide.ts';
import type { LeaseEnd } from '../../../shared/tasks/lease.ts';
import type { LeasedTasks } from '../../../shared/tasks/leased-tasks.ts';
import { leasedTasks } from '../../../shared/tasks/leased-tasks.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import type { MoveOutcome, NotifyTask } from '../../../shared/tasks/transition.ts';
import type { Engine, EngineScenario } from './engine.ts';
import { interceptedTable } from './intercepted-table.ts';
import { openTasks, type TaskSetup } from './setup.ts';
import { beat, CANCEL, CLAIM, FORCE, MINUTE, SECOND, succeeds, TICK } from './task-scenario.ts';

type LeasedWorker = Awaited<ReturnType<typeof leasedWorker>>;

type Options = { stopController?: AbortController; leases?: LeasedTasks | undefined };

/**
 * A worker that has claimed a task; the test triggers its heartbeats. With `leases`, `move` writes from the worker's own
 * process; without it, from another process.
 */
async function leasedWorker(
  engine: Engine,
  opened: TaskSetup,
  { stopController = new AbortController(), leases }: Options = {},
) {
  const address = await opened.submit();
  const beats = new Map<() => void, number>();
  let fault: Error | undefined;
  const calls: string[] = [];
  let underWay = 0;
  const table: Table = interceptedTable(opened.table, async ({ name }, go) => {
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
  const notifyTask: NotifyTask = (_effects, address, task) => leases?.notify(address, task);
  const ports = { ...opened, notifyTask, ...(leases ? { leasedTasks: leases } : {}) };
  const move = async (event: TaskEvent) => (await engine.moveTask(ports, address, event)) as MoveOutcome;
  const { row } = await move(CLAIM);
  const lease = engine.leaseTask({ ...ports, table, every }, { address, row, stopSignal: stopController.signal });
  return {
    address,
    lease: lease,
    move,
    stopController,
    beats,
    calls,
    task: () => opened.task(address),
    ending: (): LeaseEnd | undefined => lease.signal.reason as LeaseEnd | undefined,
    fails: (error: Error | undefined) => {
      fault = error;
    },
    /** Triggers one heartbeat, and waits until it has been processed. */
    async beat() {
      for (const run of beats.keys()) run();
      await letOthersRun();
      while (underWay > 0) await letOthersRun();
    },
  };
}

/** Waits for enough turns of the event loop that one call can lead to the next. */
async function letOthersRun(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

type Scenario = (worker: LeasedWorker, opened: TaskSetup, engine: Engine) => Promise<void>;

const scenario = (words: string, run: Scenario, makeLeases?: () => LeasedTasks): EngineScenario => ({
  promise: words,
  async check(engine) {
    const opened = openTasks();
    try {
      await run(await leasedWorker(engine, opened, { leases: makeLeases?.() }), opened, engine);
    } finally {
      opened.close();
    }
  },
});

/** A promise in which the worker's own process makes all writes. */
const scenarioInOneProcess = (words: string, run: Scenario): EngineScenario => scenario(words, run, leasedTasks);

export const LEASING: readonly EngineScenario[] = [
  scenario(
    'sends a heartbeat every 20 seconds, which renews the lease and reports the highest progress',
    async (worker, opened) => {
      expect([...worker.beats.values()]).toEqual([20 * SECOND]);
      worker.lease.report(30);
      worker.lease.report(10);
      opened.clock.pass(20 * SECOND);
      await worker.beat();
      expect(await worker.task()).toMatchObject({ progress: 30, leaseUntil: opened.clock.now() + MINUTE });
      expect(worker.lease.task()).toEqual(await worker.task());
      expect([worker.lease.attempt, worker.ending(), worker.lease.signal.aborted]).toEqual([1, undefined, false]);
    },
  ),
  scenario('reports the tokens so far with each heartbeat, once it can count them', async (worker) => {
    await worker.beat();
    expect(await worker.task()).not.toHaveProperty('tokens');
    let tokens: number | undefined;
    worker.lease.countTokens(() => tokens);
    await worker.beat();
    expect(await worker.task()).not.toHaveProperty('tokens');
    for (tokens of [700, 900]) {
      await worker.beat();
      expect(await worker.task()).toMatchObject({ tokens });
    }
  }),
  scenario('tolerates a failed heartbeat, and the next one makes up for it', async (worker, opened) => {
    worker.fails(new Error('no answer'));
    opened.clock.pass(20 * SECOND);
    await worker.beat();
    expect(worker.ending()).toBeUndefined();
    worker.fails(undefined);
    opened.clock.pass(20 * SECOND);
    await worker.beat();
    expect(await worker.task()).toMatchObject({ leaseUntil: opened.clock.now() + MINUTE });
    expect(worker.ending()).toBeUndefined();
  }),
  scenario('rejects a failed move, and continues with the next one', async (worker) => {
    worker.fails(new Error('no answer'));
    await expect(worker.lease.move(beat(1))).rejects.toThrow('no answer');
    worker.fails(undefined);
    await worker.lease.move(succeeds(1));
    expect(await worker.task()).toMatchObject({ state: 'succeeded' });
  }),
  scenario('applies moves one after another, each to the row that the last one wrote', async (worker) => {
    await Promise.all([worker.lease.move(beat(1, { progress: 5 })), worker.lease.move(beat(1, { progress: 7 }))]);
    expect(await worker.task()).toMatchObject({ progress: 7, seq: 3 });
    expect(worker.calls).toEqual(['replace', 'replace']); // the lease keeps the row in memory
  }),
  scenario('inserts the rows that a move refers to', async (worker, opened) => {
    const draft = { pk: 'P', sk: 'S', value: 'a result' };
    await worker.lease.move(succeeds(1), [draft]);
    expect(await opened.table.get(draft)).toMatchObject(draft);
  }),
  scenario('is lost when another worker has the task', async (worker, opened) => {
    opened.clock.pass(MINUTE);
    await worker.move(CLAIM);
    await worker.beat();
    expect(worker.ending()).toBe('lost');
  }),
  scenario('is lost when another worker claimed the task and handed it over', async (worker, opened) => {
    opened.clock.pass(MINUTE);
    await worker.move(CLAIM);
    await worker.move({ type: 'yield', attempt: 2 });
    await worker.beat();
    expect(worker.ending()).toBe('lost');
  }),
  scenario('is lost when the task waits for its next attempt', async (worker) => {
    await worker.move({ type: 'restart' });
    await worker.beat();
    expect(worker.ending()).toBe('lost');
  }),
  scenario('is lost when the task was cancelled by force, or deleted', async (worker, opened, engine) => {
    await worker.move(FORCE);
    await worker.beat();
    expect(worker.ending()).toBe('lost');
    const otherWorker = await leasedWorker(engine, opened);
    await opened.table.remove((await opened.table.get<Task>(taskKey(otherWorker.address))) as Row<Task>);
    await otherWorker.beat();
    expect(otherWorker.ending()).toBe('lost');
  }),
  scenario('is lost when a heartbeat finds the deadline passed', async (worker, opened) => {
    opened.clock.pass(60 * MINUTE);
    await worker.beat();
    expect([(await worker.task()).code, worker.ending()]).toEqual(['TASK_TIMEOUT', 'lost']);
  }),
  scenario('ends as cancelled when a caller requests a cancel', async (worker) => {
    await worker.move(CANCEL);
    await worker.beat();
    expect(worker.ending()).toBe('cancelled');
    expect(await worker.task()).toMatchObject({ state: 'running' });
  }),
  scenario('ends as handed over when its worker shuts down, even before it starts', async (worker, opened, engine) => {
    expect(worker.lease.signal.aborted).toBe(false);
    worker.stopController.abort();
    expect(worker.ending()).toBe('handOver');
    const departed = new AbortController();
    departed.abort();
    const late = await leasedWorker(engine, opened, { stopController: departed });
    expect(late.ending()).toBe('handOver');
  }),
  scenario('continues while nothing happens to it', async (worker) => {
    await worker.lease.move(beat(1));
    expect(worker.ending()).toBeUndefined();
  }),
  scenario('sends no heartbeat and receives no event after its release', async (worker) => {
    worker.lease.release();
    expect(worker.beats.size).toBe(0);
    worker.stopController.abort();
    expect(worker.ending()).toBeUndefined();
  }),
  scenarioInOneProcess(
    'ends as cancelled at once, without a heartbeat, when its own process cancels',
    async (worker) => {
      await worker.move(CANCEL);
      expect(worker.ending()).toBe('cancelled');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'running', attempt: 1 });
    },
  ),
  scenarioInOneProcess(
    'is lost at once, without a heartbeat, when its own process cancels by force',
    async (worker) => {
      await worker.move(FORCE);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'cancelled', attempt: 2 });
    },
  ),
  scenarioInOneProcess(
    'is lost at once when its own process claims the task for another attempt',
    async (worker, opened) => {
      opened.clock.pass(MINUTE);
      await worker.move(CLAIM);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'running', attempt: 2 });
    },
  ),
  scenarioInOneProcess(
    'is lost at once when its own process queues the task after a lapsed lease',
    async (worker, opened) => {
      opened.clock.pass(MINUTE);
      await worker.move(TICK);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'queued', attempt: 1 });
    },
  ),
  scenarioInOneProcess(
    'is lost at once when its own process finds the time of the task over',
    async (worker, opened) => {
      opened.clock.pass(60 * MINUTE);
      await worker.move(TICK);
      expect(worker.ending()).toBe('lost');
      expect(worker.calls).toEqual([]);
      expect(await worker.task()).toMatchObject({ state: 'failed', code: 'TASK_TIMEOUT', attempt: 1 });
    },
  ),
  scenarioInOneProcess('continues when it is notified of its own heartbeat and progress', async (worker, opened) => {
    worker.lease.report(30);
    opened.clock.pass(20 * SECOND);
    await worker.beat();
    await worker.lease.move(beat(1, { progress: 40, checkpoint: 1 }));
    expect(await worker.task()).toMatchObject({ progress: 40, seq: 3 });
    expect(worker.ending()).toBeUndefined();
  }),
  scenarioInOneProcess('receives no notification of its own process after its release', async (worker) => {
    worker.lease.release();
    await worker.move(CANCEL);
    expect(await worker.task()).toMatchObject({ cancelAt: expect.any(Number) });
    await worker.move(FORCE);
    expect(await worker.task()).toMatchObject({ state: 'cancelled' });
    expect(worker.ending()).toBeUndefined();
  }),
];
