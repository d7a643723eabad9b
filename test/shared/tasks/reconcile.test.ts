/** Reconciler rounds: their order, their time limit, and a failing table. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shardOf } from '../../../shared/core/shard.ts';
import { fileDraft, fileKey } from '../../../shared/files/file.ts';
import type { Key, Table } from '../../../shared/ports.ts';
import { type RoundLimits, reconcile } from '../../../shared/reconcile/reconcile.ts';
import { isReminder } from '../../../shared/reconcile/reminder.ts';
import { parseTaskAddress, type TaskAddress, taskDraft, taskKey } from '../../../shared/tasks/rows.ts';
import { newTask, type Task } from '../../../shared/tasks/task.ts';
import { memoryStore, memoryTable } from '../../evidence/faults/memory-table.ts';
import { interceptedTable } from './intercepted-table.ts';
import { openTasks, type TaskSetup } from './setup.ts';

const MINUTE = 60_000;
const TASKS = 40;

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

const round = (table: Table, limits?: RoundLimits) =>
  reconcile({ ...opened, table, sayEnding: async () => 'gone' }, limits);

/** The newest line that a round has written. */
const reported = (): Record<string, unknown> =>
  opened.lines.map((line) => JSON.parse(line)).findLast(({ message }) => message === 'due rows were processed');

const notYet = new AbortController().signal;

/** Submits tasks whose hints are lost, and waits until they are due. */
async function waiting(): Promise<void> {
  for (let count = 0; count < TASKS; count++) await opened.submit();
  while ((await opened.hinted()).length > 0);
  opened.clock.pass(MINUTE);
}

async function hintedAgain(): Promise<number> {
  let total = 0;
  for (let hinted = await opened.hinted(); hinted.length > 0; hinted = await opened.hinted()) total += hinted.length;
  return total;
}

it('processes all other shards when one cannot be read, and then fails', async () => {
  await waiting();
  const shards = new Set<unknown>();
  const table = interceptedTable(opened.table, async ({ name, args: [shard] }, go) => {
    if (name === 'due' && shard === 3) throw new Error('Shard 3 is throttled.');
    if (name === 'due') shards.add(shard);
    return go();
  });
  await expect(round(table)).rejects.toThrow('Shard 3 is throttled.');
  expect(shards.size).toBe(15);
  // All work must be done when the call returns, because Lambda freezes the function afterwards.
  const hinted = await hintedAgain();
  expect(hinted).toBeGreaterThan(TASKS / 2);
  expect(hinted + (await round(opened.table))).toBe(TASKS);
});

it('reports a round whose shard could not be read', async () => {
  await waiting();
  opened.clock.pass(MINUTE);
  const table = interceptedTable(opened.table, async ({ name, args: [shard] }, go) => {
    if (name === 'due' && shard === 3) throw new Error('Shard 3 is throttled.');
    return go();
  });
  await expect(round(table)).rejects.toThrow('Shard 3 is throttled.');
  expect(reported()).toMatchObject({ cared: await hintedAgain(), lagMs: MINUTE, laneMs: { normal: 2 * MINUTE } });
});

it('reports no lag if no shard could be read, because it knows none', async () => {
  const table = interceptedTable(opened.table, async ({ name }, go) => {
    if (name === 'due') throw new Error('The table is throttled.');
    return go();
  });
  await expect(round(table)).rejects.toThrow('The table is throttled.');
  expect(reported()).toMatchObject({ cared: 0 });
  expect(reported()).not.toHaveProperty('lagMs');
});

it('reports a round in which a call never returns, before the time limit of its function', async () => {
  await waiting();
  const end = new AbortController();
  const table = interceptedTable(opened.table, ({ name }, go) => {
    if (name !== 'replace') return go();
    end.abort();
    return new Promise(() => undefined);
  });
  await expect(round(table, { stop: notYet, end: end.signal })).rejects.toThrow('The round did not end in time.');
  expect(reported()).toMatchObject({ cared: 0, lagMs: 0 });
});

it('processes every readable row of a page that cannot be read at once', async () => {
  await waiting();
  let unreadable: Key | undefined;
  const table = interceptedTable(opened.table, async ({ name, args: [requested] }, go) => {
    if (name === 'getMany') {
      unreadable ??= (requested as Key[])[0];
      throw new Error('This page has an unreadable row.');
    }
    if (name === 'get' && unreadable && taskOf(requested as Key) === taskOf(unreadable)) {
      throw new Error('This row is unreadable.');
    }
    return go();
  });
  await round(table);
  expect(reported()).toMatchObject({ cared: TASKS - 1 });
  expect(await hintedAgain()).toBe(TASKS - 1);
});

const taskOf = (key: Key): string => parseTaskAddress(key).taskId;

describe('a round with more due rows than fit', () => {
  const MOVED = 10;

  it('begins no row after its time, says how many are left, and leaves them for the next round', async () => {
    await waiting();
    const stop = new AbortController();
    let moved = 0;
    const table = interceptedTable(opened.table, async ({ name }, go) => {
      if (name === 'replace' && ++moved === MOVED) stop.abort();
      return go();
    });
    const cared = await round(table, { stop: stop.signal, end: notYet });
    // The rows that other shards had begun are finished.
    expect(cared).toBeGreaterThanOrEqual(MOVED);
    expect(cared).toBe(moved);
    expect(reported()).toMatchObject({ cared, left: TASKS - cared });
    expect(cared).toBeLessThan(TASKS);
    expect(await hintedAgain()).toBe(cared);
    expect(await round(opened.table)).toBe(TASKS - cared);
    expect(await hintedAgain()).toBe(TASKS - cared);
  });

  /** A table with tasks in one shard: more reminders than the rounds of earlier versions read, and newer urgent tasks. */
  function backlog() {
    const { clock, ids } = opened;
    const table = memoryTable({ store: memoryStore({ ids, now: clock.now }), clock });
    const organization = ids.uuid();
    const inShard = (): TaskAddress => {
      for (;;) {
        const address = { organization, taskId: ids.uuid() };
        if (shardOf(taskKey(address)) === 0) return address;
      }
    };
    const fresh = () =>
      newTask({ now: clock.now(), face: 'agents', type: 'made', priority: 5, hasWebhook: true, timeoutMs: MINUTE });
    async function add(change: Partial<Task> = {}): Promise<TaskAddress> {
      const address = inShard();
      await table.insert(taskDraft(address, { ...fresh(), ...change }, clock.now()));
      return address;
    }
    return { table, add, now: clock.now() };
  }

  it('moves expired leases, timeouts and webhook retries before any of 2,100 older reminders', async () => {
    const { table, add, now } = backlog();
    for (let count = 0; count < 2_100; count++) await add();
    const lapsedAt = now + 2 * MINUTE;
    const running = { state: 'running', attempt: 1, startedAt: now, claimedAt: now } as const;
    const urgent = [
      await add({ ...running, leaseUntil: lapsedAt, deadlineAt: lapsedAt + MINUTE }),
      await add({ ...running, leaseUntil: lapsedAt + MINUTE, deadlineAt: lapsedAt }),
      await add({ hintAt: lapsedAt + MINUTE, deadlineAt: lapsedAt }),
      await add({ state: 'failed', endedAt: now, hook: { state: 'due', tries: 1, nextAt: lapsedAt - MINUTE } }),
    ];
    opened.clock.pass(3 * MINUTE);
    const stop = new AbortController();
    const moved: string[] = [];
    const stopping = interceptedTable(table, async ({ name, args: [key] }, go) => {
      if (name !== 'replace') return go();
      moved.push(taskOf(key as Key));
      // The time is over as soon as the first of the others is moved.
      if (moved.length > urgent.length) stop.abort();
      return go();
    });
    await round(stopping, { stop: stop.signal, end: notYet });
    expect(moved.slice(0, urgent.length).toSorted()).toEqual(urgent.map(({ taskId }) => taskId).toSorted());
    expect(reported()).toMatchObject({ left: expect.any(Number), lagMs: 2 * MINUTE });
    expect(Number(reported().left)).toBeGreaterThan(2_000);
  });
});

it('removes files and repeats hints for readings after everything else', async () => {
  const { clock, ids, organization } = opened;
  const now = clock.now();
  const about = { fileName: 'a.txt', mimeType: 'text/plain', size: 4, createdAt: now, goneAt: now, bytesAt: 'a' };
  await opened.table.insert(fileDraft(organization, ids.uuid(), { state: 'stored', ...about }));
  const reading = { ...fileKey(organization, ids.uuid()), sk: 'READING', value: { state: 'waiting' }, dueAt: now };
  await opened.table.insert(reading);
  const task = newTask({ now, face: 'agents', type: 'made', priority: 5, hasWebhook: false });
  const running: Task = { ...task, state: 'running', leaseUntil: now + MINUTE };
  await opened.table.insert(taskDraft({ organization, taskId: ids.uuid() }, running, now));
  clock.pass(2 * MINUTE);
  const written: string[] = [];
  const table = interceptedTable(opened.table, async ({ isWrite, args: [key] }, go) => {
    if (isWrite && (key as Key).pk !== 'LANES') written.push((key as Key).sk);
    return go();
  });
  expect(await round(table)).toBe(3);
  expect(written[0]).toBe('TASK');
  expect(written.slice(1).toSorted()).toEqual(['FILE', 'READING']);
});

describe('a due task', () => {
  const now = 1_000_000;
  const queued = newTask({ now: now - MINUTE, face: 'agents', type: 'made', priority: 5, hasWebhook: false });
  const cases: [what: string, Partial<Task>, isReminder: boolean][] = [
    ['whose hint was sent a minute ago', {}, true],
    ['whose hint was delayed by a backoff', { queuedAt: now - 1, hintAt: now, failures: 1 }, true],
    ['whose first hint the reconciler sends', { queuedAt: now, hintAt: now }, false],
    ['that begins later and has no schedule yet', { queuedAt: now + MINUTE, hintAt: now }, false],
    ['that no worker started in time', { deadlineAt: now }, false],
    ['that could still be started in time', { deadlineAt: now + 1 }, true],
    ['that runs', { state: 'running', leaseUntil: now }, false],
    ['that has ended', { state: 'failed' }, false],
  ];
  it.each(cases)('%s: %j can wait: %s', (_what, change, canWait) => {
    expect(isReminder({ ...queued, ...change }, now)).toBe(canWait);
  });
});
