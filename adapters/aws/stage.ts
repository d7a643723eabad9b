/** Access of the operator's command line to a deployed stage: its outputs, its clients, and everything it stores. */

import { setTimeout as wait } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, type ScanCommandInput, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ARRIVALS, ownerOfBlob } from '../../shared/core/blobs.ts';
import { blobsConfig, tableConfig } from '../../shared/core/config.ts';
import { type Environment, environment } from '../../shared/core/environment.ts';
import { Problem } from '../../shared/core/problem.ts';
import { stageName } from '../../shared/core/stage.ts';
import { systemClock } from '../../shared/core/time.ts';
import type { Everything, Key, Stored } from '../../shared/ports.ts';
import { type Account, environmentAccount } from './client/account.ts';
import { tagIn } from './client/request.ts';
import { type Bucket, bucketOf, type Dynamo, dynamo } from './client/services.ts';
import { ATTRIBUTES as A, attribute, dynamoItem } from './dynamo-items.ts';
import { fail } from './dynamo-table.ts';
import { type Buckets, s3Listing } from './s3-blobs.ts';

/** The outputs of a stack, and the environment variables of its functions that have the same values. */
const OUTPUTS = {
  TableName: environment.table,
  BucketName: environment.bucket,
  UploadsBucketName: environment.uploadsBucket,
  MasterSecretId: environment.masterSecret,
  Models: environment.models,
  SocketsUrl: environment.sockets,
} as const;

/** Outputs of a stage that sends mails. */
export type StageMail = { sender: string | undefined; set: string | undefined };

type Outputs = Readonly<Record<keyof typeof OUTPUTS, string | undefined>>;

export const environmentOf = (outputs: Outputs): Environment =>
  Object.fromEntries(Object.entries(OUTPUTS).map(([output, variable]) => [variable, outputs[output as keyof Outputs]]));

type StageOutputValues = { outputs: Outputs; sending: StageMail };

export async function stageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputValues> {
  const name = stackOf(stage);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause) => {
    const reason = cause instanceof Error ? cause.message : 'no answer';
    throw new Problem(
      'badSetting',
      `The stack ${name} cannot be read (${reason}): check the stage, region and credentials.`,
      { cause },
    );
  });
  const outputValues = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const outputs = Object.fromEntries(
    Object.keys(OUTPUTS).map((output) => [output, outputValues.get(output)]),
  ) as Outputs;
  return { outputs, sending: { sender: outputValues.get('Sender'), set: outputValues.get('MailSet') } };
}

export function stackOf(stage: string): string {
  try {
    return `errand-${stageName(stage)}`;
  } catch (cause) {
    throw new Problem('badSetting', cause instanceof Error ? cause.message : 'The stage has no name.', { cause });
  }
}

/** A request without a response by then is retried. */
const PATIENCE = { connectMs: 3_000, answerMs: 30_000 };
export const requestHandler = {
  connectionTimeout: PATIENCE.connectMs,
  requestTimeout: PATIENCE.answerMs,
  throwOnRequestTimeout: true,
};

/** The credentials and region that AWS's own tools would use: profile, single sign-on and so on. */
export function operatorAccount(env: Environment): Account {
  const { region, credentials } = new CloudFormationClient({ requestHandler }).config;
  return { ...environmentAccount(env), region, credentials: () => credentials() };
}

export const stackClientFrom = (): CloudFormationClient => new CloudFormationClient({ requestHandler });

export function everythingFrom(env: Environment, account: Account) {
  const reaching = { account, clock: systemClock, patience: PATIENCE };
  const { tableName } = tableConfig(env);
  const { bucket, uploads } = blobsConfig(env);
  const buckets = { bucket: bucketOf(bucket, reaching), uploads: bucketOf(uploads, reaching) };
  return dynamoAdminStore({ tableName, dynamo: dynamo(reaching), ...buckets });
}

/** The clients of `errand doctor`. */
export const examiningClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // Uses the region's own endpoint, whatever host a queue's URL has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});

type AdminStoreOptions = Buckets & { dynamo: Dynamo; tableName: string };

const WRITES_AT_ONCE = 25;
const MAX_ROUNDS = 7;
const FIRST_WAIT_MS = 50;

export const dynamoAdminStore = ({ dynamo, tableName, bucket, uploads }: AdminStoreOptions): Everything => ({
  async *rowsAbout(holding): AsyncIterable<Stored> {
    const input: ScanCommandInput = {
      TableName: tableName,
      ConsistentRead: true,
      FilterExpression: `contains(${A.pk}, :text) OR contains(${A.value}, :text)`,
      ExpressionAttributeValues: { ':text': attribute.text(holding) },
    };
    do {
      const { Items = [], LastEvaluatedKey } = await dynamo('Scan', input).catch(fail);
      yield* Items.map((item) => dynamoItem.parseRow(item));
      input.ExclusiveStartKey = LastEvaluatedKey;
    } while (input.ExclusiveStartKey);
  },
  async removeRows(keys) {
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      await removeSome({ dynamo, tableName }, keys.slice(from, from + WRITES_AT_ONCE));
    }
  },
  /** S3 lists keys by prefix, so that no name has to be known. */
  async blobsIn(folders) {
    const found: string[] = [];
    for (const folder of folders) for await (const keys of listed(bucket, folder)) found.push(...keys);
    return found;
  },
  /** In upload keys the organization follows the hour, so all uploads are listed. */
  async uploadsOf(organization) {
    const found = new Set<string>();
    for await (const keys of listedVersions(uploads, ARRIVALS))
      for (const key of keys) if (ownerOfBlob(key).organization === organization) found.add(key);
    return [...found];
  },
  // SES keeps no mails, and DynamoDB does not show removed rows.
  removeMails: async () => undefined,
  forget: async () => undefined,
});

async function* listed(bucket: Bucket, prefix: string): AsyncIterable<string[]> {
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { 'continuation-token': after };
    const body = await page(bucket, { 'list-type': '2', prefix, ...from });
    yield s3Listing.keysIn(body);
    after = tagIn(body, 'NextContinuationToken');
  } while (after !== undefined);
}

/** The key of every version and of every delete marker, so keys repeat. */
async function* listedVersions(bucket: Bucket, prefix: string): AsyncIterable<string[]> {
  let after: Record<string, string> | undefined = {};
  while (after !== undefined) {
    const body = await page(bucket, { versions: '', prefix, ...after });
    yield s3Listing.keysIn(body);
    const [key, version] = [tagIn(body, 'NextKeyMarker'), tagIn(body, 'NextVersionIdMarker')];
    after = key && version ? { 'key-marker': s3Listing.decodedKey(key), 'version-id-marker': version } : undefined;
  }
}

async function page(bucket: Bucket, query: Record<string, string>): Promise<string> {
  return s3Listing.pageOf(bucket, query).catch((error) => {
    throw s3Listing.failure(error);
  });
}

async function removeSome(
  { dynamo, tableName }: Pick<AdminStoreOptions, 'dynamo' | 'tableName'>,
  keys: Key[],
): Promise<void> {
  let left: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: dynamoItem.ofKey(key) } }));
  for (let round = 0; left.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const { UnprocessedItems } = await dynamo('BatchWriteItem', { RequestItems: { [tableName]: left } }).catch(fail);
    left = UnprocessedItems?.[tableName] ?? [];
  }
}
