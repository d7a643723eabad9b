/** Whether an organization may bring in one more task: by its own unfinished ones, and by how long a lane's work waits. */

import { limitOf, type Organization } from '../accounts/organization.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import { Problem } from '../core/problem.ts';
import type { Cap } from '../limits/limit.ts';
import type { Clock, Table } from '../ports.ts';
import { laneOf } from './lane.ts';
import { isLaneFull, laneAges } from './lane-ages.ts';
import { isListedOpen } from './states.ts';
import type { TaskApi } from './task.ts';
import { tasksList } from './task-rows.ts';

export const UNFINISHED_TASKS: Cap = { name: 'unfinished-tasks', most: 1_000 };
export const MAX_LANE_AGE_MS = 600_000;
const KEPT_MS = 15_000;
/** At the limit it is counted anew, though not for every call. */
const RECOUNT_MS = 250;
const MAX_ORGANIZATIONS = 10_000;
const FACES: readonly TaskApi[] = ['files-and-tasks', 'agents'];

/** Throws when one more task is one too many. */
export type Admit = (asked: AdmissionRequest) => Promise<void>;

/** What the index showed, and what was let in since. */
type Count = { at: number; found: number; letIn: number; most: number };
type AdmissionRequest = { organization: string; priority: number };
type AdmissionPorts = { table: Table; clock: Clock; organizationOf: (id: string) => Promise<Organization | undefined> };

export const maxUnfinished = (organization: Organization | undefined): number =>
  (organization ? limitOf(organization, UNFINISHED_TASKS) : UNFINISHED_TASKS).most;

/**
 * Counted from the index and kept for a while with what was let in since: no counter that could leak. Soft by what other
 * instances let in meanwhile.
 */
export function admission({ table, clock, organizationOf }: AdmissionPorts): Admit {
  const counts = lruCache<string, Promise<Count>>({ max: MAX_ORGANIZATIONS });
  const ages = loadingCache({ clock, ttlMs: KEPT_MS, max: 1, load: () => laneAges(table) });

  /** Callers that come together share one count. */
  async function currentCount(organization: string): Promise<Count> {
    for (;;) {
      const kept = counts.get(organization);
      const count = await kept;
      if (count && isGood(count, clock.now())) return count;
      if (counts.get(organization) !== kept) continue; // another caller counts already
      const started = countUnfinishedOf(organization);
      counts.set(organization, started);
      started.catch(() => counts.delete(organization));
    }
  }

  async function countUnfinishedOf(organization: string): Promise<Count> {
    const most = maxUnfinished(await organizationOf(organization));
    const found = await countUnfinished(table, organization, most);
    return { at: clock.now(), found, letIn: 0, most };
  }

  /** One that is full only by what was let in since says little: that may have ended long ago. */
  const isGood = ({ at, found, letIn, most }: Count, now: number): boolean => {
    const isFull = found >= most;
    return now >= at && now - at < (isFull ? RECOUNT_MS : KEPT_MS) && (isFull || found + letIn < most);
  };

  return async function admit({ organization, priority }) {
    const lanes = await ages.get('');
    const asks = { lane: laneOf(priority), organization, now: clock.now(), maxMs: MAX_LANE_AGE_MS };
    if (isLaneFull(lanes, asks)) throw atCapacity('The service is at capacity; try again in a minute.');
    for (;;) {
      const count = await currentCount(organization);
      if (count.found >= count.most) {
        throw atCapacity(`Your organization has ${count.most} unfinished tasks; submit again when some have ended.`);
      }
      // Others who waited for the same count may have taken its room.
      if (count.found + count.letIn >= count.most) continue;
      count.letIn++;
      return;
    }
  };
}

const atCapacity = (message: string) => new Problem('atCapacity', message, { retryAfterSeconds: 60 });

/** The newest of each API's tasks; those that ended lie between them, so it looks at twice as many. */
export async function countUnfinished(table: Table, organization: string, most: number): Promise<number> {
  const pages = await Promise.all(
    FACES.map((face) => table.listed(tasksList(organization, face), { limit: most * 2, newestFirst: true })),
  );
  return pages.flatMap(({ rows }) => rows).filter(isListedOpen).length;
}
