/** The clients as the product makes them, against a server that fails as often as a test wants. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { blobsFrom, secretsFrom } from '../../aws/context.ts';

type Answer = { status: number; body?: string; headers?: Record<string, string> };

const busy: Answer = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
const five: Answer = { status: 200, headers: { 'content-length': '5' } };
const bucket = { ERRAND_BUCKET: 'the-bucket' };

const closing: (() => unknown)[] = [];

/** Gives one answer after the other, the last again and again, and counts the requests. */
async function serve(...answers: Answer[]) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { status, body, headers } = answers[Math.min(seen.length, answers.length - 1)] as Answer;
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return seen;
}

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});

afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) close();
});

it('tries again what a place could not do twice', async () => {
  const seen = await serve(busy, busy, five);
  expect(await blobsFrom(bucket).size('k')).toBe(5);
  expect(seen).toHaveLength(3);
});

it('says busy after three tries', async () => {
  const seen = await serve(busy);
  await expect(blobsFrom(bucket).read('k')).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
  expect(seen).toHaveLength(3);
});

it('does not repeat what was refused', async () => {
  const seen = await serve({ status: 404 });
  expect(await blobsFrom(bucket).size('k')).toBeUndefined();
  expect(seen).toEqual(['HEAD /the-bucket/k']);
});

it('makes upload addresses without the checksum of an empty body, which S3 would hold every upload to', async () => {
  expect(await blobsFrom(bucket).uploadAddress('k', 60)).not.toMatch(/checksum/i);
});

it('says which setting is missing', () => {
  expect(() => blobsFrom({})).toThrow(/ERRAND_BUCKET is not set/);
  expect(() => secretsFrom({})).toThrow(/ERRAND_MASTER_SECRET is not set/);
});
