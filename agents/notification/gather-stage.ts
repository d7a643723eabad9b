/** Gathers what the sources published since the last email. A source that failed is named. */

import { isRecurring, scheduleOf } from '../../shared/agents/cancel-agent-task.ts';
import type { NotificationInput } from '../../shared/agents/notification-input.ts';
import type { Table } from '../../shared/ports.ts';
import { slotBefore } from '../../shared/schedules/schedule.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/gathered.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { type TaskAddress, taskKey } from '../../shared/tasks/rows.ts';
import type { RunOf, Task } from '../../shared/tasks/task.ts';
import { keepJson } from '../runtime.ts';
import {
  checkpoint,
  knownAtFirst,
  type NotificationCheckpoint,
  type NotificationSetting,
  sourceRead,
} from './state.ts';

const MAX_ITEMS = 60;

export const gatherStage = ({ ports, plan, input }: NotificationSetting): Stage => ({
  name: 'gathering',
  async run({ address, signal, report, run }): Promise<NotificationCheckpoint> {
    const ownHosts = input.ownHosts ?? [];
    const gathered: GatheredItems[] = [];
    for (const [done, source] of plan.sources.entries()) {
      const ask = { queries: [], places: [], maxItems: MAX_ITEMS, signal, ownHosts };
      gathered.push(await ports.gather(address.organization, source, ask));
      report((done + 1) / plan.sources.length);
    }
    const known = { ...knownAtFirst(plan), sources: gathered.map(sourceRead) };
    const gatheredAt = await keepJson(ports, address, gathered);
    return checkpoint({ plan, known: { ...known, gatheredAt }, run, stages: ['gathering'] });
  },
});

/** Looks back this many runs at most, so that an email also covers failed runs before it. */
const MAX_RUNS = 10;

type SinceRequest = { address: TaskAddress; asked: NotificationInput; run: RunOf | undefined };

/**
 * Returns the time since which items count as new: the slot of the last run that succeeded, or the slot before this run
 * if no recent one did. Returns undefined for a notification that does not recur, where all items are new.
 */
export async function sinceOf(table: Table, { address, asked, run }: SinceRequest): Promise<number | undefined> {
  const { schedule } = asked;
  if (!run || !schedule || !isRecurring(schedule)) return undefined;
  for (let number = run.number - 1; number > Math.max(0, run.number - 1 - MAX_RUNS); number--) {
    const before = await table.get<Task>(taskKey({ ...address, run: number }));
    if (before?.value.state === 'succeeded' && before.value.run) return before.value.run.slotAt;
  }
  return slotBefore(scheduleOf(schedule), run.slotAt);
}

/** Sample data and items without a date always count as new. */
export function newIn({ items, isSample }: GatheredItems, since: number | undefined): SourceItem[] {
  if (since === undefined || isSample) return items;
  return items.filter(({ publishedAt }) => publishedAt === undefined || Date.parse(publishedAt) >= since);
}
