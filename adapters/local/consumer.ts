/** Consumes the queues of one machine. */
import { QUEUE_LIMITS } from '../../shared/core/queue-limits.ts';
import type { MemoryQueue } from './memory-queue.ts';

type Consuming = {
  queue: MemoryQueue;
  /** The limit for each organization, which is the group of its messages; without it only `atOnce` applies. */
  ofOrganization?: { atOnce(): number; organizationIn(body: string): string };
  /** Read before each receive: if it has fallen, the queue takes nothing until enough consumers have ended. */
  atOnce(): number;
  /** If it rejects, the message stays hidden until its visibility timeout. */
  consume(body: string): Promise<void>;
};

export type Consumer = { stop(): Promise<void> };

/** Passes a queue's messages to a consumer with a limit of concurrency, as Lambda's pollers do on AWS. */
export function startConsumer({ queue, atOnce, consume, ofOrganization }: Consuming): Consumer {
  let inProgress = 0;
  const running = new Map<string, number>();
  const runningOf = (organization: string): number => running.get(organization) ?? 0;
  if (ofOrganization) queue.limitGroups((group, also) => runningOf(group) + also < ofOrganization.atOnce());
  let stopped = false;
  let freed: () => void = () => undefined;
  const slotFreed = () => new Promise<void>((resolve) => (freed = resolve));

  function count(body: string, change: 1 | -1): void {
    inProgress += change;
    if (!ofOrganization) return;
    const organization = ofOrganization.organizationIn(body);
    const runningNow = runningOf(organization) + change;
    if (runningNow > 0) running.set(organization, runningNow);
    else running.delete(organization);
  }

  async function handle(body: string, receipt: string): Promise<void> {
    try {
      await consume(body);
      await queue.done([receipt]);
    } catch {
      // The consumer has logged the error.
    } finally {
      count(body, -1);
      freed();
      queue.look();
    }
  }

  async function take(): Promise<void> {
    while (!stopped) {
      const free = atOnce() - inProgress;
      if (free <= 0) {
        await slotFreed();
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
      while (inProgress > 0) await slotFreed();
    },
  };
}
