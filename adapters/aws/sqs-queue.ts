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
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { checkReceive, checkRelease, checkSend, QUEUE_LIMITS } from '../../shared/core/queue-limits.ts';
import type { OutgoingMessage, Queue, ReceivedMessage } from '../../shared/ports.ts';
import { failAs } from './errors.ts';

const fail = failAs('The queue');

/** The client is created with its first use, which many calls of a function do not reach. */
export function sqsQueue({ client, url: QueueUrl }: { client: () => SQSClient; url: string }): Queue {
  return {
    async send(messages) {
      checkSend(messages);
      const Entries = messages.map(entryOf);
      const { Failed } = await client().send(new SendMessageBatchCommand({ QueueUrl, Entries })).catch(fail);
      throwIfAny(Failed);
    },

    async receive(max, waitSeconds) {
      checkReceive(max, waitSeconds);
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
      });
      const { Messages = [] } = await client().send(command).catch(fail);
      return Messages.map(receivedOf);
    },

    async done(receipts) {
      for (let from = 0; from < receipts.length; from += QUEUE_LIMITS.batch) {
        const batch = receipts.slice(from, from + QUEUE_LIMITS.batch);
        const Entries = batch.map((ReceiptHandle, at) => ({ Id: String(at), ReceiptHandle }));
        const { Failed = [] } = await client().send(new DeleteMessageBatchCommand({ QueueUrl, Entries })).catch(fail);
        throwIfAny(Failed.filter(({ Code = '' }) => !isStale(Code)));
      }
    },

    async release(ReceiptHandle, VisibilityTimeout) {
      checkRelease(VisibilityTimeout);
      const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout });
      await client()
        .send(command)
        .catch((error) => (isStaleReceipt(error) ? undefined : fail(error)));
    },
  };
}

const entryOf = ({ body, group, delaySeconds }: OutgoingMessage, at: number) => ({
  Id: String(at),
  MessageBody: body,
  ...definedFields({ MessageGroupId: group }),
  // Sent even if it is 0: the queue may have a default delay.
  DelaySeconds: delaySeconds ?? 0,
});

function receivedOf({ Body = '', ReceiptHandle = '', Attributes = {} }: Message): ReceivedMessage {
  return {
    body: Body,
    receipt: ReceiptHandle,
    receives: Number(Attributes.ApproximateReceiveCount),
    sentAt: Number(Attributes.SentTimestamp),
  };
}

/** The receipt handle has expired or the message is gone. Ignored, because delivery is at least once. */
const STALE = ['ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue'];
const isStale = (code: string): boolean => STALE.some((name) => code.endsWith(name));
const isStaleReceipt = (error: unknown): boolean => error instanceof Error && isStale(error.name);

function throwIfAny(failed: BatchResultErrorEntry[] = []): void {
  if (failed.length === 0) return;
  const cause = failed.map(({ Id, Code, Message }) => ({ Id, Code, Message }));
  if (failed.every(({ SenderFault }) => SenderFault)) throw new Error('The queue refused a message.', { cause });
  throw new Problem('busy', 'The queue did not take every message; try again shortly.', { cause });
}
