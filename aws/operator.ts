/** What only the operator's command line needs of AWS: its own clients, and in whose name they ask. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { blobsConfig, tableConfig } from '../shared/core/config.ts';
import type { Environment } from '../shared/core/environment.ts';
import { systemClock } from '../shared/core/time.ts';
import { dynamoAdminStore } from './everything.ts';
import { type Account, environmentAccount } from './signed/account.ts';
import { dynamo } from './signed/dynamo.ts';
import { bucketOf } from './signed/s3.ts';

/** What brings no answer for so long is given up and tried again. */
const PATIENCE = { connectMs: 3_000, answerMs: 30_000 };
const requestHandler = {
  connectionTimeout: PATIENCE.connectMs,
  requestTimeout: PATIENCE.answerMs,
  throwOnRequestTimeout: true,
};

/** By the shell's profile, single sign-on and whatever else AWS's own tools go by. */
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

/** For the operator who looks a stage over. */
export const examiningClients = () => ({
  stacks: new CloudFormationClient({ requestHandler }),
  dynamo: new DynamoDBClient({ requestHandler }),
  s3: new S3Client({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
  // By the region's own endpoint, whatever name an address of a queue has.
  sqs: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
});
