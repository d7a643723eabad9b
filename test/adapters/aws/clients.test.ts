/** AWS's clients as the product configures them, over a bad network: against a small server on this machine. */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { dynamoClient, sqsClient } from '../../../adapters/aws/clients.ts';
import { failure } from '../../../adapters/aws/errors.ts';
import { logger } from '../../../shared/core/log.ts';
import { type Answer, connectionTo, cut, IMPATIENT, type Play, type Seen, serve, silent } from './serve.ts';

const FOUND: Answer = { status: 200, body: '{"Item":{"pk":{"S":"p"}}}' };
const errorAnswer = (name: string, status = 400, headers = {}, message = 'no'): Answer => ({
  status,
  headers,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
});

const wanted = { TableName: 't', Key: { pk: { S: 'p' } } };
const getItem = (client: ReturnType<typeof dynamoClient>) => client.send(new GetItemCommand(wanted));
const itemFrom = (address: string, timeouts?: typeof IMPATIENT) =>
  getItem(dynamoClient(connectionTo(address), timeouts));
const failureFrom = (address: string) =>
  itemFrom(address).then(
    () => undefined,
    (error: unknown) => failure('The table', error),
  );

describe('a request', () => {
  it('is signed with the token of the role, and sent over a kept connection', async () => {
    const { address, seen } = await serve(FOUND);
    const client = dynamoClient(connectionTo(address, { AWS_SESSION_TOKEN: 'token' }));
    expect(await getItem(client)).toMatchObject({ Item: { pk: { S: 'p' } } });
    await getItem(client);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/', body: JSON.stringify(wanted) });
    expect(seen[0]?.headers).toMatchObject({
      'x-amz-security-token': 'token',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-west-1\/dynamodb\/aws4_request, /,
      ),
    });
    expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  });

  it('says who sends it, which CloudTrail shows', async () => {
    const { address, seen } = await serve(FOUND);
    await itemFrom(address);
    expect(seen[0]?.headers['user-agent']).toMatch(/\bapp\/errand\b/);
  });

  it('does not wait for a free connection longer than for an answer', async () => {
    const { address } = await serve(silent);
    const client = dynamoClient(connectionTo(address), { connectMs: 1_000, answerMs: 400 });
    const begun = performance.now();
    // Each client keeps 50 connections; all of these are busy.
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => getItem(client)));
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
    // Four attempts with their pauses.
    expect(performance.now() - begun).toBeLessThan(4_000);
  });
});

const TRANSIENT: [string, Play][] = [
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
  it.each(TRANSIENT)('is retried: %s', async (what, fault) => {
    const { address, seen } = await serve(fault, FOUND);
    const item = await itemFrom(address, /time|silent/.test(what) ? IMPATIENT : undefined);
    expect(item).toMatchObject({ Item: { pk: { S: 'p' } }, $metadata: { attempts: 2 } });
    expect(seen[0]?.body).toBe(seen[1]?.body);
  });

  it('is busy after the last attempt, with the number of attempts', async () => {
    const { address, seen } = await serve(errorAnswer('InternalServerError', 500));
    const cause = { name: 'InternalServerError', $metadata: { attempts: 4, httpStatusCode: 500 } };
    expect(await failureFrom(address)).toMatchObject({ code: 'busy', cause });
    expect(seen).toHaveLength(4);
  });

  it('is not retried once nearly everything fails', async () => {
    const { address, seen } = await serve(errorAnswer('InternalServerError', 500));
    const client = dynamoClient(connectionTo(address));
    for (let times = 0; times < 40; times++) await getItem(client).catch(() => undefined);
    expect(seen.length).toBeLessThan(80);
  });
});

describe('a refusal', () => {
  it('is not retried, and carries the row that the condition met', async () => {
    const item = { pk: { S: 'theirs' } };
    const body = JSON.stringify({ __type: 'x#ConditionalCheckFailedException', Item: item });
    const { address, seen } = await serve({ status: 400, body });
    await expect(itemFrom(address)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: item,
      $metadata: { httpStatusCode: 400, attempts: 1 },
    });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['the type in the body, with or without its namespace', { status: 400, body: '{"__type":"QueueDoesNotExist"}' }],
    ['the header', { status: 400, headers: { 'x-amzn-errortype': 'QueueDoesNotExist:http://internal/' } }],
  ])('is for the operator if %s names a missing queue', async (_, answer) => {
    const { address } = await serve(answer);
    const received = sqsClient(connectionTo(address)).send(new ReceiveMessageCommand({ QueueUrl: 'https://queue' }));
    const error = await received.catch((thrown) => failure('The queue', thrown));
    expect(error).toMatchObject({ code: 'badSetting' });
  });

  it('shows no details of a wrong signature, which contain the token, not even in a log', async () => {
    const message = 'It does not match.\n\nThe canonical string should have been\nx-amz-security-token:secret-token';
    const { address } = await serve(errorAnswer('SignatureDoesNotMatch', 400, {}, message));
    const error = await failureFrom(address);
    expect(error?.cause).toMatchObject({ name: 'SignatureDoesNotMatch', message: 'It does not match.' });
    expect(loggedOf(error)).not.toContain('secret-token');
  });

  it('is logged with the request ids that AWS Support asks for', async () => {
    const ids = { 'x-amzn-requestid': 'REQ-1', 'x-amz-id-2': 'EXT-1' };
    const { address } = await serve(errorAnswer('ValidationException', 400, ids));
    const text = loggedOf(await failureFrom(address));
    expect(text).toContain('"requestId":"REQ-1"');
    expect(text).toContain('"extendedRequestId":"EXT-1"');
  });
});

function loggedOf(error: unknown): string {
  const lines: string[] = [];
  const log = logger({ clock: { now: () => 0 }, minLevel: 'error', write: (line) => lines.push(line) });
  log.error('failed', { error });
  return lines.join();
}

it('corrects a wrong clock by the time that AWS sends, and signs again', async () => {
  const date = { date: new Date(Date.now() + 3_600_000).toUTCString() };
  const { address, seen } = await serve(errorAnswer('InvalidSignatureException', 400, date), {
    ...FOUND,
    headers: date,
  });
  expect(await itemFrom(address)).toMatchObject({ Item: { pk: { S: 'p' } } });
  const [first = '', second = ''] = seen.map(({ headers }) => String(headers['x-amz-date']));
  expect(second > first).toBe(true);
});

describe('an answer of more than a hundred megabytes', () => {
  it('is not accepted when it says so', async () => {
    const { address, seen } = await serve((_: Seen, response) =>
      response.writeHead(200, { 'content-length': String(200 * 1_048_576) }).write('{'),
    );
    await expect(itemFrom(address)).rejects.toThrow(/more than 104857600 bytes/);
    expect(seen).toHaveLength(1);
  });

  it('is not accepted when it just comes', async () => {
    const { address, seen } = await serve((_: Seen, response) => {
      response.writeHead(200);
      const more = () => response.write(Buffer.alloc(1_048_576, ' '), () => response.destroyed || more());
      more();
    });
    await expect(itemFrom(address)).rejects.toThrow(/more than 104857600 bytes/);
    expect(seen).toHaveLength(1);
  });
});
