/** Walks through all schedules, a page at a time, and removes those whose task waits for none. */
import type { Log } from '../core/log.ts';
import type { Row, ScheduledTask, Scheduler, Table } from '../ports.ts';
import { isOpen, isRunEnd, type Task } from '../tasks/task.ts';
import { taskKey } from '../tasks/task-rows.ts';

const SCHEDULES_AT_ONCE = 100;

type MendPorts = { scheduler: Scheduler; table: Table; log: Log };

/** Once a minute. What has no schedule and should is put on one when its slot has passed. */
export function scheduleRepairer(ports: MendPorts): () => Promise<void> {
  const { scheduler, table, log } = ports;
  let after: string | undefined;

  async function mendPage(): Promise<void> {
    const paging = { limit: SCHEDULES_AT_ONCE, ...(after === undefined ? {} : { after }) };
    after = undefined;
    const { rows: scheduled, next } = await scheduler.list(paging);
    const tasks = scheduled.length === 0 ? [] : await table.getMany<Task>(scheduled.map((each) => taskKey(each)));
    const idle = scheduled.filter((_, at): boolean => !isWaitedFor(tasks[at]));
    for (const each of idle) await removeUnlessNew(ports, each);
    after = next;
  }

  return () => mendPage().catch((error) => log.error('schedules could not be looked through', { error }));
}

const isWaitedFor = (row: Row<Task> | undefined): boolean =>
  row !== undefined && (isOpen(row.value) || isRunEnd(row.value));

/** A batch is no snapshot. */
async function removeUnlessNew({ scheduler, table, log }: MendPorts, each: ScheduledTask): Promise<void> {
  if (isWaitedFor(await table.get<Task>(taskKey(each)))) return;
  await scheduler.remove(each);
  log.warn('a schedule of no task was removed', each);
}
