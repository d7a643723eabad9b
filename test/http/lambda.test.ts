/** The gateway's events on their way in. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileFetcher } from '../../engines/outbound/fetch-file.ts';
import { outbound } from '../../engines/outbound/outbound.ts';
import { filesAndTasks } from '../../functions/files-and-tasks/face.ts';
import { dispatcher } from '../../functions/http/dispatch.ts';
import { lambdaHandler } from '../../functions/http/lambda.ts';
import { eventOf } from '../../scripts/rehearsal/gateway/event.ts';
import { opened } from '../files/opened.ts';
import { shellOf } from './shell.ts';

let at: ReturnType<typeof opened>;
beforeEach(() => {
  at = opened();
});
afterEach(() => at.close());

const GATEWAY = 'abc123.execute-api.eu-central-1.amazonaws.com';

function eventFor(json: object, headers: Record<string, string>): APIGatewayProxyEventV2 {
  const asked = {
    method: 'POST',
    path: '/api/v1/files',
    queryString: '',
    rawHeaders: Object.entries({ 'content-type': 'application/json', 'x-api-key': 'any', ...headers }).flat(),
    body: Buffer.from(JSON.stringify(json)),
    sourceAddress: '192.0.2.1',
  };
  const arrival = { api: 'abc123', port: 443, requestId: 'r', at: new Date(0) };
  const event = eventOf(asked, { route: { key: '$default', functionId: 'F' }, params: {} }, arrival);
  return { ...event, requestContext: { ...event.requestContext, domainName: GATEWAY } };
}

it.each([GATEWAY, 'api.customer.org'])('fetches nothing from %s when the header names another host', async (host) => {
  const looked: string[] = [];
  const resolve = async (name: string) => {
    looked.push(name);
    return ['93.184.216.34'];
  };
  const connect = () => Promise.reject(new Error('nobody there'));
  const fetcher = fileFetcher({ request: outbound({ resolve, connect }), log: at.log });
  const handle = lambdaHandler(dispatcher(filesAndTasks, { ...shellOf(at), outbound: fetcher }));
  const told = async (url: string) => {
    const { body } = await handle(eventFor({ url }, { host: 'api.customer.org' }));
    return JSON.parse(body ?? '').error;
  };
  expect(await told(`https://${host}/api/v1/files`)).toBe('Invalid bucket URL');
  expect(looked).toEqual([]);
  expect(await told('https://files.customer.org/a.txt')).toBe('Failed to fetch from bucket');
  expect(looked).toEqual(['files.customer.org']);
});
