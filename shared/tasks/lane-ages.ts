/** The oldest waiting task of each lane, as the reconciler last saw it. */
import type { Clock, Key, Row, Table } from '../ports.ts';
import { type EachLane, LANES, type Lane, laneOf } from './lane.ts';
import { isBetweenRuns, type Task } from './task.ts';
import { addressIn, type TaskAddress, taskKey } from './task-rows.ts';

type Oldest = TaskAddress & { queuedAt: number };
export type LaneAges = { lanes: Partial<Record<Lane, Oldest>> };

const KEY: Key = { pk: 'LANES', sk: 'AGES' };

export const laneAges = async (table: Table): Promise<LaneAges | undefined> => (await table.get<LaneAges>(KEY))?.value;

/** Gathers what one round of the reconciler sees waiting, and writes it down when it differs from what is known. */
export function laneWatch({ table, clock }: { table: Table; clock: Clock }) {
  const seen = new Map<Lane, Oldest>();

  const note = (key: Key, task: Task): void => {
    // One that nobody ran for a while says nothing of the others that wait.
    if (task.recurs && isBetweenRuns(task)) return;
    const lane = laneOf(task.priority);
    const known = seen.get(lane);
    if (task.state !== 'queued' || task.queuedAt > clock.now() || (known && known.queuedAt <= task.queuedAt)) return;
    seen.set(lane, { ...addressIn(key), queuedAt: task.queuedAt });
  };

  return {
    note,
    /** Answers how long the oldest of each lane has waited. */
    async write(): Promise<Partial<EachLane<number>>> {
      const row = await table.get<LaneAges>(KEY);
      // A task that waits is due only now and then: the one that was the oldest is looked at again.
      for (const lane of LANES) await noteAgain(row?.value.lanes[lane]);
      const value: LaneAges = { lanes: Object.fromEntries(seen) };
      const isKnown = JSON.stringify(value) === JSON.stringify(row?.value ?? { lanes: {} });
      if (!isKnown) await (row ? table.replace(row, { value }) : table.insert({ ...KEY, value }));
      return Object.fromEntries([...seen].map(([lane, { queuedAt }]) => [lane, clock.now() - queuedAt]));
    },
  };

  async function noteAgain(oldest: Oldest | undefined): Promise<void> {
    const row: Row<Task> | undefined = oldest && (await table.get<Task>(taskKey(oldest)));
    if (row) note(row, row.value);
  }
}
