/** Brings a queue's messages to a consumer, so many at once: what Lambda's own pollers do in the cloud. */
import { QUEUE_LIMITS } from '../shared/ports.ts';
import type { MemoryQueue } from './queue.ts';

type Consuming = {
  queue: MemoryQueue;
  /** Asked again whenever more are to be taken: when it falls, nothing is taken until enough have ended. */
  atOnce(): number;
  /** What it rejects stays hidden until the queue shows it again. */
  consume(body: string): Promise<void>;
};

export type Consumer = { stop(): Promise<void> };

export function startConsumer({ queue, atOnce, consume }: Consuming): Consumer {
  let taken = 0;
  let stopped = false;
  let freed: () => void = () => undefined;
  const oneEnded = () => new Promise<void>((resolve) => (freed = resolve));

  async function handle(body: string, receipt: string): Promise<void> {
    try {
      await consume(body);
      await queue.done([receipt]);
    } catch {
      // The consumer has said why.
    } finally {
      taken--;
      freed();
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
      taken += messages.length;
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
