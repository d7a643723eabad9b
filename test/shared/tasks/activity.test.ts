/** The activity of a task: numbered without gaps, bounded, and stored with the checkpoints of its stages. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { longDrafts } from '../../../shared/core/long-values.ts';
import type { Row } from '../../../shared/ports.ts';
import { type NumberedEvent, openActivity, readActivity } from '../../../shared/tasks/activity.ts';
import { activityRecorder } from '../../../shared/tasks/activity-recorder.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { readWithDetails } from '../../../shared/tasks/details.ts';
import { type TaskAddress, taskPartition } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

/** A stage that reports the given queries as activity, and whose checkpoint is stored immediately. */
const reportingStage = (...queries: string[]): Stage => ({
  name: queries[0] ?? 'silent',
  async run() {
    const { record: tell, take } = activityRecorder(opened.clock);
    for (const query of queries) tell({ kind: 'query', query });
    return { text: 'done', ...(queries.length > 0 ? { activity: take() } : {}) };
  },
});
const breaking: Stage = { name: 'breaking', run: () => Promise.reject(new Error('broken')) };

const page = (address: TaskAddress, o: { after?: number; limit?: number } = {}) =>
  readActivity(opened, address, { api: 'agents', after: 0, limit: 100, ...o });
const summary = (events: NumberedEvent[]) =>
  events.map((event) => [event.n, event.kind === 'query' ? event.query : event.kind]);

it('numbers the events of all stages, and pages through them by number', async () => {
  const address = await opened.submit();
  await worker(opened, [reportingStage('a', 'b'), reportingStage('c'), reportingStage(), reportingStage('d', 'e')]).run(
    address,
  );
  const all = ['a', 'b', 'c', 'd', 'e'].map((query, at) => [at + 1, query]);
  expect(summary((await page(address)).events)).toEqual(all);
  for (let after = 0; after < 5; after++) {
    const { events, hasMore } = await page(address, { after, limit: 2 });
    expect(summary(events)).toEqual(all.slice(after, after + 2));
    expect(hasMore).toBe(after < 3);
  }
  expect((await page(address, { after: 5 })).events).toEqual([]);
});

/** Notes the events that are shown while it runs, and then does what is given. */
const readingStage = (address: TaskAddress, seenEvents: unknown[], work: () => Promise<object>): Stage => ({
  name: 'looking',
  async run() {
    seenEvents.push(summary((await page(address)).events));
    return work();
  },
});

it('shows the activity of completed stages while the task runs, and none of the current stage', async () => {
  const address = await opened.submit();
  const seenEvents: unknown[] = [];
  const looking = readingStage(
    address,
    seenEvents,
    async () => (await reportingStage('b').run({} as never, undefined)) as object,
  );
  await worker(opened, [reportingStage('a'), looking]).run(address);
  expect(seenEvents).toEqual([[[1, 'a']]]);
});

it('writes no row for a checkpoint without new events, and still finds the earlier ones', async () => {
  const address = await opened.submit();
  const seenEvents: unknown[] = [];
  const looking = readingStage(address, seenEvents, async () => {
    throw new Error('broken');
  });
  const silent = [reportingStage(), reportingStage()];
  await worker(opened, [reportingStage('a', 'b'), ...silent, looking]).run(address);
  expect(seenEvents).toEqual([
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ]);
  opened.clock.pass(60_000);
  await worker(opened, [reportingStage('a', 'b'), ...silent, reportingStage('c')]).run(address);
  const { rows } = await opened.table.rows(taskPartition(address), 'EVENTS#', { limit: 10 });
  expect(rows.map(({ sk }) => sk)).toEqual(['EVENTS#1#1#00', 'EVENTS#END#2#00']);
  expect(summary((await page(address)).events)).toEqual(['a', 'b', 'c'].map((query, at) => [at + 1, query]));
});

it('finds the events of a release that wrote a row with each checkpoint and named none', async () => {
  const address = await opened.submit();
  await worker(opened, [reportingStage('a'), reportingStage(), breaking]).run(address);
  const { row } = await readWithDetails(opened.table, address);
  const { eventsIn, ...task } = (row as Row<Task>).value;
  const batch = {
    first: 2,
    events: [{ kind: 'query', query: 'b', at: 1 }],
    earlier: [{ name: `EVENTS#${eventsIn}`, first: 1 }],
    leftOut: 0,
  };
  const drafts = longDrafts({ pk: taskPartition(address), name: 'EVENTS#2#1', value: batch });
  for (const draft of drafts) await opened.table.insert(draft);
  // Also if that release had found a name, which it hands on as it is.
  for (const value of [task, { ...task, eventsIn }]) {
    const stored = (await readWithDetails(opened.table, address)).row as Row<Task>;
    const { pk: _, sk: __, version: ___, ...fields } = stored;
    await opened.table.replace(stored, { ...fields, value });
    expect(summary((await page(address)).events)).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  }
});

it('continues from the last checkpoint: repeated work is listed once, as the last attempt did it', async () => {
  const address = await opened.submit();
  const lost = { ...opened, table: { ...opened.table, replace: failingAt(3) } };
  await worker(lost, [reportingStage('a'), reportingStage('b'), reportingStage('c')])
    .run(address)
    .catch(() => undefined);
  expect(summary((await page(address)).events)).toEqual([[1, 'a']]);
  opened.clock.pass(120_000);
  await moveTask(opened, address, { type: 'tick' });
  await worker(opened, [reportingStage('a'), reportingStage('x', 'y'), reportingStage('z')]).run(address);
  expect((await opened.task(address)).state).toBe('succeeded');
  expect(summary((await page(address)).events)).toEqual(['a', 'x', 'y', 'z'].map((query, at) => [at + 1, query]));
});

/** A `replace` that simulates a crash before the nth write of the task, after the rows that belong to it were inserted. */
function failingAt(nth: number): TaskSetup['table']['replace'] {
  let writes = 0;
  return async (row, next, o) => {
    writes++;
    if (writes < nth) return opened.table.replace(row, next, o);
    if (writes === nth) for (const draft of o?.prerequisites ?? []) await opened.table.insert(draft);
    throw new Error('killed');
  };
}

it('keeps what was done before a stage fails', async () => {
  const address = await opened.submit();
  const tasks = { ...opened };
  for (let attempt = 0; attempt < 3; attempt++) {
    await worker(tasks, [reportingStage('a', 'b'), breaking]).run(address);
    opened.clock.pass(60_000);
  }
  expect((await opened.task(address)).state).toBe('failed');
  expect(summary((await page(address)).events)).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

it('pushes each event to watchers once, when it is stored', async () => {
  const address = await opened.submit();
  const pushed: unknown[] = [];
  const notifyActivity = (_: TaskAddress, events: NumberedEvent[]) => void pushed.push(summary(events));
  await worker({ ...opened, notifyActivity }, [reportingStage('a', 'b'), reportingStage(), reportingStage('c')]).run(
    address,
  );
  expect(pushed).toEqual([
    [
      [1, 'a'],
      [2, 'b'],
    ],
    [[3, 'c']],
  ]);
});

it('writes no activity row for a task that reports nothing', async () => {
  const address = await opened.submit();
  await worker(opened, [reportingStage(), reportingStage()]).run(address);
  const task = await opened.task(address);
  const log = await openActivity(opened.table, { address, task });
  expect(log.count()).toBe(0);
  expect(log.batch('END', { upTo: 0, expiresAt: 0 }).drafts).toEqual([]);
  expect(await page(address)).toMatchObject({ events: [], hasMore: false, leftOut: 0 });
});

it('lists a budget again only when some of it was used since', async () => {
  const address = await opened.submit();
  const using = (tokens: number): Stage => ({
    name: 'using',
    async run() {
      const { record: tell, take } = activityRecorder(opened.clock);
      tell({ kind: 'query', query: 'port fees' });
      tell({ kind: 'budget', used: { tokens }, limits: { tokens: 9 } });
      opened.clock.pass(1_000);
      return { text: 'done', activity: take() };
    },
  });
  await worker(opened, [using(1), using(1), using(2), using(2)]).run(address);
  const { events, leftOut } = await page(address);
  const budgets = events.flatMap((event) => (event.kind === 'budget' ? [[event.n, event.used]] : []));
  expect(budgets).toEqual([
    [2, { tokens: 1 }],
    [5, { tokens: 2 }],
  ]);
  expect([events.map(({ n }) => n), leftOut]).toEqual([[1, 2, 3, 4, 5, 6], 0]);
});

it('stores at most 500 events per task and 40 per kind and stage, and counts the others', async () => {
  const address = await opened.submit();
  const many = Array.from({ length: 50 }, (_, at) => `query ${at}`);
  await worker(opened, [...Array.from({ length: 14 }, () => reportingStage(...many))]).run(address);
  const { leftOut, events } = await page(address, { after: 400 });
  expect(events.at(-1)).toMatchObject({ n: 500 });
  expect(leftOut).toBe(14 * 50 - 500);
});

it('sanitizes texts from outside: one line, no control characters, bounded length', () => {
  const { record: tell, take } = activityRecorder(opened.clock);
  const hostile = `a\u0000b\u001b[31m\nc\u202Ed ${'x'.repeat(5_000)}`;
  tell({ kind: 'page_refused', url: hostile, title: hostile, reason: hostile });
  tell({ kind: 'note', text: hostile, documents: Array.from({ length: 50 }, (_, at) => at) });
  for (const event of take().events) {
    const text = JSON.stringify(event);
    expect(text.length).toBeLessThan(700);
    expect(text).not.toMatch(/\\u00|\\n|\u202E/);
  }
});
