/** Tests the recorder between a caller that aborts and a slow server. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { listen } from './listen.ts';
import { startRecorder } from './recorder/recorder.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.restoreAllMocks();
});

it('aborts a long poll when the caller aborts it, and logs no error', async () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const silent = createServer();
  const asked = once(silent, 'request');
  const upstream = await listen(silent);
  const { url } = upstream;
  const recorder = await startRecorder({ dynamoUrl: url, s3Url: url, awsUrl: url });
  stops.push(upstream.stop, recorder.stop);
  const statements = [{ effect: 'Allow' as const, actions: ['sqs:ReceiveMessage'], resources: ['*'] }];
  recorder.callers.set('token', { function: 'f', statements, now: () => ({ route: 'r' }) });

  const leaving = new AbortController();
  const headers = {
    authorization: 'AWS4-HMAC-SHA256 Credential=test/20260601/us-east-1/sqs/aws4_request, Signature=x',
    'x-amz-security-token': 'token',
    'x-amz-target': 'AmazonSQS.ReceiveMessage',
  };
  const body = JSON.stringify({ QueueUrl: `${url}/1/q` });
  const polling = fetch(recorder.url, { method: 'POST', headers, body, signal: leaving.signal });
  const [forwarded] = (await asked) as [IncomingMessage];
  leaving.abort();
  await expect(polling).rejects.toThrow();
  await vi.waitFor(() => expect(forwarded.destroyed).toBe(true), 5_000);
  expect(complaints).not.toHaveBeenCalled();
});
