/** A standard queue of SQS, fair between message groups. */
import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { Problem } from '../shared/core/problem.ts';
import { checkReceive, checkRelease, checkSend } from '../shared/core/queue-limits.ts';
import { type Outgoing, QUEUE_LIMITS, type Queue, type Received } from '../shared/ports.ts';
import { failAs } from './failures.ts';

const fail = failAs('The queue');

export function sqsQueue({ client, url: QueueUrl }: { client: SQSClient; url: string }): Queue {
  return {
    async send(messages) {
      checkSend(messages);
      const Entries = messages.map(entryOf);
      const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries })).catch(fail);
      throwIfAny(Failed);
    },

    async receive(most, waitSeconds) {
      checkReceive(most, waitSeconds);
      const wanted = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: most,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
      });
      const { Messages = [] } = await client.send(wanted).catch(fail);
      return Messages.map(receivedOf);
    },

    async done(receipts) {
      for (let from = 0; from < receipts.length; from += QUEUE_LIMITS.batch) {
        const batch = receipts.slice(from, from + QUEUE_LIMITS.batch);
        const Entries = batch.map((ReceiptHandle, at) => ({ Id: String(at), ReceiptHandle }));
        const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })).catch(fail);
        throwIfAny(Failed.filter(({ Code = '' }) => !isStale(Code)));
      }
    },

    async release(ReceiptHandle, VisibilityTimeout) {
      checkRelease(VisibilityTimeout);
      const wanted = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout });
      await client.send(wanted).catch((error) => (isStaleReceipt(error) ? undefined : fail(error)));
    },
  };
}

const entryOf = ({ body, group, delaySeconds }: Outgoing, at: number) => ({
  Id: String(at),
  MessageBody: body,
  ...(group === undefined ? {} : { MessageGroupId: group }),
  // Said even when it is 0: the queue may have a delay of its own.
  DelaySeconds: delaySeconds ?? 0,
});

function receivedOf({ Body = '', ReceiptHandle = '', Attributes = {} }: Message): Received {
  return {
    body: Body,
    receipt: ReceiptHandle,
    receives: Number(Attributes.ApproximateReceiveCount),
    sentAt: Number(Attributes.SentTimestamp),
  };
}

/** What became of the message is settled already, and at least once is all that is promised. */
const STALE = ['ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue'];
const isStale = (code: string): boolean => STALE.some((name) => code.endsWith(name));
const isStaleReceipt = (error: unknown): boolean => error instanceof Error && isStale(error.name);

function throwIfAny(failed: BatchResultErrorEntry[] = []): void {
  if (failed.length === 0) return;
  const cause = failed.map(({ Id, Code, Message }) => ({ Id, Code, Message }));
  if (failed.every(({ SenderFault }) => SenderFault)) throw new Error('The queue refused a message.', { cause });
  throw new Problem('busy', 'The queue did not take every message; try again shortly.', { cause });
}
