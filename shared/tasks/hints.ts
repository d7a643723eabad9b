/** Hints that work is ready: best effort, because the table is the truth and the reconciler repeats them. */

import { type EachLane, laneOf } from '../core/lane.ts';
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import type { Queue } from '../ports.ts';
import type { TaskAddress } from './rows.ts';
import type { Effect } from './task.ts';

export type Hints = (effects: readonly Effect[], about: TaskAddress & { priority: number }) => Promise<void>;

type Outlets = {
  lanes: EachLane<Pick<Queue, 'send'>>;
  webhooks: Pick<Queue, 'send'>;
  log: Log;
};

export const hintsOver = ({ lanes, webhooks, log }: Outlets): Hints =>
  async function hint(effects, { organization, taskId, priority, run: ofRun }) {
    for (const effect of effects) {
      if (effect.do === 'push') continue;
      const { run = ofRun } = effect as { run?: number };
      const isForWorker = effect.do === 'hintWorker';
      const reminder = isForWorker && effect.isReminder ? { reminder: true } : {};
      const body = JSON.stringify({ organization, taskId, ...definedFields({ run }), ...reminder });
      const queue = isForWorker ? lanes[laneOf(priority)] : webhooks;
      // The group makes the queue fair between organizations.
      await queue.send([{ body, group: organization, delaySeconds: effect.delaySeconds }]).catch((error) => {
        log.warn('a hint was not sent', { taskId, effect: effect.do, error });
      });
    }
  };

/** For processes that only send webhooks and never put a task back into a lane. */
export const webhookHintsOver = ({ webhooks, log }: Omit<Outlets, 'lanes'>): Hints =>
  hintsOver({ lanes: { high: webhooks, normal: webhooks, low: webhooks }, webhooks, log });

export const hintOf = (address: TaskAddress): string => JSON.stringify(address);

/** Returns undefined for a body that is not a valid hint. */
export function addressOfHint(body: string): TaskAddress | undefined {
  try {
    const { organization, taskId, run } = JSON.parse(body) as Partial<TaskAddress>;
    if (typeof organization !== 'string' || typeof taskId !== 'string') return undefined;
    return Number.isSafeInteger(run) ? { organization, taskId, run: run as number } : { organization, taskId };
  } catch {
    return undefined;
  }
}

/** For a suspect: its batch runs nothing else. */
export const aloneHintOf = ({ organization, taskId }: TaskAddress): string =>
  JSON.stringify({ organization, taskId, alone: true });

/** What a message in a lane names: one task, or several postponed tasks of one organization. */
type LaneHint = { organization: string; taskIds: string[]; isReminder: boolean; isAlone: boolean };

export const postponedHintOf = (organization: string, taskIds: readonly string[]): string =>
  JSON.stringify({ organization, taskIds });

export function laneHintIn(body: string): LaneHint | undefined {
  const address = addressOfHint(body);
  try {
    const { organization, taskIds, reminder, alone } = JSON.parse(body) as Record<string, unknown>;
    const [isReminder, isAlone] = [reminder === true, alone === true];
    if (address) return { organization: address.organization, taskIds: [address.taskId], isReminder, isAlone };
    if (typeof organization !== 'string' || !Array.isArray(taskIds)) return undefined;
    return { organization, taskIds: taskIds.filter((id) => typeof id === 'string'), isReminder, isAlone };
  } catch {
    return undefined;
  }
}
