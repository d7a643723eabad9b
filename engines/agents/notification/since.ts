/** What counts as new: what was published since the slot before. Of a notification that does not recur, all of it. */
import type { NotificationInput } from '../../../shared/agents/notification-input.ts';
import type { Gathered, Item } from '../../../shared/sources/gathered.ts';
import type { RunOf } from '../../../shared/tasks/task.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour more than the clocks' changes and the run's own start take. */
const BACK_MS: Record<string, number> = { daily: DAY_MS, weekly: 7 * DAY_MS, monthly: 31 * DAY_MS };
const SLACK_MS = HOUR_MS;

export function sinceOf({ schedule }: NotificationInput, run: RunOf | undefined): number | undefined {
  const back = BACK_MS[schedule?.frequency ?? ''];
  return run === undefined || back === undefined ? undefined : run.slotAt - back - SLACK_MS;
}

/** Samples stand for any day, and what has no date may be new. */
export function newIn({ items, isSample }: Gathered, since: number | undefined): Item[] {
  if (since === undefined || isSample) return items;
  return items.filter(({ publishedAt }) => publishedAt === undefined || Date.parse(publishedAt) >= since);
}
