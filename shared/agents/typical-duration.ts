/** The usual duration of tasks of a type. */

import { loadingCache } from '../core/cache.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { Clock, Table } from '../ports.ts';
import { tasksList } from '../tasks/rows.ts';
import { AGENTS_API } from '../tasks/task.ts';
import { TASK_TYPES, type TaskType } from './agent-input.ts';

const SAMPLE_SIZE = 500;
const MIN_SAMPLES = 20;
const CACHE_MS = MINUTE_MS;
const MAX_ENTRIES = 10_000;

const DEFAULT_MS: Record<TaskType, number> = {
  research_agent: 3 * MINUTE_MS,
  processing_agent: 2 * MINUTE_MS,
  notification_agent: MINUTE_MS,
};

type UsualDurations = Record<TaskType, number>;
export type TypicalDuration = (organization: string, type: TaskType) => Promise<number>;

/**
 * The usual duration of tasks of a type, from submit to completion: the median of the organization's newest ones, read from
 * the index. Until enough are known, a table of defaults is used.
 */
export function typicalDuration({ table, clock }: { table: Table; clock: Clock }): TypicalDuration {
  const read = (organization: string) => measureDurations(table, organization);
  const durations = loadingCache({ clock, ttlMs: CACHE_MS, max: MAX_ENTRIES, load: read });
  return async (organization, type) => ((await durations.get(organization)) ?? DEFAULT_MS)[type];
}

async function measureDurations(table: Table, organization: string): Promise<UsualDurations> {
  const { rows } = await table.listed(tasksList(organization, AGENTS_API), { limit: SAMPLE_SIZE, newestFirst: true });
  const rowsByType = Map.groupBy(
    rows.filter(({ state }) => state === 'succeeded'),
    ({ type }) => type,
  );
  const durationOf = (type: TaskType): number => {
    const times = (rowsByType.get(type) ?? []).map(({ at, endedAt = at }) => endedAt - at);
    return times.length < MIN_SAMPLES ? DEFAULT_MS[type] : median(times);
  };
  return Object.fromEntries(TASK_TYPES.map((type) => [type, durationOf(type)])) as UsualDurations;
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
