/** Looks at a task whose time has come, does what the rule says, and notes it when it still waits for a worker. */
import type { Key, Row } from '../ports.ts';
import type { laneWatch } from './lane-ages.ts';
import { type MovePorts, moveTask } from './move-task.ts';
import type { Task } from './task.ts';
import { addressIn, taskDraft } from './task-rows.ts';

type Ports = MovePorts & { lanes: ReturnType<typeof laneWatch> };

export async function tickTask(ports: Ports, key: Key): Promise<void> {
  const outcome = await moveTask(ports, addressIn(key), { type: 'tick' });
  if (outcome?.ignored) await putOff(ports, outcome.row);
  if (outcome) ports.lanes.note(key, outcome.row.value);
}

/** It was looked at too early: without this it would be looked at every minute, for as long as a webhook waits. */
async function putOff({ table, clock }: Ports, row: Row<Task>): Promise<void> {
  const { pk: _pk, sk: _sk, ...draft } = taskDraft(addressIn(row), row.value, clock.now(), row);
  // Whoever changes it meanwhile says anew when to look.
  if (draft.dueAt !== row.dueAt) await table.replace(row, draft);
}
