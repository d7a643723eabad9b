/** Access of the operator's command line to a deployed stage: its outputs, its clients, and everything it stores. */

import { setTimeout as wait } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  BatchWriteItemCommand,
  DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { type ListObjectVersionsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ARRIVALS, ownerOfBlob } from '../../shared/core/blobs.ts';
import { blobsConfig, tableConfig } from '../../shared/core/config.ts';
import { type Environment, environment } from '../../shared/core/environment.ts';
import { Problem } from '../../shared/core/problem.ts';
import { stageName } from '../../shared/core/stage.ts';
import type { Everything, Key, Stored } from '../../shared/ports.ts';
import { dynamoClient, type S3Access, s3Access } from './clients.ts';
import { type AwsConnection, environmentConnection } from './connection.ts';
import { ATTRIBUTES as A, attribute, dynamoItem } from './dynamo-items.ts';
import { fail } from './dynamo-table.ts';
import { reasonOf } from './errors.ts';
import { type Buckets, bucketFailure, decodedKey } from './s3-blobs.ts';

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
export type StageMail = { sender: string | undefined; configurationSet: string | undefined };

type Outputs = Readonly<Record<keyof typeof OUTPUTS, string | undefined>>;

export const environmentOf = (outputs: Outputs): Environment =>
  Object.fromEntries(Object.entries(OUTPUTS).map(([output, variable]) => [variable, outputs[output as keyof Outputs]]));

type StageOutputValues = { outputs: Outputs; sending: StageMail };

export async function stageOutputs(client: CloudFormationClient, stage: string): Promise<StageOutputValues> {
  const name = stackOf(stage);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause) => {
    throw new Problem(
      'badSetting',
      `The stack ${name} cannot be read (${reasonOf(cause)}): check the stage, region and credentials.`,
      { cause },
    );
  });
  const outputValues = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const outputs = Object.fromEntries(
    Object.keys(OUTPUTS).map((output) => [output, outputValues.get(output)]),
  ) as Outputs;
  return { outputs, sending: { sender: outputValues.get('Sender'), configurationSet: outputValues.get('MailSet') } };
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
export function operatorAccount(env: Environment): AwsConnection {
  const { region, credentials } = new CloudFormationClient({ requestHandler }).config;
  return { ...environmentConnection(env), region, credentials: () => credentials() };
}

export const stackClientFrom = (): CloudFormationClient => new CloudFormationClient({ requestHandler });

export const everythingFrom = (env: Environment, account: AwsConnection) =>
  dynamoAdminStore({
    ...tableConfig(env),
    ...blobsConfig(env),
    client: dynamoClient(account, PATIENCE),
    s3: s3Access(account, PATIENCE),
  });

/** The clients of `errand doctor`. */
export const doctorClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // Uses the region's own endpoint, whatever host a queue's URL has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});

type AdminStoreOptions = Buckets & { client: DynamoDBClient; s3: S3Access; tableName: string };

const WRITES_AT_ONCE = 25;
const MAX_ROUNDS = 7;
const FIRST_WAIT_MS = 50;

export const dynamoAdminStore = ({ client, s3, tableName, bucket, uploads }: AdminStoreOptions): Everything => ({
  async *rowsAbout(text): AsyncIterable<Stored> {
    const input: ScanCommandInput = {
      TableName: tableName,
      ConsistentRead: true,
      FilterExpression: `contains(${A.pk}, :text) OR contains(${A.value}, :text)`,
      ExpressionAttributeValues: { ':text': attribute.text(text) },
    };
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(input)).catch(fail);
      yield* Items.map((item) => dynamoItem.parseRow(item));
      input.ExclusiveStartKey = LastEvaluatedKey;
    } while (input.ExclusiveStartKey);
  },
  async removeRows(keys) {
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      await removeBatch({ client, tableName }, keys.slice(from, from + WRITES_AT_ONCE));
    }
  },
  /** S3 lists keys by prefix, so that no name has to be known. */
  async blobsIn(folders) {
    const allKeys: string[] = [];
    for (const folder of folders) for await (const keys of listKeys(s3, bucket, folder)) allKeys.push(...keys);
    return allKeys;
  },
  /** In upload keys the organization follows the hour, so all uploads are listed. */
  async uploadsOf(organization) {
    const uploadKeys = new Set<string>();
    for await (const keys of listVersionKeys(s3, uploads, ARRIVALS))
      for (const key of keys) if (ownerOfBlob(key).organization === organization) uploadKeys.add(key);
    return [...uploadKeys];
  },
  // SES keeps no mails, and DynamoDB does not show removed rows.
  removeMails: async () => undefined,
  forget: async () => undefined,
});

/** Keys are listed URL-encoded, because XML cannot represent every key. */
const ENCODED = { EncodingType: 'url' as const };

async function* listKeys(s3: S3Access, Bucket: string, Prefix: string): AsyncIterable<string[]> {
  const { list } = await s3();
  let ContinuationToken: string | undefined;
  do {
    const page = await list({ Bucket, Prefix, ContinuationToken, ...ENCODED }).catch(failListing);
    yield keysOf(page.Contents);
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}

/** The key of every version and of every delete marker, so keys repeat. */
async function* listVersionKeys(s3: S3Access, Bucket: string, Prefix: string): AsyncIterable<string[]> {
  const { listVersions } = await s3();
  let marker: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
  while (marker !== undefined) {
    const page: ListObjectVersionsCommandOutput = await listVersions({ Bucket, Prefix, ...marker, ...ENCODED }).catch(
      failListing,
    );
    yield [...keysOf(page.Versions), ...keysOf(page.DeleteMarkers)];
    const { NextKeyMarker: key, NextVersionIdMarker: version } = page;
    marker = key && version ? { KeyMarker: decodedKey(key), VersionIdMarker: version } : undefined;
  }
}

const keysOf = (entries: { Key?: string | undefined }[] = []): string[] => entries.map(({ Key }) => decodedKey(Key));

function failListing(error: unknown): never {
  throw bucketFailure(error);
}

async function removeBatch(
  { client, tableName }: Pick<AdminStoreOptions, 'client' | 'tableName'>,
  keys: Key[],
): Promise<void> {
  let remaining: WriteRequest[] = keys.map((key) => ({ DeleteRequest: { Key: dynamoItem.ofKey(key) } }));
  for (let round = 0; remaining.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new Problem('busy', 'The table is over its limits; try again shortly.');
    if (round > 0) await wait(Math.random() * FIRST_WAIT_MS * 2 ** round);
    const batch = new BatchWriteItemCommand({ RequestItems: { [tableName]: remaining } });
    const { UnprocessedItems } = await client.send(batch).catch(fail);
    remaining = UnprocessedItems?.[tableName] ?? [];
  }
}
