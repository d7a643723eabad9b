import { describe, expect, it } from 'vitest';
import { askCapacity, unasked, unitsIn } from '../../scripts/rehearsal/recorder/capacity.ts';
import { jsonOperation } from '../../scripts/rehearsal/recorder/json-operation.ts';
import { s3Operation } from '../../scripts/rehearsal/recorder/s3-operation.ts';
import type { Wire } from '../../scripts/rehearsal/recorder/wire.ts';

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
    ['GET', '/b?list-type=2', 'ListObjects', 's3:ListBucket', BUCKET],
    ['GET', '/b/?list-type=2', 'ListObjects', 's3:ListBucket', BUCKET],
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

  it('a service that it was not taught is not known', () => {
    expect(json('scheduler', 'x.CreateSchedule', {})).toBeUndefined();
  });
});

describe('the capacity', () => {
  it('is asked for in place of the caller, who never sees it', () => {
    expect(askCapacity({ TableName: 't' })).toEqual({ TableName: 't', ReturnConsumedCapacity: 'INDEXES' });
    expect(unasked({ Item: {}, ConsumedCapacity: {} }, { TableName: 't' })).toEqual({ Item: {} });
    const asked = { ReturnConsumedCapacity: 'TOTAL' };
    expect(unasked({ ConsumedCapacity: 1 }, asked)).toEqual({ ConsumedCapacity: 1 });
  });

  it('is never nothing for a page, not even an empty one', () => {
    const nothing = { ConsumedCapacity: { CapacityUnits: 0 } };
    expect(unitsIn(nothing, { KeyConditionExpression: 'l = :l' })).toBe(0.5);
    expect(unitsIn(nothing, { KeyConditionExpression: 'pk = :pk', ConsistentRead: true })).toBe(1);
  });

  it('is added up over tables; a condition that does not hold is paid for too', () => {
    expect(unitsIn({ ConsumedCapacity: { CapacityUnits: 2 } })).toBe(2);
    expect(unitsIn({ ConsumedCapacity: [{ CapacityUnits: 0.5 }, { CapacityUnits: 1 }] })).toBe(1.5);
    expect(unitsIn({ __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' })).toBe(1);
    expect(unitsIn({ __type: 'com.amazon.coral.validate#ValidationException' })).toBe(0);
  });
});
