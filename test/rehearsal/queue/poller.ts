/** Brings the messages of a queue to a function, as Lambda does: in batches, and what fails comes again in the queue's time. */
import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Told } from '../lambda/runtime.ts';
import { doneOf, sqsEvent } from './sqs-event.ts';

export type Polling = {
  /** Signs as the function: Lambda polls with the function's own role. */
  client: SQSClient;
  queueUrl: string;
  queueArn: string;
  batchSize: number;
  reportsFailures: boolean;
  /** Called before each look at the queue. */
  begin?(): void;
  invoke(event: unknown): Promise<Told>;
};

/** SQS gives no more at once. */
const MAX_RECEIVED = 10;
const WAIT_SECONDS = 20;

export type Poller = { stop(): Promise<void> };

export function startPoller(o: Polling): Poller {
  const stopped = new AbortController();
  const { signal: abortSignal } = stopped;

  async function turn(): Promise<void> {
    o.begin?.();
    const wanted = new ReceiveMessageCommand({
      QueueUrl: o.queueUrl,
      MaxNumberOfMessages: Math.min(o.batchSize, MAX_RECEIVED),
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
    });
    const { Messages = [] } = await o.client.send(wanted, { abortSignal });
    if (Messages.length === 0) return;
    const told = await o.invoke(sqsEvent(Messages, o.queueArn));
    const done = doneOf(Messages, told, o.reportsFailures);
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await o.client.send(new DeleteMessageBatchCommand({ QueueUrl: o.queueUrl, Entries }));
  }

  async function poll(): Promise<void> {
    while (!abortSignal.aborted) {
      await turn().catch((error) => {
        if (!abortSignal.aborted) throw error;
      });
    }
  }

  const polling = poll();
  polling.catch((error) => console.error(`The poller of ${o.queueArn} failed:`, error));
  return {
    async stop() {
      stopped.abort();
      await polling;
    },
  };
}
