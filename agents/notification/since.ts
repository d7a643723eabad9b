/** Since when items count as new. */

import { isRecurring, scheduleOf } from '../../shared/agents/agent-schedule.ts';
import type { NotificationInput } from '../../shared/agents/notification-input.ts';
import type { Table } from '../../shared/ports.ts';
import { slotAfter, slotBefore } from '../../shared/schedules/slots.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import type { RunOf, Task } from '../../shared/tasks/task.ts';

/** Looks back this many runs at most, so that an email also covers failed runs before it. */
const MAX_RUNS = 10;

type SinceRequest = { address: TaskAddress; input: NotificationInput; run: RunOf | undefined };

/**
 * Returns the time since which items count as new: the slot of the last run that succeeded, or the slot before this run
 * if no recent one did. Returns undefined for a notification that does not recur, where all items are new.
 */
export async function sinceOf(table: Table, { address, input, run }: SinceRequest): Promise<number | undefined> {
  const { schedule } = input;
  if (!run || !schedule || !isRecurring(schedule)) return undefined;
  for (let number = run.number - 1; number > Math.max(0, run.number - 1 - MAX_RUNS); number--) {
    const before = await table.get<Task>(taskKey({ ...address, run: number }));
    if (before?.value.state === 'succeeded' && before.value.run) return before.value.run.slotAt;
  }
  return slotBefore(scheduleOf(schedule), run.slotAt);
}

/**
 * A preview at any time shows what a run at that time would: the items of one day, week or month of its schedule.
 * Returns undefined for a notification that does not recur, where all items are new.
 */
export function sinceOfPreview({ schedule: requested }: NotificationInput, now: number): number | undefined {
  if (!requested || !isRecurring(requested)) return undefined;
  const schedule = scheduleOf(requested);
  return now - (slotAfter(schedule, now) - slotBefore(schedule, now));
}

/** Sample data and items without a date always count as new. */
export function newItemsIn({ items, isSample }: GatheredItems, since: number | undefined): SourceItem[] {
  if (since === undefined || isSample) return items;
  return items.filter(({ publishedAt }) => publishedAt === undefined || Date.parse(publishedAt) >= since);
}
