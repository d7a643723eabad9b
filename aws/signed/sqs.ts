/** SQS, as far as a queue asks it. The address of the queue is part of what is said. */
import type {
  ChangeMessageVisibilityCommandInput,
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
} from '@aws-sdk/client-sqs';
import { type AwsConnection, type Calls, jsonCalls } from './json-calls.ts';

export type Sqs = Calls<{
  ChangeMessageVisibility: [ChangeMessageVisibilityCommandInput, object];
  DeleteMessageBatch: [DeleteMessageBatchCommandInput, Partial<DeleteMessageBatchCommandOutput>];
  ReceiveMessage: [ReceiveMessageCommandInput, Partial<ReceiveMessageCommandOutput>];
  SendMessageBatch: [SendMessageBatchCommandInput, Partial<SendMessageBatchCommandOutput>];
}>;

export const sqs = (reaching: AwsConnection): Sqs =>
  jsonCalls({ service: 'sqs', target: 'AmazonSQS', version: '1.0' }, reaching);
