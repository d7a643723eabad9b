/** Requests to AWS over a bad network, against a small server on this machine. */
import { describe, expect, it } from 'vitest';
import { environmentAccount } from '../../adapters/aws/client/account.ts';
import { failure } from '../../adapters/aws/client/request.ts';
import { type AwsConnection, dynamo, sqs } from '../../adapters/aws/client/services.ts';
import { logger } from '../../shared/core/log.ts';
import { type Answer, cut, IMPATIENT, type Play, reachingServer, type Seen, serve, silent } from './serve.ts';

const FOUND: Answer = { status: 200, body: '{"Item":{"pk":{"S":"p"}}}' };
const errorAnswer = (name: string, status = 400, headers = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' }),
});

const wanted = { TableName: 't', Key: { pk: { S: 'p' } } };
const got = { Item: { pk: { S: 'p' } } };
const from = (reaching: AwsConnection) => dynamo(reaching)('GetItem', wanted);

describe('a request', () => {
  it("is sent in DynamoDB's protocol, signed, over a kept connection", async () => {
    const { address, seen } = await serve(FOUND);
    const ask = dynamo(reachingServer(address));
    expect(await ask('GetItem', wanted)).toEqual(got);
    expect(await ask('GetItem', wanted)).toEqual(got);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/', body: JSON.stringify(wanted) });
    expect(seen[0]?.headers).toMatchObject({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'content-type': 'application/x-amz-json-1.0',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/dynamodb\/aws4_request, /,
      ),
    });
    expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  });

  it('carries the token of the role, and the trace header of X-Ray, which is not signed', async () => {
    const { address, seen } = await serve(FOUND);
    const env = {
      ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 'token' },
      ...{ AWS_ENDPOINT_URL_DYNAMODB: address, _X_AMZN_TRACE_ID: 'Root=1-2' },
    };
    await from({ ...reachingServer(address), account: environmentAccount(env) });
    expect(seen[0]?.headers).toMatchObject({ 'x-amz-security-token': 'token', 'x-amzn-trace-id': 'Root=1-2' });
    expect(seen[0]?.headers.authorization).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;',
    );
    expect(seen[0]?.headers.authorization).not.toContain('trace');
  });

  it('is not made without credentials', async () => {
    const { address, seen } = await serve(FOUND);
    const account = environmentAccount({ AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: address });
    await expect(from({ ...reachingServer(address), account })).rejects.toMatchObject({ code: 'badSetting' });
    expect(seen).toEqual([]);
  });
});

describe('what AWS Support and CloudTrail need', () => {
  it('is in each error: the request id, and the extended one of S3, also once it is logged as the cause of another', async () => {
    const { address } = await serve(
      errorAnswer('ValidationException', 400, { 'x-amzn-requestid': 'REQ-1', 'x-amz-id-2': 'EXT-1' }),
    );
    const error = await from(reachingServer(address)).catch((thrown) => thrown);
    expect(error.$metadata).toMatchObject({ httpStatusCode: 400, requestId: 'REQ-1', extendedRequestId: 'EXT-1' });
    const lines: string[] = [];
    const log = logger({ clock: { now: () => 0 }, minLevel: 'error', write: (line) => lines.push(line) });
    log.error('failed', { error: failure('The table', error) });
    expect(lines.join()).toContain('"requestId":"REQ-1"');
  });

  it('is in each request: a User-Agent, which is not signed', async () => {
    const { address, seen } = await serve(FOUND);
    await from(reachingServer(address));
    expect(seen[0]?.headers['user-agent']).toMatch(/^errand\/\S+ node\/\S+$/);
    expect(seen[0]?.headers.authorization).not.toContain('user-agent');
  });
});

const PASSING: [string, Play][] = [
  ['throttling', errorAnswer('ThrottlingException')],
  ['a hot partition', errorAnswer('ProvisionedThroughputExceededException')],
  ['a refusal of too many', errorAnswer('Unheard', 429)],
  ['a fault of the server', errorAnswer('InternalServerError', 500)],
  ['a page of something in between', { status: 502, body: '<html>Bad gateway</html>' }],
  ['a connection that was reset', cut],
  [
    'half a body',
    (_: Seen, response) =>
      response.writeHead(200, { 'content-length': '99' }).write('{"Item', () => response.destroy()),
  ],
  ['no answer in time', silent],
  ['a body that falls silent', (_: Seen, response) => response.writeHead(200).write('{"Item')],
];

describe('a temporary failure', () => {
  it.each(PASSING)('is retried: %s', async (what, fault) => {
    const { address, seen } = await serve(fault, FOUND);
    const patience = /time|silent/.test(what) ? IMPATIENT : {};
    expect(await from(reachingServer(address, patience))).toEqual(got);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.body).toBe(seen[1]?.body);
  });

  it('is retried with growing pauses, and longer ones after throttling', async () => {
    const broken = reachingServer((await serve(errorAnswer('InternalServerError', 500))).address);
    await expect(from(broken)).rejects.toMatchObject({ name: 'InternalServerError', $metadata: { attempts: 4 } });
    expect(broken.pauses).toEqual([12.5, 25, 50]);
    const throttled = reachingServer((await serve(errorAnswer('ThrottlingException'))).address);
    await expect(from(throttled)).rejects.toMatchObject({ $metadata: { attempts: 4, httpStatusCode: 400 } });
    expect(throttled.pauses).toEqual([500, 1_000, 2_000]);
  });

  it('is retried after the time that AWS asks for, but after seconds at most', async () => {
    const asked = reachingServer(
      (await serve(errorAnswer('Throttling', 400, { 'x-amz-retry-after': '700' }), FOUND)).address,
    );
    await from(asked);
    const absurd = { 'x-amz-retry-after': '99999999' };
    const long = reachingServer((await serve(errorAnswer('Throttling', 400, absurd), FOUND)).address);
    await from(long);
    expect([...asked.pauses, ...long.pauses]).toEqual([700, 5_500]);
  });

  it('is not retried once nearly everything fails', async () => {
    const { address, seen } = await serve(errorAnswer('InternalServerError', 500));
    const ask = dynamo(reachingServer(address));
    for (let times = 0; times < 40; times++) await ask('GetItem', wanted).catch(() => undefined);
    expect(seen).toHaveLength(40 + Math.floor(500 / 14));
  });

  it('does not include permanent refusals', async () => {
    const item = { pk: { S: 'theirs' } };
    const body = JSON.stringify({ __type: 'x#ConditionalCheckFailedException', Item: item });
    const { address, seen } = await serve({ status: 400, body });
    const told = {
      name: 'ConditionalCheckFailedException',
      Item: item,
      $metadata: { httpStatusCode: 400, attempts: 1 },
    };
    await expect(from(reachingServer(address))).rejects.toMatchObject(told);
    expect(seen).toHaveLength(1);
  });
});

describe('a wrong clock', () => {
  const HOUR = 3_600_000;
  const NOW = Date.UTC(2026, 5, 1);
  const date = { date: new Date(NOW).toUTCString() };
  const signedAt = ({ headers }: Seen) => headers['x-amz-date'];

  it.each([HOUR, -HOUR])('is corrected permanently by the time that AWS sends (%i ms)', async (wrong) => {
    const { address, seen } = await serve(errorAnswer('InvalidSignatureException', 400, date), {
      ...FOUND,
      headers: date,
    });
    const ask = dynamo(reachingServer(address, { clock: { now: () => NOW + wrong } }));
    expect(await ask('GetItem', wanted)).toEqual(got);
    expect(await ask('GetItem', wanted)).toEqual(got);
    expect(seen.map(signedAt).slice(1)).toEqual(['20260601T000000Z', '20260601T000000Z']);
    expect(seen).toHaveLength(3);
  });

  it('is not blamed for a failure that a wrong key caused', async () => {
    const { address, seen } = await serve(errorAnswer('InvalidSignatureException', 400, date));
    const asked = from(reachingServer(address, { clock: { now: () => NOW + 60_000 } }));
    await expect(asked).rejects.toMatchObject({ name: 'InvalidSignatureException' });
    expect(seen).toHaveLength(1);
  });
});

describe('an answer', () => {
  it.each<[string, Answer]>([
    ['the type in the body, with or without its namespace', { status: 400, body: '{"__type":"QueueDoesNotExist"}' }],
    ['the code in the body', { status: 400, body: '{"code":"QueueDoesNotExist"}' }],
    ['the header', { status: 400, headers: { 'x-amzn-errortype': 'QueueDoesNotExist:http://internal/' } }],
  ])('names the error of a refusal by %s', async (_, answer) => {
    const { address } = await serve(answer);
    const asked = sqs(reachingServer(address))('ReceiveMessage', { QueueUrl: 'https://queue' });
    await expect(asked).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });

  it('reveals no details of a wrong signature', async () => {
    const message = 'It does not match.\n\nThe canonical string should have been\nx-amz-security-token:secret';
    const { address } = await serve({
      status: 400,
      body: JSON.stringify({ __type: 'InvalidSignatureException', message }),
    });
    await expect(from(reachingServer(address))).rejects.toMatchObject({ message: 'It does not match.' });
  });

  it('that is not valid JSON is an error', async () => {
    const { address } = await serve({ status: 200, body: '<html>' });
    await expect(from(reachingServer(address))).rejects.toThrow();
  });

  it('of more than a hundred megabytes is not accepted', async () => {
    const { address, seen } = await serve((_: Seen, response) => {
      response.writeHead(200);
      const more = () => response.write(Buffer.alloc(1_048_576, ' '), () => response.destroyed || more());
      more();
    });
    await expect(from(reachingServer(address))).rejects.toThrow(/more than 104857600 bytes/);
    expect(seen).toHaveLength(1);
  });
});
