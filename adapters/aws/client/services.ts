/** The clients of DynamoDB, SQS, Secrets Manager and S3, and calls of AWS services that speak REST. */
import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { GetSecretValueCommandInput, GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import type {
  ChangeMessageVisibilityCommandInput,
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
} from '@aws-sdk/client-sqs';
import type { Bytes, Clock } from '../../../shared/ports.ts';
import { type Account, encoded, regionHost, type ServiceName, sigV4 } from './account.ts';
import {
  type AwsAnswer,
  type AwsRequest,
  type AwsRequester,
  awsRequester,
  pathBehind,
  type RetryOptions,
} from './request.ts';
import type { RequestTimeouts } from './transport.ts';

// The JSON protocol of AWS: the operation is named in a header.

/** What every client needs: the account, a clock, timeouts and retry options. */
export type AwsConnection = {
  account: Account;
  clock: Clock;
  patience: RequestTimeouts;
  retrying?: Partial<RetryOptions>;
};

/** The operations by name: input and output. */
type JsonOperations = Record<string, [said: object, answered: object]>;
type Calls<O extends JsonOperations> = <N extends keyof O & string>(name: N, input: O[N][0]) => Promise<O[N][1]>;

type Protocol = { service: ServiceName; target: string; version: '1.0' | '1.1' };

function jsonCalls<O extends JsonOperations>(
  { service, target, version }: Protocol,
  reaching: AwsConnection,
): Calls<O> {
  const { ask } = regional(service, service, reaching);
  return async (name, input) => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${name}` };
    const { body } = await ask({ method: 'POST', path: '/', headers, body: JSON.stringify(input) });
    return JSON.parse(body || '{}');
  };
}

/** A client of the service at the account's own endpoint, or else at the region's. */
export const regional = (
  service: ServiceName,
  signingName: string,
  { account, ...reaching }: AwsConnection,
): AwsRequester =>
  awsRequester({
    ...reaching,
    account,
    signingName,
    place: (region) =>
      account.endpoint(service) ?? new URL(`https://${regionHost(service, region, account.variant())}`),
  });

/** The operations of DynamoDB that the table uses. */
export type Dynamo = Calls<{
  BatchGetItem: [BatchGetItemCommandInput, Output<BatchGetItemCommandOutput>];
  BatchWriteItem: [BatchWriteItemCommandInput, Output<BatchWriteItemCommandOutput>];
  DeleteItem: [DeleteItemCommandInput, Output<DeleteItemCommandOutput>];
  GetItem: [GetItemCommandInput, Output<GetItemCommandOutput>];
  PutItem: [PutItemCommandInput, Output<PutItemCommandOutput>];
  Query: [QueryCommandInput, Output<QueryCommandOutput>];
  Scan: [ScanCommandInput, Output<ScanCommandOutput>];
  UpdateItem: [UpdateItemCommandInput, Output<UpdateItemCommandOutput>];
}>;
type Output<T> = Omit<T, '$metadata'>;

/** Retries as AWS's own client does. Text and numbers only: bytes would have to be written as base64. */
export const dynamo = (reaching: AwsConnection): Dynamo =>
  jsonCalls(
    { service: 'dynamodb', target: 'DynamoDB_20120810', version: '1.0' },
    { ...reaching, retrying: { attempts: 4, pauseMs: 25, ...reaching.retrying } },
  );

/** The operations of SQS that a queue uses. The URL of the queue is part of the input. */
export type Sqs = Calls<{
  ChangeMessageVisibility: [ChangeMessageVisibilityCommandInput, object];
  DeleteMessageBatch: [DeleteMessageBatchCommandInput, Partial<DeleteMessageBatchCommandOutput>];
  ReceiveMessage: [ReceiveMessageCommandInput, Partial<ReceiveMessageCommandOutput>];
  SendMessageBatch: [SendMessageBatchCommandInput, Partial<SendMessageBatchCommandOutput>];
}>;

export const sqs = (reaching: AwsConnection): Sqs =>
  jsonCalls({ service: 'sqs', target: 'AmazonSQS', version: '1.0' }, reaching);

/** The operation of Secrets Manager that reads a secret. */
export type SecretsManager = Calls<{
  GetSecretValue: [GetSecretValueCommandInput, Partial<GetSecretValueCommandOutput>];
}>;

export const secretsManagerCalls = (reaching: AwsConnection): SecretsManager =>
  jsonCalls({ service: 'secretsmanager', target: 'secretsmanager', version: '1.1' }, reaching);

/** The REST protocol of AWS: operations are methods and paths, with JSON in and out. */
type RestRequest = { method: string; path: string; query?: Record<string, string>; body?: object };
export type RestCall = <T>(request: RestRequest) => Promise<T>;

export const restCall =
  ({ ask }: Pick<AwsRequester, 'ask'>): RestCall =>
  async ({ body, ...request }) => {
    const content =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answered = await ask({ ...request, ...content });
    return JSON.parse(answered.body || '{}');
  };

type ObjectRequest = Omit<AwsRequest, 'path'> & { key: string };
type SignedUrlOptions = { method: string; key: string; query: Record<string, string>; seconds: number };

export type Bucket = {
  name: string;
  ask(about: ObjectRequest): Promise<AwsAnswer>;
  open(about: ObjectRequest): Promise<AwsAnswer<Bytes>>;
  /** A presigned URL for this request, valid for `seconds`. */
  address(o: SignedUrlOptions): Promise<string>;
};

/** Bucket names that S3's TLS certificate covers as a subdomain. */
const IN_HOST = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

const pathOf = (key: string): string => `/${key.split('/').map(encoded).join('/')}`;

export function bucketOf(name: string, { account, ...reaching }: AwsConnection): Bucket {
  /** An emulator of S3 may have a single host name, so the bucket's name is part of the path there. */
  function place(region: string): URL {
    const own = account.endpoint('s3');
    if (own) return new URL(pathBehind(own, `/${name}`), own);
    const host = regionHost('s3', region, account.variant());
    return new URL(IN_HOST.test(name) ? `https://${name}.${host}` : `https://${host}/${name}`);
  }
  const { ask, open, signing } = awsRequester({ ...reaching, account, signingName: 's3', place });
  return {
    name,
    ask: ({ key, ...request }) => ask({ ...request, path: pathOf(key) }),
    open: ({ key, ...request }) => open({ ...request, path: pathOf(key) }),
    async address({ method, key, query, seconds }) {
      const by = await signing();
      const path = pathBehind(by.url, pathOf(key));
      const signed = await sigV4.query({ method, path, query, host: by.url.host, seconds }, by);
      return `${by.url.origin}${path}?${signed}`;
    },
  };
}
