/** Hints that something is to be done: best effort, because the table carries the truth and the reconciler hints again. */
import type { Log } from '../core/log.ts';
import type { Queue } from '../ports.ts';
import type { Effect } from './decide.ts';
import { type EachLane, laneOf } from './lane.ts';
import type { TaskAddress } from './task-rows.ts';

export type Hints = (effects: readonly Effect[], about: TaskAddress & { priority: number }) => Promise<void>;

type Outlets = { lanes: EachLane<Queue>; webhooks: Queue; log: Log };

export const hintsOver = ({ lanes, webhooks, log }: Outlets): Hints =>
  async function hint(effects, { organization, taskId, priority, run: ofRun }) {
    for (const effect of effects) {
      if (effect.do === 'push') continue;
      const { run = ofRun } = effect as { run?: number };
      const body = hintOf({ organization, taskId, ...(run === undefined ? {} : { run }) });
      const queue = effect.do === 'hintWorker' ? lanes[laneOf(priority)] : webhooks;
      // The group makes the queue fair between organizations.
      await queue.send([{ body, group: organization, delaySeconds: effect.delaySeconds }]).catch((error) => {
        log.warn('a hint was not sent', { taskId, effect: effect.do, error });
      });
    }
  };

/** Of who only ever sends webhooks: nothing it does puts a task back into a lane. */
export const webhookHintsOver = ({ webhooks, log }: Omit<Outlets, 'lanes'>): Hints =>
  hintsOver({ lanes: { high: webhooks, normal: webhooks, low: webhooks }, webhooks, log });

export const hintOf = (address: TaskAddress): string => JSON.stringify(address);

/** Undefined for a body that is no hint of ours. */
export function addressOfHint(body: string): TaskAddress | undefined {
  try {
    const { organization, taskId, run } = JSON.parse(body) as Partial<TaskAddress>;
    if (typeof organization !== 'string' || typeof taskId !== 'string') return undefined;
    return Number.isSafeInteger(run) ? { organization, taskId, run: run as number } : { organization, taskId };
  } catch {
    return undefined;
  }
}
