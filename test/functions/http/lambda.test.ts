/** Events of API Gateway. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fileFetcher } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import { lambdaHandler } from '../../../functions/lambda-handlers.ts';
import { Problem } from '../../../shared/core/problem.ts';
import type { Table } from '../../../shared/ports.ts';
import { eventOf } from '../../evidence/rehearsal/gateway/event.ts';
import { openFiles } from '../../shared/files/setup.ts';
import { apiContextOf } from './api-context.ts';

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

const GATEWAY = 'abc123.execute-api.eu-central-1.amazonaws.com';

function eventFor(json: object, headers: Record<string, string>): APIGatewayProxyEventV2 {
  const request = {
    method: 'POST',
    path: '/api/v1/files',
    queryString: '',
    rawHeaders: Object.entries({ 'content-type': 'application/json', 'x-api-key': 'any', ...headers }).flat(),
    body: Buffer.from(JSON.stringify(json)),
    sourceAddress: '192.0.2.1',
  };
  const arrival = { api: 'abc123', port: 443, requestId: 'r', at: new Date(0) };
  const event = eventOf(request, { route: { key: '$default', functionId: 'F' }, params: {} }, arrival);
  return { ...event, requestContext: { ...event.requestContext, domainName: GATEWAY } };
}

const contextWithTime = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

it.each([GATEWAY, 'api.customer.org'])('fetches nothing from %s when the header names another host', async (host) => {
  const looked: string[] = [];
  const resolve = async (name: string) => {
    looked.push(name);
    return ['93.184.216.34'];
  };
  const connect = () => Promise.reject(new Error('nobody there'));
  const fetcher = fileFetcher({ request: outbound({ resolve, connect }), log: at.log });
  const handle = lambdaHandler(dispatcher(filesAndTasks, { ...apiContextOf(at), outbound: fetcher }));
  const messageFor = async (url: string) => {
    const { body } = await handle(eventFor({ url }, { host: 'api.customer.org' }), contextWithTime(29_000));
    return JSON.parse(body ?? '').error;
  };
  expect(await messageFor(`https://${host}/api/v1/files`)).toBe('Invalid bucket URL');
  expect(looked).toEqual([]);
  expect(await messageFor('https://files.customer.org/a.txt')).toBe('Failed to fetch from bucket');
  expect(looked).toEqual(['files.customer.org']);
});

/** A table that answers when the test says so. */
function slowTable() {
  const answer = Promise.withResolvers<void>();
  const table: Table = { ...at.table, insert: async (draft) => answer.promise.then(() => at.table.insert(draft)) };
  return { table, answer };
}

it('answers with its own error and all the usual headers before the function times out', async () => {
  const { table, answer } = slowTable();
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf({ ...at, table })));
  const event = eventFor({ fileName: 'a.txt' }, { origin: 'https://console.customer.org' });
  const begun = performance.now();
  const { statusCode, headers, body } = await handle(event, contextWithTime(1_300));
  expect(performance.now() - begun).toBeLessThan(500);
  expect([statusCode, JSON.parse(body ?? '')]).toEqual([503, { error: 'The service took too long; try again.' }]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': 'https://console.customer.org',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'ratelimit-policy': '"minute";q=600;w=60',
    'retry-after': '5',
    'x-content-type-options': 'nosniff',
  });
  const [line] = at.lines.map((text) => JSON.parse(text));
  expect(line).toMatchObject({
    message: 'request',
    status: 503,
    problem: 'busy',
    requestId: headers?.['x-request-id'],
  });
  answer.resolve();
});

it('logs an overload as such, and no problem for a successful call', async () => {
  const keyOwner = async () => {
    throw new Problem('atCapacity', 'There is no room.');
  };
  const full = lambdaHandler(dispatcher(filesAndTasks, { ...apiContextOf(at), keyOwner }));
  expect(await full(eventFor({ fileName: 'a.txt' }, {}), contextWithTime(29_000))).toMatchObject({ statusCode: 503 });
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf(at)));
  expect(await handle(eventFor({ fileName: 'a.txt' }, {}), contextWithTime(29_000))).toMatchObject({ statusCode: 200 });
  const [refusedLine, acceptedLine] = at.lines.map((text) => JSON.parse(text));
  expect(refusedLine).toMatchObject({ message: 'request', status: 503, problem: 'atCapacity' });
  expect(acceptedLine).not.toHaveProperty('problem');
});

it('answers HEAD with the status and headers of GET and without a body', async () => {
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf(at)));
  const event = eventFor({}, {});
  const read = (method: string, path: string) => {
    const http = { ...event.requestContext.http, method };
    const headers = { 'x-api-key': 'any', 'x-request-id': 'one' };
    return handle(
      { ...event, rawPath: path, headers, requestContext: { ...event.requestContext, http } },
      contextWithTime(29_000),
    );
  };
  for (const path of ['/health', '/api/v1/nothing', '/api/v1/tasks/unknown']) {
    const [getReply, headReply] = [await read('GET', path), await read('HEAD', path)];
    expect(getReply.body).not.toBe('');
    const { ratelimit: _left, ...headers } = headReply.headers ?? {};
    expect([headReply.statusCode, getReply.headers, headReply.body]).toEqual([
      getReply.statusCode,
      expect.objectContaining(headers),
      '',
    ]);
  }
});

it('answers at once when no time is left', async () => {
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf({ ...at, table: slowTable().table })));
  expect(await handle(eventFor({ fileName: 'a.txt' }, {}), contextWithTime(0))).toMatchObject({ statusCode: 503 });
});

it('completes the work after a timeout, and answers a repeat with the same key', async () => {
  const { table, answer } = slowTable();
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf({ ...at, table })));
  const event = eventFor({ fileName: 'a.txt' }, { 'idempotency-key': 'key' });
  expect(await handle(event, contextWithTime(1_300))).toMatchObject({ statusCode: 503 });
  answer.resolve();
  const again = () => handle(event, contextWithTime(29_000));
  await vi.waitUntil(async () => (await again()).statusCode === 200);
  expect((await again()).headers).toMatchObject({ 'idempotent-replayed': 'true' });
});

it('logs a failure after the answer with the same request id', async () => {
  const { table, answer } = slowTable();
  const handle = lambdaHandler(dispatcher(filesAndTasks, apiContextOf({ ...at, table })));
  const { headers } = await handle(eventFor({ fileName: 'a.txt' }, {}), contextWithTime(1_300));
  answer.reject(new Error('broken'));
  const line = await vi.waitUntil(() => at.lines.find((text) => text.includes('after its response')));
  expect(JSON.parse(line)).toMatchObject({ level: 'error', requestId: headers?.['x-request-id'] });
});
