/** Looks at a task whose time has come, does what the rule says, and notes it when it still waits for a worker. */
import type { Key } from '../ports.ts';
import { maintainSchedule, type SchedulePorts } from '../schedules/care-for-schedule.ts';
import type { laneWatch } from './lane-ages.ts';
import { type MovePorts, moveTask } from './move-task.ts';
import type { Task } from './task.ts';
import { parseTaskAddress } from './task-rows.ts';

type TickPorts = MovePorts & SchedulePorts & { lanes: Pick<ReturnType<typeof laneWatch>, 'note'> };

export async function tickTask(ports: TickPorts, key: Key): Promise<void> {
  const held = await ports.table.get<Task>(key);
  if (!held) return;
  // Before the task says that it is done: whoever dies in between does it once more.
  await maintainSchedule(ports, parseTaskAddress(key), held.value);
  const outcome = await moveTask(ports, parseTaskAddress(key), { type: 'tick' }, { held, isFresh: true });
  if (outcome) ports.lanes.note(key, outcome.row.value);
}
