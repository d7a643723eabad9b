/** Delivers the messages of a queue to a function in batches, as Lambda does. Failed messages stay until they are visible again. */
import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Outcome } from '../lambda/runtime.ts';
import { doneMessages, sqsEvent } from './sqs-event.ts';

export type Polling = {
  /** Signs with the function's credentials, because Lambda polls with the function's own role. */
  client: SQSClient;
  queueUrl: string;
  queueArn: string;
  batchSize: number;
  reportsFailures: boolean;
  /** Called before each receive. */
  begin?(): void;
  invoke(event: unknown): Promise<Outcome>;
};

/** The most messages that SQS returns at once. */
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
    const outcome = await o.invoke(sqsEvent(Messages, o.queueArn));
    const done = doneMessages(Messages, outcome, o.reportsFailures);
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
