/** Listing tasks by state. The index does not tell queued from running tasks, so these are read from the table. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ListEntry } from '../../../shared/ports.ts';
import { tasksInStates } from '../../../shared/tasks/list-tasks.ts';
import { type TaskAddress, tasksList } from '../../../shared/tasks/rows.ts';
import { moveTask } from '../../../shared/tasks/transition.ts';
import { countReads } from './counted-reads.ts';
import { openTasks, type TaskSetup } from './setup.ts';
import { CANCEL, CLAIM, FORCE, succeeds } from './task-scenario.ts';

let opened: TaskSetup;
const names = new Map<string, string>();
beforeEach(async () => {
  opened = openTasks();
  names.clear();
  for (const name of ['queued', 'running', 'cancelling', 'succeeded', 'cancelled']) {
    const address = await opened.submit();
    names.set(address.taskId, name);
    for (const event of WAYS[name] ?? []) await moveTask(opened, address, event);
  }
});
afterEach(() => opened.close());

const WAYS: Record<string, Parameters<typeof moveTask>[2][]> = {
  running: [CLAIM],
  cancelling: [CLAIM, CANCEL],
  succeeded: [CLAIM, succeeds(1)],
  cancelled: [FORCE],
};

const listTasks = async (): Promise<ListEntry[]> =>
  (await opened.table.listed(tasksList(opened.organization, 'agents'), { limit: 100 })).rows;

/** Returns the names of the tasks that were found, and how many items were read. */
async function readInStates(states: string[] | undefined, places?: ListEntry[]) {
  const { table, read } = countReads(opened.table);
  const listing = { organization: opened.organization, entries: places ?? (await listTasks()) };
  const rows = await tasksInStates(table, listing, states && new Set(states));
  return { names: rows.map(({ id }) => names.get(id)).sort(), read: read() };
}

it('stores a claimed task in the index like a waiting one', async () => {
  const states = Object.fromEntries((await listTasks()).map(({ id, state }) => [names.get(id), state]));
  const open = { queued: 'queued', running: 'queued', cancelling: 'queued' };
  expect(states).toEqual({ ...open, succeeded: 'succeeded', cancelled: 'cancelled' });
});

it.each([
  [['queued'], ['queued'], 3],
  [['running', 'cancelling'], ['cancelling', 'running'], 3],
  [['cancelling', 'cancelled'], ['cancelled', 'cancelling'], 3],
  [['succeeded'], ['succeeded'], 0],
  [['queued', 'running', 'cancelling'], ['cancelling', 'queued', 'running'], 0],
  [[], [], 0],
  [undefined, ['cancelled', 'cancelling', 'queued', 'running', 'succeeded'], 0],
])('%j are found, and items read only where that parts open tasks', async (states, expected, read) => {
  expect(await readInStates(states)).toEqual({ names: expected, read });
});

it('leaves out tasks that are gone meanwhile', async () => {
  const gone: TaskAddress = { organization: opened.organization, taskId: opened.ids.uuid() };
  const [place] = await listTasks();
  const places = [{ ...(place as ListEntry), id: gone.taskId, state: 'queued' }];
  expect(await readInStates(['queued'], places)).toEqual({ names: [], read: 1 });
});
