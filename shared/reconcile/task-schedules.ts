/** Creates and removes the schedules of tasks. */

import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { KEYS_AT_ONCE } from '../core/table-access.ts';
import type { Clock, Row, ScheduledTask, Scheduler, Table } from '../ports.ts';
import { retentionMs, type TaskAddress, taskKey, taskPartition } from '../tasks/rows.ts';
import { isBetweenRuns, isOpen, isRunEnd, type Task } from '../tasks/task.ts';

export type SchedulePorts = { table: Table; clock: Clock; scheduler: Scheduler; log: Log };

export async function maintainSchedule(ports: SchedulePorts, address: TaskAddress, task: Task): Promise<void> {
  const { state, recurs, endedAt } = task;
  if (state === 'cancelled' && recurs && !recurs.isOff) {
    await ports.scheduler.remove(address);
    return removeSchedule(ports.table, address, (endedAt ?? ports.clock.now()) + retentionMs(task));
  }
  if (isBetweenRuns(task)) await putSchedule(ports, address, task);
}

type RepairPorts = { scheduler: Scheduler; table: Table; log: Log };

/**
 * Once a minute reads a page of all schedules and removes those whose task no longer needs one. A task without its
 * schedule gets one when its slot has passed.
 */
export function scheduleRepairer(ports: RepairPorts): () => Promise<void> {
  const { scheduler, table, log } = ports;
  let after: string | undefined;

  async function repairPage(): Promise<void> {
    const paging = { limit: KEYS_AT_ONCE, ...definedFields({ after }) };
    after = undefined;
    const { rows: scheduled, next } = await scheduler.list(paging);
    const tasks = scheduled.length === 0 ? [] : await table.getMany<Task>(scheduled.map((task) => taskKey(task)));
    const idle = scheduled.filter((_, at): boolean => !isNeeded(tasks[at]));
    for (const task of idle) await removeUnlessNew(ports, task);
    after = next;
  }

  return () => repairPage().catch((error) => log.error('schedules could not be looked through', { error }));
}

/** For a new task, or for one whose slot has passed without a hint from a schedule. */
async function putSchedule({ scheduler, clock, log }: SchedulePorts, address: TaskAddress, task: Task): Promise<void> {
  const { priority, recurs, queuedAt, hintAt } = task;
  const now = clock.now();
  if (now < hintAt || recurs?.extraAt !== undefined) return;
  const timing = recurs ? { by: recurs.by } : { at: queuedAt };
  if (!recurs && queuedAt <= now) return;
  await scheduler.put(address, { priority, timing }).catch((error) => {
    // Before its time, a later round can retry; after it, the run does not wait for a schedule.
    if (queuedAt > now) throw error;
    log.warn('a schedule was not created', { ...address, error });
  });
}

/** Rows that last as long as a task recurs get an expiry. A row that changes at this moment keeps its own expiry. */
async function removeSchedule(table: Table, address: TaskAddress, expiresAt: number): Promise<void> {
  for (let after: string | undefined; ; ) {
    const paging = { limit: KEYS_AT_ONCE, ...definedFields({ after }) };
    const { rows, next } = await table.rows(taskPartition(address), '', paging);
    for (const row of rows) {
      if (row.sk === 'TASK' || (row.expiresAt ?? Number.POSITIVE_INFINITY) <= expiresAt) continue;
      const { pk: _pk, sk: _sk, version: _version, ...draft } = row;
      await table.replace(row, { ...draft, expiresAt });
    }
    if (next === undefined) return;
    after = next;
  }
}

const isNeeded = (row: Row<Task> | undefined): boolean =>
  row !== undefined && (isOpen(row.value) || isRunEnd(row.value));

/** Reads the task again, because a batch read is not a snapshot. */
async function removeUnlessNew({ scheduler, table, log }: RepairPorts, task: ScheduledTask): Promise<void> {
  if (isNeeded(await table.get<Task>(taskKey(task)))) return;
  await scheduler.remove(task);
  log.warn('a schedule without a task was removed', task);
}
