/** Tests how the recorder reads AWS calls: operations, needed grants, rows and capacity. */
import { describe, expect, it } from 'vitest';
import { askCapacity, unitsIn, withoutCapacity } from './recorder/capacity.ts';
import { jsonOperation } from './recorder/json-operation.ts';
import { rowsIn } from './recorder/rows.ts';
import { s3Operation } from './recorder/s3-operation.ts';
import { schedulerOperation } from './recorder/scheduler-operation.ts';
import type { Wire } from './recorder/wire.ts';
import { rowKind } from './row-kind.ts';

const BUCKET = 'arn:aws:s3:::b';

const s3 = (method: string, address: string, headers: Record<string, string> = {}) => {
  const { pathname: path, searchParams: query } = new URL(address, 'http://s3');
  return s3Operation({ method, path, query, headers, service: 's3', token: undefined, isAddress: false });
};

const json = (service: string, target: string, body: Record<string, unknown>) => {
  const headers = { 'x-amz-target': target };
  const wire: Wire = {
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers,
    service,
    token: undefined,
    isAddress: false,
  };
  return jsonOperation(wire, body);
};

describe('in S3', () => {
  it.each([
    ['GET', '/b/k', 'GetObject', 's3:GetObject', `${BUCKET}/k`],
    ['GET', '/b/k?x-id=GetObject&response-content-type=text%2Fplain', 'GetObject', 's3:GetObject', `${BUCKET}/k`],
    ['HEAD', '/b/a/%C3%BC%201.txt', 'HeadObject', 's3:GetObject', `${BUCKET}/a/ü 1.txt`],
    ['PUT', '/b/k', 'PutObject', 's3:PutObject', `${BUCKET}/k`],
    ['POST', '/b/k?uploads', 'CreateMultipartUpload', 's3:PutObject', `${BUCKET}/k`],
    ['PUT', '/b/k?partNumber=1&uploadId=u', 'UploadPart', 's3:PutObject', `${BUCKET}/k`],
    ['POST', '/b/k?uploadId=u', 'CompleteMultipartUpload', 's3:PutObject', `${BUCKET}/k`],
    ['DELETE', '/b/k?uploadId=u', 'AbortMultipartUpload', 's3:AbortMultipartUpload', `${BUCKET}/k`],
    ['DELETE', '/b/k', 'DeleteObject', 's3:DeleteObject', `${BUCKET}/k`],
    ['GET', '/b/k?versionId=v', 'GetObject', 's3:GetObjectVersion', `${BUCKET}/k`],
    ['HEAD', '/b/k?versionId=v', 'HeadObject', 's3:GetObjectVersion', `${BUCKET}/k`],
    ['DELETE', '/b/k?versionId=v', 'DeleteObject', 's3:DeleteObjectVersion', `${BUCKET}/k`],
    ['GET', '/b?list-type=2', 'ListObjects', 's3:ListBucket', BUCKET],
    ['GET', '/b/?list-type=2', 'ListObjects', 's3:ListBucket', BUCKET],
    ['GET', '/b?prefix=arrivals%2F&versions=', 'ListObjectVersions', 's3:ListBucketVersions', BUCKET],
    ['GET', '/b?uploads', 'ListMultipartUploads', 's3:ListBucketMultipartUploads', BUCKET],
  ])('%s %s is %s', (method, address, name, action, resource) => {
    expect(s3(method, address)).toEqual({ name, needs: [{ action, resource }] });
  });

  it('a copy reads one object and writes another', () => {
    expect(s3('PUT', '/b/to', { 'x-amz-copy-source': 'b%2Ffrom%20here' })).toEqual({
      name: 'CopyObject',
      needs: [
        { action: 's3:GetObject', resource: `${BUCKET}/from here` },
        { action: 's3:PutObject', resource: `${BUCKET}/to` },
      ],
    });
  });

  it.each([
    ['POST', '/b?delete'],
    ['PUT', '/b/k?tagging'],
    ['PUT', '/b'],
  ])('%s %s is not known', (method, address) => expect(s3(method, address)).toBeUndefined());
});

describe('in a service that speaks JSON', () => {
  const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/t';

  it.each([
    ['dynamodb', 'DynamoDB_20120810.GetItem', { TableName: 't' }, 'dynamodb:GetItem', TABLE],
    [
      'dynamodb',
      'DynamoDB_20120810.Query',
      { TableName: 't', IndexName: 'due' },
      'dynamodb:Query',
      `${TABLE}/index/due`,
    ],
    ['dynamodb', 'DynamoDB_20120810.BatchGetItem', { RequestItems: { t: {} } }, 'dynamodb:BatchGetItem', TABLE],
    [
      'sqs',
      'AmazonSQS.SendMessageBatch',
      { QueueUrl: 'http://h/1/q' },
      'sqs:SendMessage',
      'arn:aws:sqs:us-east-1:123456789012:q',
    ],
    [
      'secretsmanager',
      'secretsmanager.GetSecretValue',
      { SecretId: 'arn:x' },
      'secretsmanager:GetSecretValue',
      'arn:x',
    ],
  ])('%s %s', (service, target, body, action, resource) => {
    expect(json(service, target, body)?.needs).toEqual([{ action, resource }]);
  });

  it('returns no operation for an unknown service', () => {
    expect(json('scheduler', 'x.CreateSchedule', {})).toBeUndefined();
  });
});

describe('the rows of a call', () => {
  const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });

  it.each([
    ['a read', { Key: key('O#o#T#t', 'TASK') }, ['O#o#T#t TASK']],
    ['a write', { Item: key('O#o#T#t', 'RESULT#1#00') }, ['O#o#T#t RESULT#1#00']],
    ['several', { RequestItems: { t: { Keys: [key('a', 'b'), key('c', 'd')] } } }, ['a b', 'c d']],
    [
      'some of a partition',
      { ExpressionAttributeValues: { ':pk': { S: 'a' }, ':prefix': { S: 'STAGE#' } } },
      ['a STAGE#'],
    ],
    [
      'a page of a list',
      { ExpressionAttributeValues: { ':list': { S: 'O#o#FILES' }, ':now': { N: '1' } } },
      ['O#o#FILES '],
    ],
    ['nothing', {}, []],
  ])('are reported for %s', (_what, body, rows) => expect(rowsIn(body)).toEqual(rows));

  it.each([
    ['O#o#T#t TASK', 'TASK'],
    ['O#o#T#t RESULT#1#00', 'RESULT'],
    ['O#o#PATH#1-a name with spaces.txt PATH', 'PATH'],
    ['O#o#RATE#tasks HOUR#495', 'RATE'],
    ['LANES AGES', 'LANES'],
    ['O#o#TASKS#files-and-tasks ', 'TASKS'],
    ['15 ', 'due'],
  ])('%s is of the kind %s', (row, kind) => expect(rowKind(row)).toBe(kind));
});

describe('the capacity', () => {
  it('is requested by the recorder and removed from the response', () => {
    expect(askCapacity({ TableName: 't' })).toEqual({ TableName: 't', ReturnConsumedCapacity: 'INDEXES' });
    expect(withoutCapacity({ Item: {}, ConsumedCapacity: {} }, { TableName: 't' })).toEqual({ Item: {} });
    const asked = { ReturnConsumedCapacity: 'TOTAL' };
    expect(withoutCapacity({ ConsumedCapacity: 1 }, asked)).toEqual({ ConsumedCapacity: 1 });
  });

  const nothing = { ConsumedCapacity: { CapacityUnits: 0 } };

  it('is never zero for a page, not even for an empty one', () => {
    const page = { KeyConditionExpression: 'l = :l' };
    expect(unitsIn(nothing, { ...page, IndexName: 'list' })).toEqual({ table: 0, indexes: 0.5 });
    expect(unitsIn(nothing, { ...page, ConsistentRead: true })).toEqual({ table: 1, indexes: 0 });
  });

  it('is never zero for a key, not even for a missing one', () => {
    const RequestItems = { t: { Keys: [{}, {}, {}], ConsistentRead: true }, other: { Keys: [{}] } };
    expect(unitsIn({ ConsumedCapacity: [{ CapacityUnits: 2 }] }, { RequestItems })).toEqual({ table: 3.5, indexes: 0 });
    expect(unitsIn({ ConsumedCapacity: [{ CapacityUnits: 9 }] }, { RequestItems })).toEqual({ table: 9, indexes: 0 });
  });

  it('of the indexes is counted separately from that of the table', () => {
    const GlobalSecondaryIndexes = { list: { CapacityUnits: 1 }, due: { CapacityUnits: 2 } };
    const consumed = { ConsumedCapacity: { CapacityUnits: 4, Table: { CapacityUnits: 1 }, GlobalSecondaryIndexes } };
    expect(unitsIn(consumed)).toEqual({ table: 1, indexes: 3 });
  });

  it('is summed over tables; a failed condition is charged too', () => {
    const two = { ConsumedCapacity: [{ CapacityUnits: 0.5 }, { CapacityUnits: 1 }] };
    expect(unitsIn(two)).toEqual({ table: 1.5, indexes: 0 });
    const refused = { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' };
    expect(unitsIn(refused)).toEqual({ table: 1, indexes: 0 });
    expect(unitsIn({ __type: 'com.amazon.coral.validate#ValidationException' })).toEqual({ table: 0, indexes: 0 });
  });
});

describe('in EventBridge Scheduler', () => {
  const operationOf = (method: string, address: string, body: object = {}) => {
    const { pathname: path, searchParams: query } = new URL(address, 'http://scheduler');
    return schedulerOperation(
      { method, path, query, headers: {}, service: 'scheduler', token: undefined, isAddress: false },
      body,
    );
  };
  const resource = 'arn:aws:scheduler:us-east-1:123456789012:schedule/g/n';
  const RoleArn = 'imagined:Role:Arn';

  it.each([
    ['POST', 'CreateSchedule'],
    ['PUT', 'UpdateSchedule'],
  ])('%s is %s, and passes the role on', (method, name) => {
    expect(operationOf(method, '/schedules/n', { GroupName: 'g', Target: { RoleArn } })).toEqual({
      name,
      needs: [
        { action: `scheduler:${name}`, resource },
        { action: 'iam:PassRole', resource: RoleArn },
      ],
    });
  });

  it('deletes by name in the path, and lists without a name', () => {
    expect(operationOf('DELETE', '/schedules/n?groupName=g')).toEqual({
      name: 'DeleteSchedule',
      needs: [{ action: 'scheduler:DeleteSchedule', resource }],
    });
    expect(operationOf('GET', '/schedules?ScheduleGroup=g')).toMatchObject({ name: 'ListSchedules' });
    expect(operationOf('GET', '/schedule-groups')).toBeUndefined();
  });
});
