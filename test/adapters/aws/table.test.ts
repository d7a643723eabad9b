/** Behaviour of DynamoDB that no emulator shows: throttling, unprocessed keys, lost replies, consistent reads. */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import type { DynamoItem } from '../../../adapters/aws/dynamo-items.ts';
import { dynamoTable } from '../../../adapters/aws/dynamo-table.ts';
import { isProblem } from '../../../shared/core/problem.ts';
import type { Ids, Table } from '../../../shared/ports.ts';
import { setClock } from '../../ports/clock.ts';
import { keptFields, serviceError } from './service-error.ts';

const client = new DynamoDBClient({ region: 'eu-central-1' });
const dynamo = mockClient(client);
afterEach(() => void dynamo.reset());

const rejectCall = () => {
  throw new Error('The table must not ask for this.');
};
const ids: Ids = { mark: () => 'mine', uuid: rejectCall, secret: rejectCall };
const table = dynamoTable({ client, tableName: 'the-table', clock: setClock(), ids });

const key = { pk: 'P', sk: 'S' };
const held = { ...key, version: 'held' };
const spend = { by: { a: 1 }, atMost: { a: 5 }, expiresAt: 4_000_000_000_000 };
const itemOf = (version: string, sk = 'S') => ({ pk: { S: 'P' }, sk: { S: sk }, v: { S: version }, d: { S: '1' } });

const CALLS: [keyof Table, () => Promise<unknown>][] = [
  ['get', () => table.get(key)],
  ['getMany', () => table.getMany([key])],
  ['insert', () => table.insert({ ...key, value: 1 })],
  ['replace', () => table.replace(held, { value: 1 })],
  ['remove', () => table.remove(held)],
  ['rows', () => table.rows('P', '', { limit: 1 })],
  ['listed', () => table.listed('L', { limit: 1 })],
  ['due', () => table.due(0, 1, 1)],
  ['spend', () => table.spend(key, spend)],
];

const PASSING: [string, Error][] = [
  ['throttling', serviceError('ThrottlingException', 400)],
  ['a hot partition', serviceError('ProvisionedThroughputExceededException', 400)],
  ['too many requests', serviceError('RequestLimitExceeded', 400)],
  ['a fault of the server', serviceError('InternalServerError', 500)],
  ['an unknown fault of the server', serviceError('UnknownError', 503)],
  ['a time-out', Object.assign(new Error('socket'), { name: 'TimeoutError' })],
  ['a broken connection', Object.assign(new Error('socket'), { code: 'ECONNRESET' })],
];

const conditionFailure = (was: DynamoItem | undefined, attempts: number) =>
  serviceError('ConditionalCheckFailedException', 400, {
    $metadata: { httpStatusCode: 400, attempts },
    ...(was ? { Item: was } : {}),
  });

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the table, when DynamoDB fails', () => {
  it.each(CALLS)('%s is busy after throttling', async (_, call) => {
    const thrown = serviceError('ThrottlingException', 400);
    dynamo.onAnyCommand().rejects(thrown);
    expect(await errorOf(call())).toMatchObject({ name: 'Problem', code: 'busy', cause: keptFields(thrown) });
    expect(dynamo.calls()).toHaveLength(1);
  });

  it.each(PASSING)('is busy after %s', async (_, thrown) => {
    dynamo.on(PutItemCommand).rejects(thrown);
    expect(await errorOf(table.insert({ ...key, value: 1 }))).toMatchObject({
      code: 'busy',
      cause: keptFields(thrown),
    });
  });

  it.each(CALLS)('%s lets no exception of the client out when the request itself is wrong', async (_, call) => {
    const thrown = serviceError('ValidationException', 400);
    dynamo.onAnyCommand().rejects(thrown);
    const error = await errorOf(call());
    expect(error).toMatchObject({ cause: keptFields(thrown) });
    expect([error, (error as Error).cause]).not.toContain(thrown);
    expect(isProblem(error)).toBe(false);
    expect((error as Error).message).not.toContain('secret');
  });
});

describe('getMany, when DynamoDB leaves keys unprocessed', () => {
  const keys = ['1', '2', '3'].map((sk) => ({ pk: 'P', sk }));
  const unprocessedKeys = (sks: string[]) => ({
    'the-table': { Keys: sks.map((sk) => ({ pk: { S: 'P' }, sk: { S: sk } })), ConsistentRead: true },
  });

  it('requests only those again, and answers in the requested order', async () => {
    dynamo
      .on(BatchGetItemCommand)
      .resolvesOnce({ Responses: { 'the-table': [itemOf('b', '2')] }, UnprocessedKeys: unprocessedKeys(['3', '1']) })
      .resolvesOnce({ UnprocessedKeys: unprocessedKeys(['3', '1']) })
      .resolves({ Responses: { 'the-table': [itemOf('c', '3'), itemOf('a', '1')] }, UnprocessedKeys: {} });
    const rows = await table.getMany(keys);
    expect(rows.map((row) => row?.version)).toEqual(['a', 'b', 'c']);
    const batches = dynamo.commandCalls(BatchGetItemCommand).map(({ args: [{ input }] }) => input.RequestItems);
    expect(batches.slice(1)).toEqual([unprocessedKeys(['3', '1']), unprocessedKeys(['3', '1'])]);
  });

  it('is busy, instead of omitting a row, if it never gets them', async () => {
    dynamo.on(BatchGetItemCommand).resolves({
      Responses: { 'the-table': [itemOf('b', '2')] },
      UnprocessedKeys: unprocessedKeys(['1']),
    });
    await expect(table.getMany(keys)).rejects.toMatchObject({ code: 'busy' });
    expect(dynamo.calls().length).toBeLessThan(10);
  });
});

describe('the table, when its own repeated request is refused', () => {
  it('recognizes its own row only by the version it has just made', async () => {
    dynamo.on(PutItemCommand).rejects(conditionFailure(itemOf('mine'), 2));
    expect(await table.insert({ ...key, value: 1 })).toEqual({ ...key, value: 1, version: 'mine' });
    expect(await table.replace(held, { value: 1 })).toEqual({ ...key, value: 1, version: 'mine' });
    dynamo.on(PutItemCommand).rejects(conditionFailure(itemOf('other'), 2));
    expect(await table.insert({ ...key, value: 1 })).toBeUndefined();
    expect(await table.replace(held, { value: 1 })).toBeUndefined();
    dynamo.on(PutItemCommand).rejects(conditionFailure(undefined, 2));
    expect(await table.replace(held, { value: 1 })).toBeUndefined();
  });

  it('answers what stands there when it has already spent', async () => {
    const counter = { pk: { S: 'P' }, sk: { S: 'S' }, v: { S: 'mine' }, x: { N: '4000000000000' }, 'c.a': { N: '5' } };
    dynamo.on(UpdateItemCommand).rejects(conditionFailure(counter, 2));
    expect(await table.spend(key, spend)).toEqual({ spent: true, now: { a: 5 } });
  });

  it.each([
    ['has removed the row if it was sent twice and finds nothing', conditionFailure(undefined, 2), true],
    ['has removed nothing if it was sent once and finds nothing', conditionFailure(undefined, 1), false],
    ['has removed nothing if it finds another version', conditionFailure(itemOf('other'), 2), false],
  ])('%s', async (_, error, removed) => {
    dynamo.on(DeleteItemCommand).rejects(error);
    expect(await table.remove(held)).toBe(removed);
  });
});

describe('what the table asks of DynamoDB', () => {
  it('is a consistent read, except of the indexes, which have none', async () => {
    dynamo.onAnyCommand().resolves({});
    for (const [, call] of CALLS.filter(([name]) => ['get', 'rows', 'listed', 'due'].includes(name))) await call();
    const reads = dynamo
      .commandCalls(QueryCommand)
      .map(({ args: [{ input }] }) => [input.IndexName, input.ConsistentRead]);
    expect(reads).toEqual([
      [undefined, true],
      ['list', undefined],
      ['due', undefined],
    ]);
    expect(dynamo.commandCalls(GetItemCommand)[0]?.args[0].input.ConsistentRead).toBe(true);
    await table.getMany([key, key]);
    expect(dynamo.commandCalls(BatchGetItemCommand)[0]?.args[0].input.RequestItems).toEqual({
      'the-table': { Keys: [{ pk: { S: 'P' }, sk: { S: 'S' } }], ConsistentRead: true },
    });
  });

  it('is nothing at all when the row is too large', async () => {
    await expect(table.insert({ ...key, value: 'x'.repeat(409_600) })).rejects.toMatchObject({ code: 'tooLarge' });
    await expect(table.replace(held, { value: 'x'.repeat(409_600) })).rejects.toMatchObject({ code: 'tooLarge' });
    expect(dynamo.calls()).toHaveLength(0);
  });

  it('gives DynamoDB the second after which it may delete the row, never an earlier one', async () => {
    dynamo.on(PutItemCommand).resolves({});
    await table.insert({ ...key, value: 1, expiresAt: 1_780_000_000_001 });
    const item = dynamo.commandCalls(PutItemCommand)[0]?.args[0].input.Item;
    expect(item).toMatchObject({ x: { N: '1780000000001' }, u: { N: '1780000001' } });
  });
});
