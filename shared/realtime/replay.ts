/** Sends what changed while a client was disconnected. */

import { AGENTS_FACE } from '../agents/agent-task.ts';
import { definedFields } from '../core/optional-fields.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Listed, Row, Table } from '../ports.ts';
import { detailsKey, resultsOf, type TaskDetails } from '../tasks/details.ts';
import { type TaskAddress, taskKey, tasksList } from '../tasks/rows.ts';
import { TASK_LIMITS, type Task } from '../tasks/task.ts';
import type { UpdatedTask } from './notifier.ts';

/** What was sent shortly before may not have come. */
const OVERLAP_MS = 10_000;
export const MAX_AWAY_MS = 24 * HOUR_MS;
/** Of a task from its submission on, put off to its time of day: whatever is older and has not ended is of the few that wait for ever. */
const LONGEST_MS = 25 * HOUR_MS + TASK_LIMITS.waitMs + 4 * HOUR_MS + TASK_LIMITS.cancelGraceMs;
const MAX_READ = 20_000;
const MAX_LISTED = 5_000;
const LOOK = 1_000;
const ROWS_AT_ONCE = 50;

/** Returns undefined if too much has happened: the client must read the tasks itself. */
export async function changedSince(
  table: Table,
  organization: string,
  since: number,
): Promise<AsyncIterable<UpdatedTask[]> | undefined> {
  const from = since - OVERLAP_MS;
  const fits = ({ endedAt }: Listed) => endedAt === undefined || endedAt >= from;
  const entries: Listed[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MAX_READ; looked += LOOK) {
    const paging = { limit: LOOK, newestFirst: true, ...definedFields({ after }) };
    const page = await table.listed(tasksList(organization, AGENTS_FACE), paging);
    entries.push(...page.rows.filter(fits));
    if (entries.length > MAX_LISTED) return undefined;
    const oldest = page.rows.at(-1);
    if (page.next === undefined || (oldest && oldest.at < from - LONGEST_MS))
      return tasksAt(table, organization, { entries, from });
    after = page.next;
  }
  return undefined;
}

type Changed = { entries: Listed[]; from: number };
type There = { address: TaskAddress; task: Task; about: TaskDetails };

/** Oldest first, in the order of the updates. The index may lag behind the rows, so what it shows is read again. */
async function* tasksAt(table: Table, organization: string, { entries, from }: Changed): AsyncIterable<UpdatedTask[]> {
  const addresses = entries.map(({ id }): TaskAddress => ({ organization, taskId: id })).reverse();
  for (let at = 0; at < addresses.length; at += ROWS_AT_ONCE) {
    const some = addresses.slice(at, at + ROWS_AT_ONCE);
    const rows = await table.getMany<Task | TaskDetails>([...some.map(taskKey), ...some.map(detailsKey)]);
    const there = some.flatMap((address, nth): There[] => {
      const task = rows[nth] as Row<Task> | undefined;
      const about = rows[nth + some.length] as Row<TaskDetails> | undefined;
      return task ? [{ address, task: task.value, about: about?.value ?? {} }] : [];
    });
    const runs = await lastRuns(table, there, from);
    const failed = [...there, ...runs].filter(({ task }) => task.state === 'failed' || task.state === 'cancelled');
    const results = new Map((await resultsOf(table, failed)).map((result, nth) => [failed[nth]?.task, result]));
    for (const each of there) {
      const replayed = [...runs.filter(({ address }) => address.taskId === each.address.taskId), each];
      yield replayed.map(({ address, task, about }) => ({
        taskId: address.taskId,
        task,
        about,
        result: results.get(task),
      }));
    }
  }
}

/** What recurs may have ended a run since, and wait for the next one. */
async function lastRuns(table: Table, there: There[], from: number): Promise<There[]> {
  const recurring = there.flatMap((each) => {
    const { run = 1 } = each.task.recurs ?? {};
    return run > 1 ? [{ ...each, key: taskKey({ ...each.address, run: run - 1 }) }] : [];
  });
  const rows = recurring.length === 0 ? [] : await table.getMany<Task>(recurring.map(({ key }) => key));
  return recurring.flatMap(({ address, about }, nth) => {
    const task = rows[nth]?.value;
    return task && (task.endedAt ?? 0) >= from ? [{ address, task, about }] : [];
  });
}
