/** How fast webhooks reach a receiver that fails now and then, and one that returns after an outage. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proves } from '../../support/proves.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isShort, openProduct } from './setup.ts';

const SENDERS = 8;
const TASKS = isShort ? 300 : 700;
const WAITING = isShort ? 60 : 300;
const AWAY_MS = isShort ? 8_000 : 60_000;
const MAX_P99_MS = 10_000;
const MAX_MS = 60_000;
const SEED = 20_261_123;

let folder: ReturnType<typeof temporaryFolder>;
let product: Awaited<ReturnType<typeof openProduct>>;
let server: Server;
/** By task: when it was submitted, when its first delivery came, and when one was answered with 200. */
let submitted: Map<string, number>;
let came: Map<string, number>;
let taken: Map<string, number>;
let isRefused: () => boolean;

beforeEach(async () => {
  folder = temporaryFolder();
  [submitted, came, taken] = [new Map(), new Map(), new Map()];
  server = createServer((request, response) => {
    const taskId = String(request.headers['webhook-id']).split('_')[1] ?? '';
    request.resume().on('end', () => {
      const now = performance.now();
      if (!came.has(taskId)) came.set(taskId, now);
      const status = isRefused() ? 503 : 200;
      if (status === 200) taken.set(taskId, now);
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  product = await openProduct(join(folder.path, 'state'));
  await product.start();
});
afterEach(async () => {
  await product.kill();
  server.closeAllConnections();
  server.close();
  folder.remove();
});

async function submitAll(count: number): Promise<void> {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const task = {
    namespace: 'p',
    delivery: { type: 'webhook', config: { endpoint } },
    input: { type: 'chat', prompt: 'When is the invoice due? The invoice is due in May.' },
  };
  let left = count;
  const submitOn = async () => {
    while (left-- > 0) {
      const begun = performance.now();
      const { status, body } = await product.caller.ask('/tasks', task);
      expect(status).toBe(201);
      submitted.set(String(body.taskId), begun);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, submitOn));
}

/** Milliseconds since the submission of each task, in ascending order. */
const latencies = (at: ReadonlyMap<string, number>): number[] =>
  [...submitted].map(([taskId, begun]) => (at.get(taskId) ?? Number.POSITIVE_INFINITY) - begun).sort((a, b) => a - b);
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

it('delivers at once to a receiver that answers 503 to every tenth at random', async ({ task }) => {
  const random = seededRandom(SEED);
  isRefused = () => random() < 0.1;
  await submitAll(TASKS);
  await expect.poll(() => came.size, { timeout: 2 * MAX_MS, interval: 100 }).toBe(TASKS);
  const first = latencies(came);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(first, share)) as [number, number, number];
  const figure =
    `${SENDERS} senders, ${TASKS} tasks, 10 % answered 503: ` +
    `first delivery p50 ${seconds(p50)} s, p99 ${seconds(p99)} s, max ${seconds(max)} s`;
  console.log(figure);
  proves(task, figure);
  expect(p99).toBeLessThanOrEqual(MAX_P99_MS);
  expect(max).toBeLessThanOrEqual(MAX_MS);
});

it('delivers within a minute of its recovery all that waited for a receiver that was away', async ({ task }) => {
  let awayUntil = performance.now() + AWAY_MS;
  isRefused = () => performance.now() < awayUntil;
  await submitAll(WAITING / 2);
  await expect.poll(() => performance.now() >= awayUntil - AWAY_MS / 2, { timeout: AWAY_MS }).toBe(true);
  await submitAll(WAITING / 2);
  if (!isShort) {
    // A restart meanwhile adds no delay.
    await expect.poll(() => performance.now() >= awayUntil - AWAY_MS / 4, { timeout: AWAY_MS }).toBe(true);
    await product.kill();
    await product.start();
    awayUntil = Math.max(awayUntil, performance.now() + AWAY_MS / 4);
  }
  await expect.poll(() => performance.now() >= awayUntil, { timeout: 2 * AWAY_MS }).toBe(true);
  const before = taken.size;
  await expect.poll(() => taken.size, { timeout: 2 * MAX_MS, interval: 100 }).toBe(submitted.size);
  const after = [...taken.values()].map((at) => at - awayUntil).sort((a, b) => a - b);
  const [p50, max] = [quantile(after, 0.5), quantile(after, 1)];
  const figure =
    `away for ${AWAY_MS / 1_000} s${isShort ? '' : ' with a kill -9 in it'}, ${submitted.size - before} deliveries waited: ` +
    `delivered after its recovery p50 ${seconds(p50)} s, max ${seconds(max)} s`;
  console.log(figure);
  proves(task, figure);
  expect(before).toBe(0);
  expect(max).toBeLessThanOrEqual(MAX_MS);
});
