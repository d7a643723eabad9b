/**
 * Whether an organization may submit another task: limited by its unfinished tasks and by the waiting time of the
 * lane.
 */

import { limitOf, UNFINISHED_TASKS } from '../accounts/caps.ts';
import type { Organization } from '../accounts/organizations.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { laneOf } from '../core/lane.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Table } from '../ports.ts';
import { tasksList } from '../tasks/rows.ts';
import type { TaskApi } from '../tasks/task.ts';
import { isListedOpen } from '../tasks/visible-state.ts';
import { isLaneFull, laneAges } from './lane-ages.ts';

export const MAX_LANE_AGE_MS = 600_000;
const CACHE_MS = 15_000;
/** At the limit, tasks are counted again after this time, not for every call. */
const RECOUNT_MS = 250;
const MAX_ORGANIZATIONS = 10_000;
const APIS: readonly TaskApi[] = ['files-and-tasks', 'agents'];

/** Throws if the organization may not submit another task. */
export type Admit = (request: AdmissionRequest) => Promise<void>;

/** What the index showed, and how many tasks were admitted since. */
type Count = { at: number; unfinished: number; admitted: number; max: number };
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
  const ages = loadingCache({ clock, ttlMs: CACHE_MS, max: 1, load: () => laneAges(table) });

  /** Concurrent callers share one count. */
  async function currentCount(organization: string): Promise<Count> {
    for (;;) {
      const cached = counts.get(organization);
      const count = await cached;
      if (count && isUsable(count, clock.now())) return count;
      if (counts.get(organization) !== cached) continue; // another caller is counting already
      const started = countUnfinishedOf(organization);
      counts.set(organization, started);
      started.catch(() => counts.delete(organization));
    }
  }

  async function countUnfinishedOf(organization: string): Promise<Count> {
    const max = maxUnfinished(await organizationOf(organization));
    const unfinished = await countUnfinished(table, organization, max);
    return { at: clock.now(), unfinished, admitted: 0, max };
  }

  /** A count that is full only by tasks admitted since is counted again, because those may have ended. */
  const isUsable = ({ at, unfinished, admitted, max: limit }: Count, now: number): boolean => {
    const isFull = unfinished >= limit;
    return now >= at && now - at < (isFull ? RECOUNT_MS : CACHE_MS) && (isFull || unfinished + admitted < limit);
  };

  return async function admit({ organization, priority }) {
    const lanes = await ages.get('');
    const question = { lane: laneOf(priority), organization, now: clock.now(), maxMs: MAX_LANE_AGE_MS };
    if (isLaneFull(lanes, question)) throw atCapacity('The service is at capacity; try again in a minute.');
    for (;;) {
      const count = await currentCount(organization);
      if (count.unfinished >= count.max) {
        throw atCapacity(`Your organization has ${count.max} unfinished tasks; submit again when some have ended.`);
      }
      // Other callers of the same count may have used its room.
      if (count.unfinished + count.admitted >= count.max) continue;
      count.admitted++;
      return;
    }
  };
}

/** The newest tasks of each API. Ended tasks lie between them, so twice as many entries are read. */
export async function countUnfinished(table: Table, organization: string, max: number): Promise<number> {
  const pages = await Promise.all(
    APIS.map((api) => table.listed(tasksList(organization, api), { limit: max * 2, newestFirst: true })),
  );
  return pages.flatMap(({ rows }) => rows).filter(isListedOpen).length;
}

const atCapacity = (message: string) => new Problem('atCapacity', message, { retryAfterSeconds: 60 });
