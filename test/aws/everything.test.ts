/** Erasing with pages and unprocessed writes, which an emulator shows only with thousands of rows. */
import { beforeEach, expect, it } from 'vitest';
import { bucketOf } from '../../adapters/aws/client/services.ts';
import { dynamoAdminStore } from '../../adapters/aws/stage.ts';
import { playAws } from './play-aws.ts';
import { reachingServer, serve } from './serve.ts';

const aws = playAws();
beforeEach(() => aws.reset());
const over = (address: string) =>
  dynamoAdminStore({
    dynamo: aws.call,
    tableName: 't',
    bucket: bucketOf('the-bucket', reachingServer(address)),
    uploads: bucketOf('the-uploads', reachingServer(address)),
  });
const NOWHERE = 'http://127.0.0.1:9';

it('reads the rows of every page, also after an empty one', async () => {
  const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 's' }, v: { S: '1' }, d: { S: '1' } });
  const last = { pk: { S: 'last' } };
  aws.on('Scan', { Items: [item('a')], LastEvaluatedKey: last }, { LastEvaluatedKey: last }, { Items: [item('b')] });
  const found: string[] = [];
  for await (const { pk } of over(NOWHERE).rowsAbout('org')) found.push(pk);
  expect(found).toEqual(['a', 'b']);
  expect(aws.said('Scan')).toHaveLength(3);
});

it('retries unprocessed writes, 25 at a time', async () => {
  const keys = Array.from({ length: 30 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
  const left = [{ DeleteRequest: { Key: { pk: { S: 'p3' }, sk: { S: 's' } } } }];
  aws.on('BatchWriteItem', { UnprocessedItems: { t: left } }, { UnprocessedItems: {} });
  await over(NOWHERE).removeRows(keys);
  const sent = aws.said('BatchWriteItem').map(({ RequestItems }) => RequestItems.t);
  expect(sent.map(({ length }) => length)).toEqual([25, 1, 5]);
  expect(sent[1]).toEqual(left);
});

it('lists a folder completely, whatever characters its keys contain', async () => {
  const page = (keys: string[], token = '') => ({
    status: 200,
    body: `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${token}</ListBucketResult>`,
  });
  const next = '<NextContinuationToken>1&amp;2</NextContinuationToken>';
  const { address, seen } = await serve(page(['o/a+b%2B%26', 'o/%3CKey%3E'], next), page(['o/%E2%82%AC']));
  expect(await over(address).blobsIn(['o/'], [])).toEqual(['o/a b+&', 'o/<Key>', 'o/€']);
  expect(seen.map(({ url }) => url)).toEqual([
    '/the-bucket/?encoding-type=url&list-type=2&prefix=o%2F',
    '/the-bucket/?continuation-token=1%262&encoding-type=url&list-type=2&prefix=o%2F',
  ]);
});

it('lists the uploads of an organization by their versions, of every hour, also those that are hidden, each key once', async () => {
  const version = (kind: string, key: string) => `<${kind}><Key>${key}</Key><VersionId>v</VersionId></${kind}>`;
  const page = (inner: string) => ({ status: 200, body: `<ListVersionsResult>${inner}</ListVersionsResult>` });
  const next = '<NextKeyMarker>arrivals/o/%2B</NextKeyMarker><NextVersionIdMarker>v2</NextVersionIdMarker>';
  const [mine, older] = ['arrivals/2026-11-22T14/o/a', 'arrivals/o/b'];
  const [a, b] = [version('Version', mine), version('DeleteMarker', older)];
  const others = version('Version', 'arrivals/2026-11-22T14/of/o') + version('Version', 'arrivals/2026-11-22T14/oo/a');
  const { address, seen } = await serve(page(a + a + others + next), page(a + b));
  expect(await over(address).uploadsOf('o')).toEqual([mine, older]);
  expect(seen.map(({ url }) => url)).toEqual([
    '/the-uploads/?encoding-type=url&prefix=arrivals%2F&versions=',
    '/the-uploads/?encoding-type=url&key-marker=arrivals%2Fo%2F%2B&prefix=arrivals%2F&version-id-marker=v2&versions=',
  ]);
});
