/**
 * Builds the adapters on AWS from the environment: one factory each, so that a bundle holds only what it uses. A function
 * takes its connection from the environment; the operator's command line passes its own.
 */
import type { EnvironmentConnections, ModelConnection } from '../../shared/accounts/model-connections.ts';
import { modelConfig, modelKeySecretConfig } from '../../shared/accounts/model-settings.ts';
import { batchedSends } from '../../shared/core/batched-sends.ts';
import {
  blobsConfig,
  logConfig,
  originSecretConfig,
  originsConfig,
  queuesConfig,
  resultsConfig,
  schedulesConfig,
  secretsConfig,
  socketsConfig,
  tableConfig,
  unauthenticatedQueueConfig,
  webhookQueueConfig,
} from '../../shared/core/config.ts';
import type { Environment } from '../../shared/core/environment.ts';
import { ids } from '../../shared/core/ids.ts';
import { DEFAULT_LANE, type EachLane, LANES, type Lane } from '../../shared/core/lane.ts';
import { type Log, logger } from '../../shared/core/log.ts';
import { metricFields } from '../../shared/core/metrics.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { systemClock } from '../../shared/core/time.ts';
import { mailConfig } from '../../shared/mail/mail-settings.ts';
import type { Queue, Scheduler, Sockets, Table } from '../../shared/ports.ts';
import { type Notifier, notifierOver, type SocketTexts } from '../../shared/realtime/notifier.ts';
import { SOCKET_LIMITS } from '../../shared/realtime/socket-limits.ts';
import { cachedWatchers, type Watchers } from '../../shared/realtime/watchers.ts';
import { type Hints, hintsOver, webhookHintsOver } from '../../shared/tasks/hints.ts';
import {
  dynamoClient,
  s3Access,
  schedulerClient,
  secretsClient,
  sesClient,
  socketsClient,
  sqsClient,
  whenUsed,
} from './clients.ts';
import { environmentConnection } from './connection.ts';
import { dynamoTable } from './dynamo-table.ts';
import { sesMailer } from './mailer.ts';
import type { BedrockOptions } from './model.ts';
import { s3Blobs, s3Downloads, s3Reader } from './s3-blobs.ts';
import { eventBridgeScheduler } from './scheduler.ts';
import { readSecretText, secretsManager } from './secrets.ts';
import { sqsQueue } from './sqs-queue.ts';
import { gatewaySockets } from './websocket.ts';

export const blobsFrom = (env: Environment, connection = environmentConnection(env)) =>
  s3Blobs({ ...blobsConfig(env), s3: s3Access(connection) });

const resultsBucket = (env: Environment) => ({ ...resultsConfig(env), s3: s3Access(environmentConnection(env)) });
export const downloadsFrom = (env: Environment) => s3Downloads(resultsBucket(env));
export const archiveReaderFrom = (env: Environment) => s3Reader(resultsBucket(env));

export const secretsFrom = (env: Environment, connection = environmentConnection(env)) =>
  secretsManager({
    client: whenUsed(() => secretsClient(connection)),
    id: secretsConfig(env).masterSecretId,
    clock: systemClock,
  });

export const tableFrom = (env: Environment, connection = environmentConnection(env)): Table =>
  dynamoTable({
    client: dynamoClient(connection),
    tableName: tableConfig(env).tableName,
    clock: systemClock,
    ids: ids(systemClock),
  });

const sqsFrom = (env: Environment) => whenUsed(() => sqsClient(environmentConnection(env)));

export const hintsFrom = (env: Environment, log: Log): Hints => hintsOver({ ...hintQueuesFrom(env), log });

/** For the reconciler, which sends thousands of hints in a minute. */
export function batchedHintsFrom(env: Environment, log: Log): Hints {
  const { lanes, webhooks } = hintQueuesFrom(env);
  const batched = { high: batchedSends(lanes.high), normal: batchedSends(lanes.normal), low: batchedSends(lanes.low) };
  return hintsOver({ lanes: batched, webhooks: batchedSends(webhooks), log });
}

function hintQueuesFrom(env: Environment) {
  const client = sqsFrom(env);
  return { lanes: lanesFrom(env, client), webhooks: sqsQueue({ client, url: queuesConfig(env).webhooks }) };
}

export function lanesFrom(env: Environment, client = sqsFrom(env)): EachLane<Queue> {
  const { high, normal, low } = queuesConfig(env).lanes;
  const queue = (url: string): Queue => sqsQueue({ client, url });
  return { high: queue(high), normal: queue(normal), low: queue(low) };
}

/** A queue's ARN ends with its name, as its URL does. A message from any other queue counts for the default lane. */
export function laneOfArn(env: Environment, arn: string): Lane {
  const { lanes } = queuesConfig(env);
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  return LANES.find((lane) => lanes[lane].endsWith(`/${name}`)) ?? DEFAULT_LANE;
}

/** For the sender of webhooks, which uses no other queue. */
export const webhookHintsFrom = (env: Environment, log: Log): Hints =>
  webhookHintsOver({
    webhooks: sqsQueue({ client: sqsFrom(env), url: webhookQueueConfig(env).webhooks }),
    log,
  });

export const schedulerFrom = (env: Environment): Scheduler =>
  eventBridgeScheduler({
    client: whenUsed(() => schedulerClient(environmentConnection(env))),
    ...schedulesConfig(env),
  });

export function socketsFrom(env: Environment, connection = environmentConnection(env)): Sockets {
  const { sockets: endpoint } = socketsConfig(env);
  return gatewaySockets(whenUsed(() => socketsClient(connection, endpoint)));
}

type NotifierOptions = { table: Table; log: Log; sockets: Sockets; words: SocketTexts };

/** Caches the watchers for a limited time, because other functions accept connections. */
export function notifierFrom({ table, log, sockets, words }: NotifierOptions): Notifier & { watchers: Watchers } {
  const clock = systemClock;
  const watchers = cachedWatchers({ table, clock, keptMs: SOCKET_LIMITS.unseenMs });
  return { ...notifierOver({ table, clock, log, sockets, watchers, words }), watchers };
}

/** The queue of checks that close connections which have not authenticated in time. */
export const unauthenticatedQueueFrom = (env: Environment): Queue =>
  sqsQueue({ client: sqsFrom(env), url: unauthenticatedQueueConfig(env).strangers });

export function logFrom(env: Environment): Log {
  const { logLevel: minLevel, metrics } = logConfig(env);
  const figures = metrics === undefined ? {} : { extraFields: (line: Line) => metricFields(metrics, line) };
  return logger({
    clock: systemClock,
    write: (text) => process.stdout.write(text),
    minLevel,
    isStamped: true,
    ...figures,
  });
}

type Line = Parameters<typeof metricFields>[1];

export function originsFrom(env: Environment): (origin: string) => boolean {
  const allowed = new Set(originsConfig(env).origins);
  return (origin) => allowed.has(origin);
}

/** Bedrock with the credentials of the function's role, and the model server of the deployment's settings. */
export function modelConnectionsFrom(env: Environment): EnvironmentConnections {
  const { address: url } = modelConfig(env);
  const readKey = secretText(env, modelKeySecretConfig(env).keySecret);
  const bedrock = async (): Promise<ModelConnection> => ({ provider: 'bedrock' });
  if (url === undefined) return new Map([['bedrock', bedrock]]);
  const openai = async (): Promise<ModelConnection> => ({
    provider: 'openai-compatible',
    url,
    ...definedFields({ key: await readKey() }),
  });
  return new Map([
    ['bedrock', bedrock],
    ['openai', openai],
  ]);
}

/** The secret header that our CloudFront distribution adds to the requests it forwards. */
export const originSecretFrom = (env: Environment): SecretText =>
  secretText(env, originSecretConfig(env).originSecretId);

type SecretText = () => Promise<string | undefined>;

/** Read once, at the first use; a failed read is retried at the next use. */
function secretText(env: Environment, id: string | undefined): SecretText {
  if (id === undefined) return async () => undefined;
  const client = whenUsed(() => secretsClient(environmentConnection(env)));
  const read = () => readSecretText({ client, id });
  let reading: Promise<string | undefined> | undefined;
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Returns `undefined` if no sender is configured. */
export function sendingFrom(env: Environment) {
  const { sender, mailSet: configurationSet, agentsUrl: rootUrl } = mailConfig(env);
  if (sender === undefined) return undefined;
  const client = whenUsed(() => sesClient(environmentConnection(env)));
  return { mailer: sesMailer({ client, set: configurationSet }), sender, rootUrl };
}

/** In the region that Lambda sets, with the credentials of the function's role. */
export const bedrockFrom = (env: Environment): Omit<BedrockOptions, 'fetchTo'> => environmentConnection(env);
