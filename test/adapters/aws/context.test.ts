/** The product's AWS clients against a server that fails as often as a test says. */
import { expect, it, vi } from 'vitest';
import { blobsFrom, logFrom, secretsFrom, tableFrom } from '../../../adapters/aws/context.ts';
import { type Answer, serve } from './serve.ts';

const busy: Answer = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
const five: Answer = { status: 200, headers: { 'content-length': '5' } };
const key = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const told = { ...key, ERRAND_BUCKET: 'the-bucket', ERRAND_UPLOADS_BUCKET: 'the-uploads', ERRAND_TABLE: 'the-table' };
const at = (address: string) => ({ ...told, AWS_ENDPOINT_URL: address });

it('retries a call that failed twice', async () => {
  const { address, seen } = await serve(busy, busy, five);
  expect(await blobsFrom(at(address)).size('k')).toBe(5);
  expect(seen).toHaveLength(3);
});

it('says busy after three tries', async () => {
  const { address, seen } = await serve(busy);
  await expect(blobsFrom(at(address)).read('k')).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
  expect(seen).toHaveLength(3);
});

it('tries a call to the table once more than that, as the AWS client does', async () => {
  const { address, seen } = await serve({ status: 500 });
  const row = tableFrom(at(address)).get({ pk: 'p', sk: 's' });
  await expect(row).rejects.toMatchObject({ name: 'Problem', code: 'busy' });
  expect(seen).toHaveLength(4);
});

it('does not retry a refused call', async () => {
  const { address, seen } = await serve({ status: 404 });
  expect(await blobsFrom(at(address)).size('k')).toBeUndefined();
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['HEAD /the-bucket/k']);
});

it('makes upload URLs without the checksum of an empty body, which S3 would require of every upload', async () => {
  expect(await blobsFrom(told).uploadAddress('k', 60)).not.toMatch(/checksum/i);
});

it('says which setting is missing', async () => {
  expect(() => blobsFrom({})).toThrow(/ERRAND_BUCKET is not set/);
  expect(() => secretsFrom({})).toThrow(/ERRAND_MASTER_SECRET is not set/);
});

it('writes the metrics of a log line if the stage sets a namespace for them', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  logFrom({ ERRAND_METRICS: 'Errand/dev' }).info('request', { status: 500, ms: 1 });
  logFrom({}).info('request', { status: 500, ms: 1 });
  write.mockRestore();
  const [measured, plain] = lines.map((line) => JSON.parse(line));
  expect(measured).toMatchObject({ Faults: 1, _aws: { CloudWatchMetrics: [{ Namespace: 'Errand/dev' }] } });
  expect(plain).not.toHaveProperty('_aws');
});
