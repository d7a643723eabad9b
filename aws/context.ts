/** Builds the places on AWS from the environment: one maker for each client, so that a bundle holds only what it uses. */
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../shared/core/clock.ts';
import {
  blobsConfig,
  logConfig,
  mailConfig,
  modelKeySecretConfig,
  originSecretConfig,
  originsConfig,
  queuesConfig,
  schedulesConfig,
  secretsConfig,
  socketsConfig,
  strangersConfig,
  tableConfig,
  webhookQueueConfig,
} from '../shared/core/config.ts';
import type { Environment } from '../shared/core/environment.ts';
import { ids } from '../shared/core/ids.ts';
import { type Log, logger } from '../shared/core/log.ts';
import { measured } from '../shared/core/metrics.ts';
import type { Queue, Scheduler, Sockets, Table } from '../shared/ports.ts';
import { type News, newsOver, type Words } from '../shared/sockets/news.ts';
import { SOCKET_LIMITS } from '../shared/sockets/socket-limits.ts';
import { type Watchers, watchersOver } from '../shared/sockets/watchers.ts';
import { type Hints, hintsOver, webhookHintsOver } from '../shared/tasks/hints.ts';
import { s3Blobs } from './blobs.ts';
import { s3Downloads } from './downloads.ts';
import { awsEverything } from './everything.ts';
import { sesMailer } from './mailer.ts';
import type { BedrockOptions } from './model.ts';
import { sqsQueue } from './queue.ts';
import { eventBridgeScheduler } from './scheduler.ts';
import { secretsManager } from './secrets.ts';
import { gatewaySockets } from './sockets.ts';
import { dynamoTable } from './table.ts';

/** What brings no answer for so long is given up and tried again. Longer than a queue lets a receiver wait. */
const requestHandler = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true };

// An upload address would otherwise hold the checksum of an empty body.
const bucketFrom = (env: Environment) => ({
  client: new S3Client({ requestHandler, requestChecksumCalculation: 'WHEN_REQUIRED' }),
  bucket: blobsConfig(env).bucket,
});

export const blobsFrom = (env: Environment) => s3Blobs(bucketFrom(env));
export const downloadsFrom = (env: Environment) => s3Downloads(bucketFrom(env));

export const secretsFrom = (env: Environment) =>
  secretsManager({
    client: new SecretsManagerClient({ requestHandler }),
    id: secretsConfig(env).masterSecretId,
    clock: systemClock,
  });

/** For the operator's own credentials. */
export const everythingFrom = (env: Environment) =>
  awsEverything({
    dynamo: new DynamoDBClient({ requestHandler }),
    tableName: tableConfig(env).tableName,
    s3: new S3Client({ requestHandler }),
    bucket: blobsConfig(env).bucket,
  });

/** The table answers in milliseconds: what takes seconds is lost, and tried again. */
const tableHandler = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

export const tableFrom = (env: Environment): Table =>
  dynamoTable({
    client: new DynamoDBClient({ requestHandler: tableHandler }),
    tableName: tableConfig(env).tableName,
    clock: systemClock,
    ids: ids(systemClock),
  });

export function hintsFrom(env: Environment, log: Log): Hints {
  const { lanes, webhooks } = queuesConfig(env);
  const client = new SQSClient({ requestHandler });
  const queue = (url: string): Queue => sqsQueue({ client, url });
  const { high, normal, low } = lanes;
  return hintsOver({
    lanes: { high: queue(high), normal: queue(normal), low: queue(low) },
    webhooks: queue(webhooks),
    log,
  });
}

/** For the sender of webhooks, which is told of no other queue. */
export const webhookHintsFrom = (env: Environment, log: Log): Hints =>
  webhookHintsOver({
    webhooks: sqsQueue({ client: new SQSClient({ requestHandler }), url: webhookQueueConfig(env).webhooks }),
    log,
  });

export const schedulerFrom = (env: Environment): Scheduler =>
  eventBridgeScheduler({ client: new SchedulerClient({ requestHandler }), ...schedulesConfig(env) });

/** A connection that takes no message at once is nobody's reason to wait. */
const socketsHandler = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };

export const socketsFrom = (env: Environment): Sockets =>
  gatewaySockets({
    client: new ApiGatewayManagementApiClient({
      endpoint: socketsConfig(env).sockets,
      requestHandler: socketsHandler,
      maxAttempts: 2,
    }),
  });

type Telling = { table: Table; log: Log; sockets: Sockets; words: Words };

/** Connections come in elsewhere. */
export function newsFrom({ table, log, sockets, words }: Telling): News & { watchers: Watchers } {
  const clock = systemClock;
  const watchers = watchersOver({ table, clock, keptMs: SOCKET_LIMITS.unseenMs });
  return { ...newsOver({ table, clock, log, sockets, watchers, words }), watchers };
}

/** What looks at a connection once its time to say whom it is for is over. */
export const strangersFrom = (env: Environment): Queue =>
  sqsQueue({ client: new SQSClient({ requestHandler }), url: strangersConfig(env).strangers });

export function logFrom(env: Environment): Log {
  const { logLevel: least, metrics } = logConfig(env);
  const besides = metrics === undefined ? {} : { besides: (line: Line) => measured(metrics, line) };
  return logger({ clock: systemClock, write: (text) => process.stdout.write(text), least, ...besides });
}

type Line = Parameters<typeof measured>[1];

export function originsFrom(env: Environment): (origin: string) => boolean {
  const allowed = new Set(originsConfig(env).origins);
  return (origin) => allowed.has(origin);
}

/** For the operator who looks a stage over. */
export const examiningClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // By the region's own endpoint, whatever name an address of a queue has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});

export const stackClientFrom = (): CloudFormationClient => new CloudFormationClient({ requestHandler });

/** The key of the models' address: the text of the secret that the operator named. */
export const modelKeyFrom = (env: Environment): SecretText => secretText(modelKeySecretConfig(env).keySecret);

/** What our own edge adds to the requests that come through it. */
export const originSecretFrom = (env: Environment): SecretText => secretText(originSecretConfig(env).originSecretId);

type SecretText = () => Promise<string | undefined>;

/** Read once, at the first use; a read that failed is tried again. */
function secretText(id: string | undefined): SecretText {
  if (id === undefined) return async () => undefined;
  const client = new SecretsManagerClient({ requestHandler });
  const read = () => client.send(new GetSecretValueCommand({ SecretId: id })).then((found) => found.SecretString);
  let reading: Promise<string | undefined> | undefined;
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Undefined where nobody set up a sender. */
export function sendingFrom(env: Environment) {
  const { sender, mailSet: set, agentsUrl: rootUrl } = mailConfig(env);
  if (sender === undefined) return undefined;
  return { mailer: sesMailer({ client: new SESv2Client({ requestHandler }), set }), sender, rootUrl };
}

/** Where Lambda itself says, and with the role's own credentials. */
export function bedrockFrom(): Pick<BedrockOptions, 'region' | 'credentials'> {
  const { config } = new SecretsManagerClient({ requestHandler });
  return { region: config.region, credentials: () => config.credentials() };
}
