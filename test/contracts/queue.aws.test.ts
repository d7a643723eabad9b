import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqs } from '../../adapters/aws/client/services.ts';
import { sqsQueue } from '../../adapters/aws/sqs-queue.ts';
import { type QueueHarness, queueContract } from './queue.ts';
import { reaching } from './reaching.ts';

const client = new SQSClient();
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
    queue: sqsQueue({ sqs: sqs(reaching()), url: await make({ RedrivePolicy: JSON.stringify(policy) }) }),
    dead: sqsQueue({ sqs: sqs(reaching()), url: dead }),
    visibilitySeconds,
    maxReceives,
    patienceSeconds: 0,
    pass: async (ms) => pause(ms),
    close: async () => {},
  };
}

queueContract('a queue of SQS', open);
