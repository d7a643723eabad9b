/** The oldest waiting tasks of each lane, as the reconciler's last round saw them. */

import { type EachLane, LANES, type Lane, laneOf } from '../core/lane.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { parseTaskAddress, type TaskAddress, taskKey } from '../tasks/rows.ts';
import { isBetweenRuns, type Task } from '../tasks/task.ts';

/** A waiting task: the oldest of its lane at the reconciler's last round. */
type OldestTask = TaskAddress & { queuedAt: number };
type EachOldest = Partial<Record<Lane, OldestTask>>;
/** `others`: the oldest tasks of organizations other than that of `lanes`. */
type LaneAges = { lanes: EachOldest; others?: EachOldest };

/**
 * Whether a lane has no room for another task of an organization: its own oldest task has waited too long, or the oldest
 * tasks of two organizations have. One organization's backlog does not block others, as it gets at most three quarters.
 */
export function isLaneFull(ages: LaneAges | undefined, { lane, organization, now, maxMs }: LaneQuestion): boolean {
  const [oldest, oldestOther] = [ages?.lanes[lane], ages?.others?.[lane]];
  const waits = (task: OldestTask | undefined): boolean => task !== undefined && now - task.queuedAt > maxMs;
  return waits(oldest) && (oldest?.organization === organization || waits(oldestOther));
}
type LaneQuestion = { lane: Lane; organization: string; now: number; maxMs: number };

const KEY: Key = { pk: 'LANES', sk: 'AGES' };

export const laneAges = async (table: Table): Promise<LaneAges | undefined> => (await table.get<LaneAges>(KEY))?.value;

/** Collects the tasks that one round of the reconciler sees waiting, and stores the oldest if they have changed. */
export function laneWatch({ table, clock }: { table: Table; clock: Clock }) {
  /** The oldest task of each organization. */
  const oldestByLane: EachLane<Map<string, OldestTask>> = { high: new Map(), normal: new Map(), low: new Map() };

  const note = (key: Key, task: Task): void => {
    // A recurring task that is overdue after a standstill says nothing about the other waiting tasks.
    if (task.recurs && isBetweenRuns(task)) return;
    const address = parseTaskAddress(key);
    const oldest = oldestByLane[laneOf(task.priority)];
    const current = oldest.get(address.organization);
    if (task.state !== 'queued' || task.queuedAt > clock.now() || (current && current.queuedAt <= task.queuedAt))
      return;
    oldest.set(address.organization, { ...address, queuedAt: task.queuedAt });
  };

  function ages(): LaneAges {
    const inOrder = LANES.map((lane) => {
      const [oldest, other] = [...oldestByLane[lane].values()].sort((a, b) => a.queuedAt - b.queuedAt);
      return { lane, oldest, other };
    });
    const lanes = Object.fromEntries(inOrder.flatMap(({ lane, oldest }) => (oldest ? [[lane, oldest]] : [])));
    const oldestOthers = Object.fromEntries(inOrder.flatMap(({ lane, other }) => (other ? [[lane, other]] : [])));
    return Object.keys(oldestOthers).length > 0 ? { lanes, others: oldestOthers } : { lanes };
  }

  return {
    note,
    /** Returns how long the oldest task of each lane has waited. */
    async write(): Promise<Partial<EachLane<number>>> {
      const row = await table.get<LaneAges>(KEY);
      // A waiting task is due only now and then, so the previous oldest task is read again.
      for (const lane of LANES) {
        await noteAgain(row?.value.lanes[lane]);
        await noteAgain(row?.value.others?.[lane]);
      }
      const value = ages();
      const isKnown = JSON.stringify(value) === JSON.stringify(row?.value ?? { lanes: {} });
      if (!isKnown) await (row ? table.replace(row, { value }) : table.insert({ ...KEY, value }));
      return Object.fromEntries(
        Object.entries(value.lanes).map(([lane, { queuedAt }]) => [lane, clock.now() - queuedAt]),
      );
    },
  };

  async function noteAgain(oldest: OldestTask | undefined): Promise<void> {
    const row: Row<Task> | undefined = oldest && (await table.get<Task>(taskKey(oldest)));
    if (row) note(row, row.value);
  }
}
