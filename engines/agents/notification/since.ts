/** What counts as new: what was published since the slot of the last mail that went out. Of a notification that does not recur, all of it. */
import { isRecurring, scheduleOf } from '../../../shared/agents/cancel-agent-task.ts';
import type { NotificationInput } from '../../../shared/agents/notification-input.ts';
import type { Table } from '../../../shared/ports.ts';
import { slotBefore } from '../../../shared/schedules/schedule.ts';
import type { GatheredItems, SourceItem } from '../../../shared/sources/gathered.ts';
import { type TaskAddress, taskKey } from '../../../shared/tasks/rows.ts';
import type { RunOf, Task } from '../../../shared/tasks/task.ts';

/** So far back: what the failed ones among them did not tell is told now. */
const MOST_RUNS = 10;

type Asked = { address: TaskAddress; asked: NotificationInput; run: RunOf | undefined };

export async function sinceOf(table: Table, { address, asked, run }: Asked): Promise<number | undefined> {
  const { schedule } = asked;
  if (!run || !schedule || !isRecurring(schedule)) return undefined;
  for (let number = run.number - 1; number > Math.max(0, run.number - 1 - MOST_RUNS); number--) {
    const before = await table.get<Task>(taskKey({ ...address, run: number }));
    if (before?.value.state === 'succeeded' && before.value.run) return before.value.run.slotAt;
  }
  return slotBefore(scheduleOf(schedule), run.slotAt);
}

/** Samples stand for any day, and what has no date may be new. */
export function newIn({ items, isSample }: GatheredItems, since: number | undefined): SourceItem[] {
  if (since === undefined || isSample) return items;
  return items.filter(({ publishedAt }) => publishedAt === undefined || Date.parse(publishedAt) >= since);
}
