/** Looks at a task whose time has come, does what the rule says, and notes it when it still waits for a worker. */
import type { Key } from '../ports.ts';
import type { laneWatch } from './lane-ages.ts';
import { type MovePorts, moveTask } from './move-task.ts';
import { addressIn } from './task-rows.ts';

type Ports = MovePorts & { lanes: ReturnType<typeof laneWatch> };

export async function tickTask(ports: Ports, key: Key): Promise<void> {
  const outcome = await moveTask(ports, addressIn(key), { type: 'tick' });
  if (outcome) ports.lanes.note(key, outcome.row.value);
}
