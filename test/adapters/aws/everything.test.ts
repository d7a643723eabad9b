/** Erasing with pages and unprocessed writes, which an emulator shows only with thousands of rows. */
import { BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { clientConfig, environmentConnection } from '../../../adapters/aws/connection.ts';
import { dynamoAdminStore } from '../../../adapters/aws/dynamo-admin-store.ts';
import { s3Requests } from '../../../adapters/aws/s3-client.ts';

const client = new DynamoDBClient({ region: 'eu-central-1' });
const dynamo = mockClient(client);
// The class, because the product creates the client.
const s3 = mockClient(S3Client);
beforeEach(() => {
  dynamo.reset();
  s3.reset();
});
const store = dynamoAdminStore({
  client,
  tableName: 't',
  s3: async () => s3Requests(clientConfig('S3', environmentConnection({ AWS_REGION: 'eu-central-1' }))),
  bucket: 'the-bucket',
  uploads: 'the-uploads',
});

it('reads the rows of every page, also after an empty one', async () => {
  const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 's' }, v: { S: '1' }, d: { S: '1' } });
  const starts: unknown[] = [];
  const pages = [
    { Items: [item('a')], LastEvaluatedKey: { pk: { S: 'a' } } },
    { LastEvaluatedKey: { pk: { S: 'empty' } } },
    { Items: [item('b')] },
  ];
  dynamo.on(ScanCommand).callsFake(async ({ ExclusiveStartKey }) => {
    starts.push(ExclusiveStartKey);
    return pages[starts.length - 1];
  });
  const read: string[] = [];
  for await (const { pk } of store.rowsAbout('org')) read.push(pk);
  expect(read).toEqual(['a', 'b']);
  expect(starts).toEqual([undefined, { pk: { S: 'a' } }, { pk: { S: 'empty' } }]);
});

it('retries unprocessed writes, 25 at a time', async () => {
  const keys = Array.from({ length: 30 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
  const left = [{ DeleteRequest: { Key: { pk: { S: 'p3' }, sk: { S: 's' } } } }];
  dynamo
    .on(BatchWriteItemCommand)
    .resolvesOnce({ UnprocessedItems: { t: left } })
    .resolves({ UnprocessedItems: {} });
  await store.removeRows(keys);
  const sent = dynamo.commandCalls(BatchWriteItemCommand).map(({ args: [{ input }] }) => input.RequestItems?.t ?? []);
  expect(sent.map(({ length }) => length)).toEqual([25, 1, 5]);
  expect(sent[1]).toEqual(left);
});

const listedFiles = { Bucket: 'the-bucket', Prefix: 'o/', EncodingType: 'url' };
const listedUploads = { Bucket: 'the-uploads', Prefix: 'arrivals/', EncodingType: 'url' };

it('lists a folder completely, whatever characters its keys contain', async () => {
  s3.on(ListObjectsV2Command)
    .resolvesOnce({ Contents: [{ Key: 'o/a+b%2B%26' }, { Key: 'o/%3CKey%3E' }], NextContinuationToken: '1&2' })
    .resolves({ Contents: [{ Key: 'o/%E2%82%AC' }] });
  expect(await store.blobsIn(['o/'], [])).toEqual(['o/a b+&', 'o/<Key>', 'o/€']);
  const inputs = s3.commandCalls(ListObjectsV2Command).map(({ args: [{ input }] }) => input);
  expect(inputs).toEqual([listedFiles, { ...listedFiles, ContinuationToken: '1&2' }]);
});

it('lists the uploads of an organization by their versions, of every hour, also those that are hidden, each key once', async () => {
  const version = (Key: string) => ({ Key: encodeURIComponent(Key), VersionId: 'v' });
  const [mine, older] = ['arrivals/2026-11-22T14/o/a', 'arrivals/o/b'];
  const others = ['arrivals/2026-11-22T14/of/o', 'arrivals/2026-11-22T14/oo/a'].map(version);
  s3.on(ListObjectVersionsCommand)
    .resolvesOnce({
      Versions: [version(mine), version(mine), ...others],
      NextKeyMarker: 'arrivals/o/%2B',
      NextVersionIdMarker: 'v2',
    })
    .resolves({ Versions: [version(mine)], DeleteMarkers: [version(older)] });
  expect(await store.uploadsOf('o')).toEqual([mine, older]);
  const inputs = s3.commandCalls(ListObjectVersionsCommand).map(({ args: [{ input }] }) => input);
  expect(inputs).toEqual([listedUploads, { ...listedUploads, KeyMarker: 'arrivals/o/+', VersionIdMarker: 'v2' }]);
});
