/** Turns received messages into the event of a queue, and what the function told into the messages that are done. */
import type { Message } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Told } from '../lambda/runtime.ts';
import { REGION } from '../stack/template.ts';

export const sqsEvent = (messages: Message[], queueArn: string): SQSEvent => ({
  Records: messages.map((message) => recordOf(message, queueArn)),
});

const recordOf = (
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} }: Message,
  queueArn: string,
): SQSRecord => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes as SQSRecord['attributes'],
  // The product sends none.
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: REGION,
});

/** What the function does not name as failed is done; an answer that Lambda cannot read fails the whole batch. */
export function doneOf(messages: Message[], told: Told, reportsFailures: boolean): Message[] {
  if ('error' in told) return [];
  if (!reportsFailures) return messages;
  const { batchItemFailures = [] } = (told.result ?? {}) as Partial<SQSBatchResponse>;
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
}
