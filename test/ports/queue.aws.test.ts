import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { sqsQueue } from '../../adapters/aws/sqs-queue.ts';
import { type QueueHarness, queueContract } from './queue.ts';

const client = new SQSClient();
/** Longer than a receive waits for messages. */
const TIMEOUTS = { connectMs: 3_000, answerMs: 30_000 };
const productClient = sqsClient(environmentConnection(process.env), TIMEOUTS);
const visibilitySeconds = 2;
const maxReceives = 3;

async function make(attributes: Record<string, string>): Promise<string> {
  const Attributes = { VisibilityTimeout: String(visibilitySeconds), ...attributes };
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `errand-${randomUUID()}`, Attributes }));
  return QueueUrl as string;
}

async function open(): Promise<QueueHarness> {
  const dead = await make({});
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
  );
  const policy = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: maxReceives };
  return {
    queue: sqsQueue({ client: () => productClient, url: await make({ RedrivePolicy: JSON.stringify(policy) }) }),
    dead: sqsQueue({ client: () => productClient, url: dead }),
    visibilitySeconds,
    maxReceives,
    patienceSeconds: 0,
    pass: async (ms) => pause(ms),
    close: async () => {},
  };
}

queueContract('a queue of SQS', open);
