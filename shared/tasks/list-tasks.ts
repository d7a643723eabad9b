/** Pages of an organization's tasks, the newest first, of one state or one namespace when asked. */
import type { Listed, Page, Table } from '../ports.ts';
import { usageOf } from '../usage/attempt-usage.ts';
import { detailsKey, type TaskDetails } from './about.ts';
import type { TaskView } from './get-task.ts';
import { tasksInStates } from './in-states.ts';
import { resultsOf } from './result.ts';
import type { Task, TaskApi } from './task.ts';
import { type TaskAddress, taskKey, tasksList } from './task-rows.ts';

type TaskFilter = {
  organization: string;
  face: TaskApi;
  limit: number;
  after?: string;
  fits(listed: Listed): boolean;
  /** Undefined = all. */
  states: ReadonlySet<string> | undefined;
};

/** A page looks at so many places of the index at most; a rare state or namespace then goes on behind `next`. */
const MOST_LOOKED_AT = 5_000;
const LOOK = 500;

export async function listTasks({ table }: { table: Table }, wanted: TaskFilter): Promise<Page<TaskView>> {
  const { rows: places, next } = await matchingPositions(table, wanted);
  const addresses = places.map(({ id }): TaskAddress => ({ organization: wanted.organization, taskId: id }));
  const [tasks, abouts] = await Promise.all([
    table.getMany<Task>(addresses.map(taskKey)),
    table.getMany<TaskDetails>(addresses.map(detailsKey)),
  ]);
  // The index may lag behind the rows, so what it shows is read again.
  const there = tasks.flatMap((row, at) => {
    const address = addresses[at];
    return row && address ? [{ address, task: row.value, about: abouts[at]?.value ?? {} }] : [];
  });
  const results = await resultsOf(table, there);
  const rows = await Promise.all(
    there.map(async ({ address, task, about }, at) => {
      const result = results[at];
      const usage = await usageOf(table, address, task, result?.usage);
      return { taskId: address.taskId, task, about, result, usage };
    }),
  );
  return { rows, ...nextOf(next) };
}

async function matchingPositions(table: Table, wanted: TaskFilter): Promise<Page<Listed>> {
  const { organization, face, limit, after, fits, states } = wanted;
  const list = tasksList(organization, face);
  const found: Listed[] = [];
  // Exactly what is asked for at first: without a filter nothing is read in vain.
  let most = limit;
  let position = after;
  for (let looked = 0; looked < MOST_LOOKED_AT && found.length < limit; looked += most, most = LOOK) {
    const paging = { limit: most, newestFirst: true, ...(position === undefined ? {} : { after: position }) };
    const page = await table.listed(list, paging);
    const inAny = await tasksInStates(table, { organization, places: page.rows.filter(fits) }, states);
    const fitting = inAny.slice(0, limit - found.length);
    found.push(...fitting);
    const last = fitting.at(-1);
    if (found.length === limit && last && last !== page.rows.at(-1)) {
      // The next page begins behind the last that fits: only the table can say where that is.
      const upToLast = await table.listed(list, { ...paging, limit: page.rows.indexOf(last) + 1 });
      return { rows: found, ...nextOf(upToLast.next) };
    }
    position = page.next;
    if (position === undefined) break;
  }
  return { rows: found, ...nextOf(position) };
}

const nextOf = (next: string | undefined) => (next === undefined ? {} : { next });
