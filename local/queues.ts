/** The product's queues on one machine. What they lose when the process dies, the reconciler says again. */
import type { Clock, Ids } from '../shared/ports.ts';
import type { EachLane } from '../shared/tasks/lane.ts';
import { type MemoryQueue, memoryQueue } from './queue.ts';

/** As long as in the cloud, where it is six times what a consumer may take. */
const VISIBILITY_SECONDS = { lane: 5_400, webhooks: 360 };
const MOST_RECEIVES = 5;

export type LocalQueues = { lanes: EachLane<MemoryQueue>; webhooks: MemoryQueue };

export function localQueues(o: { clock: Clock; ids: Ids }): LocalQueues {
  const queue = (visibilitySeconds: number) => memoryQueue({ ...o, visibilitySeconds, maxReceives: MOST_RECEIVES });
  const lane = () => queue(VISIBILITY_SECONDS.lane);
  return { lanes: { high: lane(), normal: lane(), low: lane() }, webhooks: queue(VISIBILITY_SECONDS.webhooks) };
}
