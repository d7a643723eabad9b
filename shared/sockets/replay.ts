/** What an organization's tasks have come to since an instant, read from the tasks themselves: for whoever was away. */
import { AGENTS_FACE } from '../agents/read-agent-task.ts';
import type { Listed, Row, Table } from '../ports.ts';
import { type About, aboutKey } from '../tasks/about.ts';
import { resultsOf } from '../tasks/result.ts';
import { TASK_LIMITS, type Task } from '../tasks/task.ts';
import { type TaskAddress, taskKey, tasksList } from '../tasks/task-rows.ts';
import type { Told } from './task-news.ts';

const HOUR_MS = 3_600_000;
/** What was sent shortly before may not have come. */
const OVERLAP_MS = 10_000;
export const MOST_AWAY_MS = 24 * HOUR_MS;
/** Of a task from its submission on: whatever is older and has not ended is of the few that wait for ever. */
const LONGEST_MS = TASK_LIMITS.waitMs + 4 * HOUR_MS + TASK_LIMITS.cancelGraceMs;
const MOST_LOOKED_AT = 20_000;
const MOST_TOLD = 5_000;
const LOOK = 1_000;
const ROWS_AT_ONCE = 50;

/** Undefined = too much has happened: whoever asks has to look for itself. */
export async function changedSince(
  table: Table,
  organization: string,
  since: number,
): Promise<AsyncIterable<Told> | undefined> {
  const from = since - OVERLAP_MS;
  const fits = ({ endedAt }: Listed) => endedAt === undefined || endedAt >= from;
  const places: Listed[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += LOOK) {
    const paging = { limit: LOOK, newestFirst: true, ...(after === undefined ? {} : { after }) };
    const page = await table.listed(tasksList(organization, AGENTS_FACE), paging);
    places.push(...page.rows.filter(fits));
    if (places.length > MOST_TOLD) return undefined;
    const oldest = page.rows.at(-1);
    if (page.next === undefined || (oldest && oldest.at < from - LONGEST_MS))
      return tasksAt(table, organization, places);
    after = page.next;
  }
  return undefined;
}

/** The oldest first. The index may lag behind the rows, so what it shows is read again. */
async function* tasksAt(table: Table, organization: string, places: Listed[]): AsyncIterable<Told> {
  const addresses = places.map(({ id }): TaskAddress => ({ organization, taskId: id })).reverse();
  for (let from = 0; from < addresses.length; from += ROWS_AT_ONCE) {
    const some = addresses.slice(from, from + ROWS_AT_ONCE);
    const rows = await table.getMany<Task | About>([...some.map(taskKey), ...some.map(aboutKey)]);
    const there = some.flatMap((address, at) => {
      const task = rows[at] as Row<Task> | undefined;
      const about = rows[at + some.length] as Row<About> | undefined;
      return task ? [{ address, task: task.value, about: about?.value ?? {} }] : [];
    });
    const failed = there.filter(({ task }) => task.state === 'failed' || task.state === 'cancelled');
    const results = new Map((await resultsOf(table, failed)).map((result, at) => [failed[at]?.task, result]));
    for (const { address, task, about } of there) {
      yield { taskId: address.taskId, task, about, result: results.get(task) };
    }
  }
}
