/** Tests the poller on a queue of moto, with a plain function instead of a bundle. */
import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sqsQueue } from '../../../adapters/aws/sqs-queue.ts';
import { type Poller, startPoller } from './queue/poller.ts';

const client = new SQSClient({});
const VISIBILITY_SECONDS = 1;
const MAX_RECEIVES = 3;

type Made = { url: string; arn: string };
type Handler = (event: SQSEvent) => SQSBatchResponse | undefined;

async function make(attributes: Record<string, string>): Promise<Made> {
  const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS), ...attributes };
  const QueueName = `errand-${randomUUID()}`;
  const { QueueUrl: url = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  return { url, arn: await attribute(url, 'QueueArn') };
}

async function attribute(url: string, name: 'QueueArn' | 'ApproximateNumberOfMessages'): Promise<string> {
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] });
  return (await client.send(asked)).Attributes?.[name] ?? '';
}

let queue: Made;
let dead: Made;
let pollers: Poller[] = [];
/** The bodies of every batch, in the order of arrival. */
let batches: string[][] = [];

beforeEach(async () => {
  [pollers, batches] = [[], []];
  dead = await make({});
  const policy = { deadLetterTargetArn: dead.arn, maxReceiveCount: MAX_RECEIVES };
  queue = await make({ RedrivePolicy: JSON.stringify(policy) });
});
afterEach(() => Promise.all(pollers.map(({ stop }) => stop())));

function poll(handler: Handler, change: { batchSize?: number; reportsFailures?: boolean } = {}): void {
  const invoke = async (event: unknown) => {
    batches.push((event as SQSEvent).Records.map(({ body }) => body));
    try {
      return { result: handler(event as SQSEvent) };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const usual = { client, queueUrl: queue.url, queueArn: queue.arn, batchSize: 10, reportsFailures: true };
  pollers.push(startPoller({ ...usual, ...change, invoke }));
}

async function send(...bodies: string[]): Promise<void> {
  const Entries = bodies.map((body, at) => ({ Id: String(at), MessageBody: body, MessageGroupId: 'group' }));
  await client.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
}

const failing = (event: SQSEvent, ...bodies: string[]): SQSBatchResponse => ({
  batchItemFailures: event.Records.filter(({ body }) => bodies.includes(body)).map(({ messageId }) => ({
    itemIdentifier: messageId,
  })),
});

const until = (what: () => void | Promise<void>) => vi.waitFor(what, { timeout: 20_000, interval: 50 });
const times = (body: string): number => batches.flat().filter((each) => each === body).length;
const deadLetters = async () =>
  (await sqsQueue({ client: () => client, url: dead.url }).receive(10, 0)).map(({ body }) => body);

/** Waits long enough for every message that is still in the queue to be received again. */
async function afterOneMore(): Promise<void> {
  await send('last');
  await until(() => expect(times('last')).toBeGreaterThan(0));
  const since = Date.now();
  await until(() => expect(Date.now() - since).toBeGreaterThan(VISIBILITY_SECONDS * 1_500));
}

it('passes the function the event that Lambda would pass', async () => {
  let seen: SQSEvent | undefined;
  poll((event) => {
    seen ??= event;
    return undefined;
  });
  await send('hello');
  await until(() => expect(seen).toBeDefined());
  expect(seen?.Records[0]).toEqual({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: 'hello',
    attributes: expect.objectContaining({
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      MessageGroupId: 'group',
    }),
    messageAttributes: {},
    md5OfBody: '5d41402abc4b2a76b9719d911017c592',
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: 'us-east-1',
  });
});

it('delivers successful messages once, in batches', async () => {
  poll(() => ({ batchItemFailures: [] }), { batchSize: 2 });
  await send('a', 'b', 'c');
  await until(() => expect(batches.flat().sort()).toEqual(['a', 'b', 'c']));
  await afterOneMore();
  expect(batches.flat().sort()).toEqual(['a', 'b', 'c', 'last']);
  expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(2);
});

it('redelivers the messages that the function names as failed, and no others', async () => {
  poll((event) => (times('bad') < 2 ? failing(event, 'bad') : undefined));
  await send('good', 'bad');
  await until(() => expect(times('bad')).toBe(2));
  await afterOneMore();
  expect([times('good'), times('bad')]).toEqual([1, 2]);
  expect(await deadLetters()).toEqual([]);
});

it('moves a message that failed three times to the dead-letter queue', async () => {
  poll((event) => failing(event, 'bad'));
  await send('good', 'bad');
  await until(async () => expect(await deadLetters()).toEqual(['bad']));
  expect([times('good'), times('bad')]).toEqual([1, MAX_RECEIVES]);
});

it('redelivers a whole batch when the function throws', async () => {
  poll(() => {
    if (times('a') < 2) throw new Error('broken');
    return undefined;
  });
  await send('a', 'b');
  await until(() => expect([times('a'), times('b')]).toEqual([2, 2]));
  await afterOneMore();
  expect([times('a'), times('b')]).toEqual([2, 2]);
});

it('redelivers a whole batch when the function names an unknown message', async () => {
  poll(() => (times('a') < 2 ? { batchItemFailures: [{ itemIdentifier: 'another' }] } : undefined));
  await send('a', 'b');
  await until(() => expect([times('a'), times('b')]).toEqual([2, 2]));
});

it('ignores reported failures when the mapping does not enable them', async () => {
  poll((event) => failing(event, 'bad'), { reportsFailures: false });
  await send('bad');
  await afterOneMore();
  expect(times('bad')).toBe(1);
});
