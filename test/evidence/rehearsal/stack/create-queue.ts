/** Creates a queue in moto with all its attributes: visibility timeout, delay, dead-letter queue. */
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { ACCOUNT, type Created, createdResource, REGION } from './template.ts';

export async function createQueue({ name, properties, places }: Wanted): Promise<Created> {
  const client = new SQSClient(connection(places.emulators.awsUrl));
  const { QueueName: _, Tags: __, ...attributes } = properties as Record<string, unknown>;
  const Attributes = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, textOf(value)]));
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  client.destroy();
  const Arn = `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
  // The SDK prefers a queue's URL to the client's endpoint.
  return createdResource(`${places.awsUrl}/${ACCOUNT}/${name}`, { Arn, QueueName: name });
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
