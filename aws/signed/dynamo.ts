/** DynamoDB, as far as the table asks it. */
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
import { type AwsConnection, type Calls, jsonCalls } from './json-calls.ts';

export type Dynamo = Calls<{
  BatchGetItem: [BatchGetItemCommandInput, Told<BatchGetItemCommandOutput>];
  BatchWriteItem: [BatchWriteItemCommandInput, Told<BatchWriteItemCommandOutput>];
  DeleteItem: [DeleteItemCommandInput, Told<DeleteItemCommandOutput>];
  GetItem: [GetItemCommandInput, Told<GetItemCommandOutput>];
  PutItem: [PutItemCommandInput, Told<PutItemCommandOutput>];
  Query: [QueryCommandInput, Told<QueryCommandOutput>];
  Scan: [ScanCommandInput, Told<ScanCommandOutput>];
  UpdateItem: [UpdateItemCommandInput, Told<UpdateItemCommandOutput>];
}>;
type Told<T> = Omit<T, '$metadata'>;

/** As often and as fast as AWS's own client tries. Text and numbers only: bytes would have to be written as base64. */
export const dynamo = (reaching: AwsConnection): Dynamo =>
  jsonCalls(
    { service: 'dynamodb', target: 'DynamoDB_20120810', version: '1.0' },
    { ...reaching, retrying: { attempts: 4, pauseMs: 25, ...reaching.retrying } },
  );
