/** Admits a new task of an organization by its unfinished tasks and the lane's waiting time. */
import { limitOf, type Organization, UNFINISHED_TASKS } from '../accounts/organizations.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { type EachLane, LANES, type Lane, laneOf } from '../core/lane.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Key, Row, Table } from '../ports.ts';
import { isListedOpen, parseTaskAddress, type TaskAddress, taskKey, tasksList } from '../tasks/rows.ts';
import { isBetweenRuns, type Task, type TaskApi } from '../tasks/task.ts';

/** A waiting task: the oldest of its lane at the reconciler's last round. */
type OldestTask = TaskAddress & { queuedAt: number };
type EachOldest = Partial<Record<Lane, OldestTask>>;
/** `others`: the oldest tasks of organizations other than that of `lanes`. */
type LaneAges = { lanes: EachOldest; others?: EachOldest };

/**
 * Whether a lane has no room for another task of an organization: its own oldest task has waited too long, or the oldest
 * tasks of two organizations have. One organization's backlog does not block others, as it gets at most three quarters.
 */
function isLaneFull(ages: LaneAges | undefined, { lane, organization, now, maxMs }: LaneQuestion): boolean {
  const [oldest, other] = [ages?.lanes[lane], ages?.others?.[lane]];
  const waits = (task: OldestTask | undefined): boolean => task !== undefined && now - task.queuedAt > maxMs;
  return waits(oldest) && (oldest?.organization === organization || waits(other));
}
type LaneQuestion = { lane: Lane; organization: string; now: number; maxMs: number };

const KEY: Key = { pk: 'LANES', sk: 'AGES' };

const laneAges = async (table: Table): Promise<LaneAges | undefined> => (await table.get<LaneAges>(KEY))?.value;

/** Collects the tasks that one round of the reconciler sees waiting, and stores the oldest if they have changed. */
export function laneWatch({ table, clock }: { table: Table; clock: Clock }) {
  /** The oldest task of each organization. */
  const seen: EachLane<Map<string, OldestTask>> = { high: new Map(), normal: new Map(), low: new Map() };

  const note = (key: Key, task: Task): void => {
    // A recurring task that is overdue after a standstill says nothing about the other waiting tasks.
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

/** Whether an organization may submit another task: limited by its unfinished tasks and by the waiting time of the lane. */
export const MAX_LANE_AGE_MS = 600_000;
const KEPT_MS = 15_000;
/** At the limit, tasks are counted again after this time, not for every call. */
const RECOUNT_MS = 250;
const MAX_ORGANIZATIONS = 10_000;
const FACES: readonly TaskApi[] = ['files-and-tasks', 'agents'];

/** Throws if the organization may not submit another task. */
export type Admit = (request: AdmissionRequest) => Promise<void>;

/** What the index showed, and how many tasks were admitted since. */
type Count = { at: number; found: number; letIn: number; max: number };
type AdmissionRequest = { organization: string; priority: number };
type AdmissionPorts = { table: Table; clock: Clock; organizationOf: (id: string) => Promise<Organization | undefined> };

export const maxUnfinished = (organization: Organization | undefined): number =>
  (organization ? limitOf(organization, UNFINISHED_TASKS) : UNFINISHED_TASKS).most;

/**
 * Counts from the index and caches the count, adding the tasks admitted since: a stored counter could drift. Other
 * instances may exceed the limit slightly.
 */
export function admission({ table, clock, organizationOf }: AdmissionPorts): Admit {
  const counts = lruCache<string, Promise<Count>>({ max: MAX_ORGANIZATIONS });
  const ages = loadingCache({ clock, ttlMs: KEPT_MS, max: 1, load: () => laneAges(table) });

  /** Concurrent callers share one count. */
  async function currentCount(organization: string): Promise<Count> {
    for (;;) {
      const kept = counts.get(organization);
      const count = await kept;
      if (count && isGood(count, clock.now())) return count;
      if (counts.get(organization) !== kept) continue; // another caller is counting already
      const started = countUnfinishedOf(organization);
      counts.set(organization, started);
      started.catch(() => counts.delete(organization));
    }
  }

  async function countUnfinishedOf(organization: string): Promise<Count> {
    const max = maxUnfinished(await organizationOf(organization));
    const found = await countUnfinished(table, organization, max);
    return { at: clock.now(), found, letIn: 0, max };
  }

  /** A count that is full only by tasks admitted since is counted again, because those may have ended. */
  const isGood = ({ at, found, letIn, max: most }: Count, now: number): boolean => {
    const isFull = found >= most;
    return now >= at && now - at < (isFull ? RECOUNT_MS : KEPT_MS) && (isFull || found + letIn < most);
  };

  return async function admit({ organization, priority }) {
    const lanes = await ages.get('');
    const asks = { lane: laneOf(priority), organization, now: clock.now(), maxMs: MAX_LANE_AGE_MS };
    if (isLaneFull(lanes, asks)) throw atCapacity('The service is at capacity; try again in a minute.');
    for (;;) {
      const count = await currentCount(organization);
      if (count.found >= count.max) {
        throw atCapacity(`Your organization has ${count.max} unfinished tasks; submit again when some have ended.`);
      }
      // Other callers of the same count may have used its room.
      if (count.found + count.letIn >= count.max) continue;
      count.letIn++;
      return;
    }
  };
}

const atCapacity = (message: string) => new Problem('atCapacity', message, { retryAfterSeconds: 60 });

/** The newest tasks of each API. Ended tasks lie between them, so twice as many entries are read. */
export async function countUnfinished(table: Table, organization: string, max: number): Promise<number> {
  const pages = await Promise.all(
    FACES.map((face) => table.listed(tasksList(organization, face), { limit: max * 2, newestFirst: true })),
  );
  return pages.flatMap(({ rows }) => rows).filter(isListedOpen).length;
}
