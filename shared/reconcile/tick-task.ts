/** Processes a due task: updates its schedule, sends a tick, and records whether it still waits. */

import type { laneWatch } from '../lanes/lane-ages.ts';
import type { Key, Row } from '../ports.ts';
import { parseTaskAddress } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { maintainSchedule, type SchedulePorts } from './task-schedules.ts';

type TickPorts = MovePorts & SchedulePorts & { lanes: Pick<ReturnType<typeof laneWatch>, 'note'> };

/** `row`: the task's row, if it was read just now. */
export async function tickTask(ports: TickPorts, key: Key, row?: Row<Task>): Promise<void> {
  const taskRow = row ?? (await ports.table.get<Task>(key));
  if (!taskRow) return;
  // Before the task's own row changes: if the process dies in between, it happens again.
  await maintainSchedule(ports, parseTaskAddress(key), taskRow.value);
  const outcome = await moveTask(
    ports,
    parseTaskAddress(key),
    { type: 'tick' },
    { cachedRow: taskRow, isCurrent: true },
  );
  if (outcome) ports.lanes.note(key, outcome.row.value);
}
