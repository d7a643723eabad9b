/** The reference for cold starts: a typical API function with the same five libraries that does only what one call needs. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { jwtVerify, SignJWT } from 'jose';
import * as v from 'valibot';

const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const queue = new SQSClient({});
const key = new TextEncoder().encode('a key of thirty-two characters..');
const header = v.object({ authorization: v.pipe(v.string(), v.startsWith('Bearer ')) });
const body = v.object({ id: v.string(), tell: v.optional(v.boolean(), false) });

async function callerIn(headers: unknown): Promise<string> {
  const { authorization } = v.parse(header, headers);
  // Signs a token itself instead of taking one from the caller, so that the verification is real.
  const token =
    authorization === 'Bearer own'
      ? await new SignJWT({ sub: 'user' }).setProtectedHeader({ alg: 'HS256' }).sign(key)
      : authorization.slice(7);
  const { payload } = await jwtVerify(token, key);
  return payload.sub ?? '';
}

export const handler = middy<APIGatewayProxyEventV2, object>().handler(async (event) => {
  const caller = await callerIn(event.headers);
  const { id, tell } = v.parse(body, JSON.parse(event.body ?? '{"id":"1"}'));
  const { Item } = await table.send(new GetCommand({ TableName: 'table', Key: { pk: caller, sk: id } }));
  if (tell) await queue.send(new SendMessageCommand({ QueueUrl: process.env.ERRAND_WEBHOOKS ?? '', MessageBody: id }));
  return { statusCode: Item ? 200 : 404, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(Item ?? {}) };
});
