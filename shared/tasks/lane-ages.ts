/** The oldest waiting task of each lane, as the reconciler last saw it. */
import type { Clock, Key, Row, Table } from '../ports.ts';
import { type EachLane, LANES, type Lane, laneOf } from './lane.ts';
import { isBetweenRuns, type Task } from './task.ts';
import { parseTaskAddress, type TaskAddress, taskKey } from './task-rows.ts';

type OldestTask = TaskAddress & { queuedAt: number };
type EachOldest = Partial<Record<Lane, OldestTask>>;
/** `others`: the oldest of another organization than that of `lanes`. */
export type LaneAges = { lanes: EachOldest; others?: EachOldest };

/**
 * Whether a lane has no room for one more task of an organization: its own work waits for so long, or that of two. The
 * backlog of one organization alone does not keep others waiting, as it has three quarters of the lane at most.
 */
export function isLaneFull(ages: LaneAges | undefined, { lane, organization, now, maxMs }: LaneQuestion): boolean {
  const [oldest, other] = [ages?.lanes[lane], ages?.others?.[lane]];
  const waits = (task: OldestTask | undefined): boolean => task !== undefined && now - task.queuedAt > maxMs;
  return waits(oldest) && (oldest?.organization === organization || waits(other));
}
type LaneQuestion = { lane: Lane; organization: string; now: number; maxMs: number };

const KEY: Key = { pk: 'LANES', sk: 'AGES' };

export const laneAges = async (table: Table): Promise<LaneAges | undefined> => (await table.get<LaneAges>(KEY))?.value;

/** Gathers what one round of the reconciler sees waiting, and writes it down when it differs from what is known. */
export function laneWatch({ table, clock }: { table: Table; clock: Clock }) {
  /** The oldest of each organization. */
  const seen: EachLane<Map<string, OldestTask>> = { high: new Map(), normal: new Map(), low: new Map() };

  const note = (key: Key, task: Task): void => {
    // One that nobody ran for a while says nothing of the others that wait.
    if (task.recurs && isBetweenRuns(task)) return;
    const address = parseTaskAddress(key);
    const oldest = seen[laneOf(task.priority)];
    const known = oldest.get(address.organization);
    if (task.state !== 'queued' || task.queuedAt > clock.now() || (known && known.queuedAt <= task.queuedAt)) return;
    oldest.set(address.organization, { ...address, queuedAt: task.queuedAt });
  };

  function ages(): LaneAges {
    const inOrder = LANES.map((lane) => {
      const [oldest, other] = [...seen[lane].values()].sort((one, two) => one.queuedAt - two.queuedAt);
      return { lane, oldest, other };
    });
    const lanes = Object.fromEntries(inOrder.flatMap(({ lane, oldest }) => (oldest ? [[lane, oldest]] : [])));
    const others = Object.fromEntries(inOrder.flatMap(({ lane, other }) => (other ? [[lane, other]] : [])));
    return Object.keys(others).length > 0 ? { lanes, others } : { lanes };
  }

  return {
    note,
    /** Answers how long the oldest of each lane has waited. */
    async write(): Promise<Partial<EachLane<number>>> {
      const row = await table.get<LaneAges>(KEY);
      // A task that waits is due only now and then: the one that was the oldest is looked at again.
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
