/** Brings a queue's messages to a consumer, so many at once: what Lambda's own pollers do in the cloud. */
import { QUEUE_LIMITS } from '../shared/ports.ts';
import type { MemoryQueue } from './queue.ts';

type Consuming = {
  queue: MemoryQueue;
  atOnce: number;
  /** What it rejects stays hidden until the queue shows it again. */
  consume(body: string): Promise<void>;
};

export type Consumer = { stop(): Promise<void> };

export function startConsumer({ queue, atOnce, consume }: Consuming): Consumer {
  let free = atOnce;
  let stopped = false;
  let freed: () => void = () => undefined;

  async function handle(body: string, receipt: string): Promise<void> {
    try {
      await consume(body);
      await queue.done([receipt]);
    } catch {
      // The consumer has said why.
    } finally {
      free++;
      freed();
    }
  }

  async function take(): Promise<void> {
    while (!stopped) {
      if (free === 0) await new Promise<void>((resolve) => (freed = resolve));
      const messages = await queue.receive(Math.min(Math.max(free, 1), QUEUE_LIMITS.batch), QUEUE_LIMITS.waitSeconds);
      free -= messages.length;
      for (const { body, receipt } of messages) void handle(body, receipt);
    }
  }

  const taking = take();
  return {
    async stop() {
      stopped = true;
      queue.close();
      await taking;
      while (free < atOnce) await new Promise<void>((resolve) => (freed = resolve));
    },
  };
}
