/** Replaces `adapters/aws/client/services.ts` by the AWS SDK's clients, to compare a function with and without it. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as own from '../../../adapters/aws/client/services.ts';

/** The measured functions do not use these exports. */
export const regional = own.regional;
export const restCall = own.restCall;

const DYNAMO = {
  ...{ BatchGetItemCommand, BatchWriteItemCommand, DeleteItemCommand, GetItemCommand },
  ...{ PutItemCommand, QueryCommand, ScanCommand, UpdateItemCommand },
};
const SQS = {
  ...{ ChangeMessageVisibilityCommand, DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageBatchCommand },
};

type Commands = Record<string, new (said: never) => object>;

/** Creates the SDK's command for each call; the SDK finds region, endpoint and credentials itself. */
const callsOf =
  (client: { send(command: never): Promise<unknown> }, commands: Commands) => (name: string, said: unknown) => {
    const Command = commands[`${name}Command`];
    if (!Command) throw new Error(`There is no command ${name}.`);
    return client.send(new Command(said as never) as never);
  };

export const dynamo = () => callsOf(new DynamoDBClient({}), DYNAMO) as own.Dynamo;
export const sqs = () => callsOf(new SQSClient({}), SQS) as own.Sqs;
export const secretsManagerCalls = () =>
  callsOf(new SecretsManagerClient({}), { GetSecretValueCommand }) as own.SecretsManager;

const OBJECTS: Commands = { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand };

/** Loads the SDK's S3 client and commands but translates no response, because the measured calls do not use S3. */
export function bucketOf(name: string): own.Bucket {
  const client = new S3Client({});
  const commandFor = (method: string, Key: string) => {
    const Command = OBJECTS[`${method[0]}${method.slice(1).toLowerCase()}ObjectCommand`] ?? ListObjectsV2Command;
    return new Command({ Bucket: name, Key } as never) as GetObjectCommand;
  };
  const send = async ({ method, key }: { method: string; key: string }): Promise<never> => {
    await client.send(commandFor(method, key));
    throw new Error('This answer is not translated.');
  };
  return {
    name,
    ask: send,
    open: send,
    address: ({ method, key, seconds }) => getSignedUrl(client, commandFor(method, key), { expiresIn: seconds }),
  };
}
