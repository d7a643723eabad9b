/** AWS's clients as the adapters use them. In a bundle, only the ones that its function uses remain. */
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type AwsConnection, clientConfig, type RequestTimeouts } from './connection.ts';
import type { S3Requests } from './s3-client.ts';

/** Creates a client with its first use: many calls of a function need only one of them. */
export function whenUsed<T>(create: () => T): () => T {
  let client: T | undefined;
  return () => {
    client ??= create();
    return client;
  };
}

/** The table answers in milliseconds: a request that takes seconds is lost, and is retried. */
const TABLE_TIMEOUTS = { connectMs: 1_000, answerMs: 5_000 };

export const dynamoClient = (connection: AwsConnection, timeouts: RequestTimeouts = TABLE_TIMEOUTS) =>
  new DynamoDBClient({
    ...clientConfig('DYNAMODB', connection, { timeouts, attempts: 4 }),
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
  });

export const sqsClient = (connection: AwsConnection, timeouts?: RequestTimeouts) =>
  new SQSClient({
    ...clientConfig('SQS', connection, { timeouts }),
    // The host of a queue's URL is neither a FIPS nor a dual-stack endpoint.
    useQueueUrlAsEndpoint: false,
  });

export const secretsClient = (connection: AwsConnection) =>
  new SecretsManagerClient(clientConfig('SECRETS_MANAGER', connection));

export const schedulerClient = (connection: AwsConnection) =>
  new SchedulerClient(clientConfig('SCHEDULER', connection));

export const sesClient = (connection: AwsConnection) => new SESv2Client(clientConfig('SESV2', connection));

/** Short timeouts, so that a connection that does not accept a message does not delay others. */
const SOCKETS_OPTIONS = { timeouts: { connectMs: 1_000, answerMs: 2_000 }, attempts: 2 };

/** `endpoint` is the URL of the stage of API Gateway that holds the connections. */
export const socketsClient = (connection: AwsConnection, endpoint: string) =>
  new ApiGatewayManagementApiClient({ ...clientConfig(undefined, connection, SOCKETS_OPTIONS), endpoint });

/** A part of an upload has 5 MB, which takes longer than other requests. */
const S3_TIMEOUTS = { connectMs: 3_000, answerMs: 20_000 };

/** S3's client is loaded with its first use. */
export type S3Access = () => Promise<S3Requests>;

/** In a bundle, this import is a file of its own (`scripts/bundle.ts`). */
export const s3Access = (connection: AwsConnection, timeouts: RequestTimeouts = S3_TIMEOUTS): S3Access =>
  whenUsed(async () =>
    (await import('./s3-client.ts')).s3Requests(clientConfig('S3', connection, { timeouts, isStream: true })),
  );
