/** Behaviour of SQS that no emulator shows: batches that fail in part, limits, stale receipts. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { sqsQueue } from '../../../adapters/aws/sqs-queue.ts';
import type { Queue } from '../../../shared/ports.ts';
import { keptFields, serviceError } from './service-error.ts';

const client = new SQSClient({ region: 'eu-central-1' });
const sqs = mockClient(client);
const queue = sqsQueue({ client: () => client, url: 'https://queue.invalid/1' });

const failureOf = (Code: string, SenderFault: boolean) => ({
  Failed: [{ Id: '1', Code, SenderFault }],
  Successful: [],
});

const calls: [string, (queue: Queue) => Promise<unknown>][] = [
  ['send', (on) => on.send([{ body: 'x' }])],
  ['receive', (on) => on.receive(1, 0)],
  ['done', (on) => on.done(['receipt'])],
  ['release', (on) => on.release('receipt', 1)],
];

beforeEach(() => {
  sqs.reset();
});

describe.each(calls)('%s', (_, call) => {
  it.each([
    ['RequestThrottled', 403],
    ['OverLimit', 403],
    ['KmsThrottled', 400],
    ['ServiceUnavailable', 503],
  ])('says busy on %s', async (name, status) => {
    const thrown = serviceError(name, status);
    sqs.onAnyCommand().rejects(thrown);
    await expect(call(queue)).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause: keptFields(thrown) });
  });

  it.each([
    ['QueueDoesNotExist', 400],
    ['AccessDenied', 403],
  ])('reports on %s that the operator has to fix it', async (name, status) => {
    sqs.onAnyCommand().rejects(serviceError(name, status));
    await expect(call(queue)).rejects.toMatchObject({ name: 'Problem', code: 'badSetting' });
  });
});

describe('sending', () => {
  const batch = [
    { body: 'a', group: 'org-1' },
    { body: 'b', delaySeconds: 7 },
  ];

  it('says busy when SQS did not accept one message of the batch', async () => {
    sqs.on(SendMessageBatchCommand).resolves(failureOf('InternalError', false));
    await expect(queue.send(batch)).rejects.toMatchObject({ name: 'Problem', code: 'busy', cause: [{ Id: '1' }] });
  });

  it('treats a message that SQS refused as an internal error', async () => {
    sqs.on(SendMessageBatchCommand).resolves(failureOf('InvalidMessageContents', true));
    const error: unknown = await queue.send(batch).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Error', cause: [{ Code: 'InvalidMessageContents' }] });
  });

  it('sets the message group that makes the queue fair, and the delay', async () => {
    sqs.on(SendMessageBatchCommand).resolves({});
    await queue.send(batch);
    expect(sqs.commandCalls(SendMessageBatchCommand)[0]?.args[0].input.Entries).toEqual([
      { Id: '0', MessageBody: 'a', MessageGroupId: 'org-1', DelaySeconds: 0 },
      { Id: '1', MessageBody: 'b', DelaySeconds: 7 },
    ]);
  });

  it('does not call SQS for a batch over the limits', async () => {
    await expect(queue.send(Array.from({ length: 11 }, () => ({ body: 'x' })))).rejects.toBeInstanceOf(RangeError);
    expect(sqs.calls()).toEqual([]);
  });
});

describe('receipts', () => {
  it.each(['ReceiptHandleIsInvalid', 'AWS.SimpleQueueService.ReceiptHandleIsInvalid', 'InvalidParameterValue'])(
    'that are stale are ignored: %s',
    async (name) => {
      sqs.on(DeleteMessageBatchCommand).resolves(failureOf(name, true));
      sqs.on(ChangeMessageVisibilityCommand).rejects(serviceError(name, 400));
      await expect(queue.done(['a', 'b'])).resolves.toBeUndefined();
      await expect(queue.release('a', 5)).resolves.toBeUndefined();
    },
  );

  it('that SQS could not delete just now say busy', async () => {
    sqs.on(DeleteMessageBatchCommand).resolves(failureOf('InternalError', false));
    await expect(queue.done(['a', 'b'])).rejects.toMatchObject({ code: 'busy' });
  });

  it('are deleted ten at a time', async () => {
    sqs.on(DeleteMessageBatchCommand).resolves({});
    await queue.done(Array.from({ length: 21 }, (_, n) => `receipt ${n}`));
    const batches = sqs.commandCalls(DeleteMessageBatchCommand).map(({ args: [{ input }] }) => input.Entries ?? []);
    expect(batches.map((entries) => entries.length)).toEqual([10, 10, 1]);
    expect(batches.flat().map((entry) => entry.ReceiptHandle)).toContain('receipt 20');
  });
});
