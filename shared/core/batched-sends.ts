/** Sends messages that are waiting at the same time in one request, for a sender of many small messages. */
import type { OutgoingMessage, Queue } from '../ports.ts';
import { QUEUE_LIMITS } from './queue-limits.ts';

/** Requests to one queue. Few, so that messages gather meanwhile; more than one, because a request takes 10 ms on AWS. */
export const REQUESTS_AT_ONCE = 2;

type Waiting = { message: OutgoingMessage; resolve: () => void; reject: (error: unknown) => void };

/** Each message must be small: ten of them fit into one request. If a request fails, all its messages count as not sent. */
export function batchedSends(queue: Pick<Queue, 'send'>): Pick<Queue, 'send'> {
  const waiting: Waiting[] = [];
  let requests = 0;

  async function sendWaiting(): Promise<void> {
    requests++;
    // Lets callers of the same moment add their messages first.
    await Promise.resolve();
    while (waiting.length > 0) await sendBatch(waiting.splice(0, QUEUE_LIMITS.batch));
    requests--;
  }

  async function sendBatch(batch: Waiting[]): Promise<void> {
    try {
      await queue.send(batch.map(({ message }) => message));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    async send(messages) {
      const sends = messages.map(
        (message) => new Promise<void>((resolve, reject) => waiting.push({ message, resolve, reject })),
      );
      if (requests < REQUESTS_AT_ONCE) void sendWaiting();
      await Promise.all(sends);
    },
  };
}
