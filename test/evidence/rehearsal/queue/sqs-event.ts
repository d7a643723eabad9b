/** Turns received messages into the event of a queue, and the function's result into the list of processed messages. */
import type { Message } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Outcome } from '../lambda/runtime.ts';
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
  // The product sends no attributes.
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: REGION,
});

/** A message counts as processed unless the function names it as failed; an unreadable result fails the whole batch. */
export function doneMessages(messages: Message[], outcome: Outcome, reportsFailures: boolean): Message[] {
  if ('error' in outcome) return [];
  if (!reportsFailures) return messages;
  const { batchItemFailures = [] } = (outcome.result ?? {}) as Partial<SQSBatchResponse>;
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
}
