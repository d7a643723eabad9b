/** The queues of the local product: one for each lane, and one for webhooks. */
import type { EachLane } from '../../shared/core/lane.ts';
import type { Clock, Ids } from '../../shared/ports.ts';
import { type MemoryQueue, memoryQueue } from './memory-queue.ts';

/** The same as on AWS, where it is six times the consumer's timeout. */
const VISIBILITY_SECONDS = { lane: 5_400, webhooks: 360 };
const MAX_RECEIVES = 5;

type LocalQueues = { lanes: EachLane<MemoryQueue>; webhooks: MemoryQueue };

export function localQueues(o: { clock: Clock; ids: Ids }): LocalQueues {
  const queue = (visibilitySeconds: number) => memoryQueue({ ...o, visibilitySeconds, maxReceives: MAX_RECEIVES });
  const lane = () => queue(VISIBILITY_SECONDS.lane);
  return { lanes: { high: lane(), normal: lane(), low: lane() }, webhooks: queue(VISIBILITY_SECONDS.webhooks) };
}
