/** The tasks that changed while a client was away, oldest first. */
import { definedFields } from '../../shared/core/optional-fields.ts';
import { HOUR_MS } from '../../shared/core/time.ts';
import type { ListEntry, Row, Table } from '../../shared/ports.ts';
import type { UpdatedTask } from '../../shared/realtime/task-update.ts';
import { detailsKey, type TaskDetails } from '../../shared/tasks/details.ts';
import { resultsOf } from '../../shared/tasks/results.ts';
import { type TaskAddress, taskKey, tasksList } from '../../shared/tasks/rows.ts';
import { AGENTS_API, TASK_LIMITS, type Task } from '../../shared/tasks/task.ts';

/** Updates that were sent shortly before the disconnect may not have arrived. */
const OVERLAP_MS = 10_000;
/**
 * The longest time from submission to end of a task with a scheduled start. Of older open tasks there are only the few
 * that wait for ever.
 */
const LONGEST_MS = 25 * HOUR_MS + TASK_LIMITS.waitMs + 4 * HOUR_MS + TASK_LIMITS.cancelGraceMs;
const MAX_READ = 20_000;
const MAX_LISTED = 5_000;
const PAGE_SIZE = 1_000;
const ROWS_AT_ONCE = 50;

/** `tooMuch`: too many changes to replay, so the client must read the tasks itself. */
export async function changedSince(
  table: Table,
  organization: string,
  since: number,
): Promise<AsyncIterable<UpdatedTask[]> | 'tooMuch'> {
  const from = since - OVERLAP_MS;
  const fits = ({ endedAt }: ListEntry) => endedAt === undefined || endedAt >= from;
  const entries: ListEntry[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MAX_READ; looked += PAGE_SIZE) {
    const paging = { limit: PAGE_SIZE, newestFirst: true, ...definedFields({ after }) };
    const page = await table.listed(tasksList(organization, AGENTS_API), paging);
    entries.push(...page.rows.filter(fits));
    if (entries.length > MAX_LISTED) return 'tooMuch';
    const oldest = page.rows.at(-1);
    if (page.next === undefined || (oldest && oldest.at < from - LONGEST_MS))
      return tasksAt(table, organization, { entries, from });
    after = page.next;
  }
  return 'tooMuch';
}

type ChangedEntries = { entries: ListEntry[]; from: number };
type ExistingTask = { address: TaskAddress; task: Task; about: TaskDetails };

/** Oldest first, in the order of the updates. The index may lag behind the rows, so the rows are read again. */
async function* tasksAt(
  table: Table,
  organization: string,
  { entries, from }: ChangedEntries,
): AsyncIterable<UpdatedTask[]> {
  const addresses = entries.map(({ id }): TaskAddress => ({ organization, taskId: id })).reverse();
  for (let at = 0; at < addresses.length; at += ROWS_AT_ONCE) {
    const batch = addresses.slice(at, at + ROWS_AT_ONCE);
    const rows = await table.getMany<Task | TaskDetails>([...batch.map(taskKey), ...batch.map(detailsKey)]);
    const existingTasks = batch.flatMap((address, nth): ExistingTask[] => {
      const task = rows[nth] as Row<Task> | undefined;
      const about = rows[nth + batch.length] as Row<TaskDetails> | undefined;
      return task ? [{ address, task: task.value, about: about?.value ?? {} }] : [];
    });
    const runs = await lastRuns(table, existingTasks, from);
    const failed = [...existingTasks, ...runs].filter(
      ({ task }) => task.state === 'failed' || task.state === 'cancelled',
    );
    const results = new Map((await resultsOf(table, failed)).map((result, nth) => [failed[nth]?.task, result]));
    for (const current of existingTasks) {
      const replayed = [...runs.filter(({ address }) => address.taskId === current.address.taskId), current];
      yield replayed.map(({ address, task, about }) => ({
        taskId: address.taskId,
        task,
        about,
        result: results.get(task),
      }));
    }
  }
}

/** A recurring task may have ended a run in the meantime and be waiting for the next one. */
async function lastRuns(table: Table, existingTasks: ExistingTask[], from: number): Promise<ExistingTask[]> {
  const recurring = existingTasks.flatMap((entry) => {
    const { run = 1 } = entry.task.recurs ?? {};
    return run > 1 ? [{ ...entry, key: taskKey({ ...entry.address, run: run - 1 }) }] : [];
  });
  const rows = recurring.length === 0 ? [] : await table.getMany<Task>(recurring.map(({ key }) => key));
  return recurring.flatMap(({ address, about }, nth) => {
    const task = rows[nth]?.value;
    return task && (task.endedAt ?? 0) >= from ? [{ address, task, about }] : [];
  });
}
