/** Brings a queue's messages to a consumer, so many at once: what Lambda's own pollers do in the cloud. */
import { QUEUE_LIMITS } from '../shared/ports.ts';
import type { MemoryQueue } from './queue.ts';

type Consuming = {
  queue: MemoryQueue;
  /** How many of one organization, which is the group of its messages; without it as many as of all. */
  ofOrganization?: { atOnce(): number; organizationIn(body: string): string };
  /** Asked again whenever more are to be taken: when it falls, nothing is taken until enough have ended. */
  atOnce(): number;
  /** What it rejects stays hidden until the queue shows it again. */
  consume(body: string): Promise<void>;
};

export type Consumer = { stop(): Promise<void> };

export function startConsumer({ queue, atOnce, consume, ofOrganization }: Consuming): Consumer {
  let taken = 0;
  const running = new Map<string, number>();
  const runningOf = (organization: string): number => running.get(organization) ?? 0;
  if (ofOrganization) queue.limitGroups((group, also) => runningOf(group) + also < ofOrganization.atOnce());
  let stopped = false;
  let freed: () => void = () => undefined;
  const oneEnded = () => new Promise<void>((resolve) => (freed = resolve));

  function count(body: string, change: 1 | -1): void {
    taken += change;
    if (!ofOrganization) return;
    const organization = ofOrganization.organizationIn(body);
    const left = runningOf(organization) + change;
    if (left > 0) running.set(organization, left);
    else running.delete(organization);
  }

  async function handle(body: string, receipt: string): Promise<void> {
    try {
      await consume(body);
      await queue.done([receipt]);
    } catch {
      // The consumer has said why.
    } finally {
      count(body, -1);
      freed();
      queue.look();
    }
  }

  async function take(): Promise<void> {
    while (!stopped) {
      const free = atOnce() - taken;
      if (free <= 0) {
        await oneEnded();
        continue;
      }
      const messages = await queue.receive(Math.min(free, QUEUE_LIMITS.batch), QUEUE_LIMITS.waitSeconds);
      for (const { body } of messages) count(body, 1);
      for (const { body, receipt } of messages) void handle(body, receipt);
    }
  }

  const taking = take();
  return {
    async stop() {
      stopped = true;
      queue.close();
      await taking;
      while (taken > 0) await oneEnded();
    },
  };
}
