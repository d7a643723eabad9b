/**
 * How long tasks of a type usually take, from submit to completion: measured on the organization's newest ones, which the
 * index tells without a write of its own. Until enough are known, a table says.
 */
import { loadingCache } from '../core/cache.ts';
import type { Clock, Table } from '../ports.ts';
import { tasksList } from '../tasks/task-rows.ts';
import { AGENTS_FACE } from './read-agent-task.ts';
import { TASK_TYPES, type TaskType } from './task-types.ts';

const LOOKED_AT = 500;
const LEAST_KNOWN = 20;
const KEPT_MS = 60_000;
const MOST_KEPT = 10_000;
const MINUTE_MS = 60_000;

const USUAL_MS: Record<TaskType, number> = {
  research_agent: 3 * MINUTE_MS,
  processing_agent: 2 * MINUTE_MS,
  notification_agent: MINUTE_MS,
};

type UsualDurations = Record<TaskType, number>;
export type UsualDuration = (organization: string, type: TaskType) => Promise<number>;

export function usualDuration({ table, clock }: { table: Table; clock: Clock }): UsualDuration {
  const read = (organization: string) => measureDurations(table, organization);
  const known = loadingCache({ clock, ttlMs: KEPT_MS, max: MOST_KEPT, load: read });
  return async (organization, type) => ((await known.get(organization)) ?? USUAL_MS)[type];
}

async function measureDurations(table: Table, organization: string): Promise<UsualDurations> {
  const { rows } = await table.listed(tasksList(organization, AGENTS_FACE), { limit: LOOKED_AT, newestFirst: true });
  const taken = Map.groupBy(
    rows.filter(({ state }) => state === 'succeeded'),
    ({ type }) => type,
  );
  const durationOf = (type: TaskType): number => {
    const times = (taken.get(type) ?? []).map(({ at, endedAt = at }) => endedAt - at);
    return times.length < LEAST_KNOWN ? USUAL_MS[type] : median(times);
  };
  return Object.fromEntries(TASK_TYPES.map((type) => [type, durationOf(type)])) as UsualDurations;
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
