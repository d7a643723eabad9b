/** Deliveries against a plain loop of POSTs, and how 500 receivers that never answer affect the others. */

import { Agent, request as httpRequest } from 'node:http';
import { startConsumer } from '../../../adapters/local/consumer.ts';
import { localQueues } from '../../../adapters/local/local-queues.ts';
import { webhookSender } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { localWebhookPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import { logger } from '../../../shared/core/log.ts';
import { cachedVault } from '../../../shared/core/vault.ts';
import type { Post } from '../../../shared/ports.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { sendHint } from '../../../shared/webhooks/send.ts';
import { senderCache } from '../../../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../../../shared/webhooks/sender-slots.ts';
import { bareReceiver } from '../../shared/webhooks/receiver.ts';
import { openWebhooks } from '../../shared/webhooks/setup.ts';
import { answered } from '../../support/post-answers.ts';
import { bareServer } from './servers.ts';
import { type Bench, type Comparison, inTurns } from './side-by-side.ts';

const DELIVERIES = 2_000;
const AT_ONCE_TO_ONE = 64;
const PLACES = 1_000;
const ROUNDS = 5;
const HANGING = 500;
const OTHERS = 500;
const MAX_GROWTH_MB = 64;

const never = new AbortController().signal;
const hintOf = (address: TaskAddress): string => JSON.stringify(address);

async function posted(port: number, body: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest(
        { port, host: '127.0.0.1', method: 'POST', path: '/hook', agent, headers },
        (response) => {
          response.resume().on('end', resolve);
        },
      );
      sent.on('error', reject).end(body);
    });
  for (let made = 0; made < DELIVERIES; made++) await one();
  agent.destroy();
}

type Opened = ReturnType<typeof openWebhooks>;

/** A sender as in `npm start`, with the usual log level. */
const senderOf = (opened: Opened, post: Post) =>
  opened.sender(post, {
    slots: senderSlots({ ofOrganization: 1_000, toReceiver: AT_ONCE_TO_ONE }),
    recalled: senderCache({ ...opened, vault: cachedVault(opened.vault) }),
    log: logger({ clock: opened.clock, write: () => undefined, minLevel: 'warn' }),
  });

const endTasks = (opened: Opened, endpoint: string, many: number): Promise<TaskAddress[]> =>
  Promise.all(Array.from({ length: many }, () => opened.ended({ endpoint })));

/** Sends hints as the local product does, until all deliveries are settled. */
async function delivered(opened: Opened, post: Post, addresses: TaskAddress[]): Promise<void> {
  const queue = localQueues(opened).webhooks;
  const sender = senderOf(opened, post);
  const all = Promise.withResolvers<void>();
  let left = addresses.length;
  const consume = async (body: string) => {
    await sendHint(sender, body, never);
    if (--left === 0) all.resolve();
  };
  const { stop } = startConsumer({ queue, atOnce: () => PLACES, consume });
  for (let from = 0; from < addresses.length; from += 10) {
    await queue.send(addresses.slice(from, from + 10).map((address) => ({ body: hintOf(address) })));
  }
  await all.promise;
  await stop();
}

async function besideHanging(opened: Opened, post: Post, port: number): Promise<Comparison[]> {
  const endpoint = `http://127.0.0.1:${port}/hook`;
  const silent = await bareReceiver(() => undefined);
  const stopController = new AbortController();
  const sender = senderOf(opened, post);
  const p95 = async (): Promise<number> => {
    const addresses = await endTasks(opened, endpoint, OTHERS);
    const times: number[] = [];
    for (const address of addresses) {
      const startedAt = performance.now();
      await sendHint(sender, hintOf(address), never);
      times.push(performance.now() - startedAt);
    }
    return times.toSorted((a, b) => a - b)[Math.floor(OTHERS * 0.95)] ?? Number.NaN;
  };
  await p95();
  const alone = await p95();
  const before = process.memoryUsage().rss;
  // One organization per receiver, so that all of them hang at the same time.
  const hanging = Array.from({ length: HANGING }, async () => {
    const organization = opened.ids.uuid();
    await opened.rotate(organization);
    const address = await opened.ended({ organization, endpoint: `${silent.origin}/hook` });
    await sendHint(sender, hintOf(address), stopController.signal).catch(() => undefined);
  });
  while (silent.connections() < HANGING) await new Promise(setImmediate);
  const beside = await p95();
  const growth = (process.memoryUsage().rss - before) / 2 ** 20;
  stopController.abort(new Error('The bench is over.'));
  await Promise.all(hanging);
  await silent.close();
  return [
    {
      what: `p95 of a delivery beside ${HANGING} receivers that hang, over alone`,
      unit: 'µs',
      ours: beside * 1_000,
      reference: alone * 1_000,
      ratio: beside / alone,
      wanted: { atMost: 2 },
    },
    {
      what: `resident growth meanwhile, over ${MAX_GROWTH_MB} MB`,
      unit: 'MB',
      ours: growth,
      reference: MAX_GROWTH_MB,
      ratio: growth / MAX_GROWTH_MB,
      wanted: { atMost: 1 },
    },
  ];
}

export const bench: Bench = {
  title: 'Webhooks',
  about: `Deliveries are claimed, signed twice, sent through the guard and logged, durably; the reference posts the same bytes to the same receiver, one after the other over a kept connection, and does nothing else.`,
  async run() {
    const opened = openWebhooks();
    await opened.rotate();
    const receiver = await bareServer();
    const endpoint = `http://127.0.0.1:${receiver.port}/hook`;
    const post = webhookSender({ request: outbound(), policy: localWebhookPolicy({ ownHosts: [] }), log: opened.log });
    let body = '';
    const example: Post = async (_, message) => {
      body = message.body;
      return answered();
    };
    for (const address of await endTasks(opened, endpoint, 1)) await opened.send(address, example);

    const rate = async (way: { prepare(): Promise<TaskAddress[]>; run(of: TaskAddress[]): Promise<void> }) => {
      const prepared = await way.prepare();
      const startedAt = performance.now();
      await way.run(prepared);
      return (DELIVERIES * 1_000) / (performance.now() - startedAt);
    };
    const ours = {
      prepare: () => endTasks(opened, endpoint, DELIVERIES),
      run: (addresses: TaskAddress[]) => delivered(opened, post, addresses),
    };
    const reference = { prepare: async () => [], run: () => posted(receiver.port, body) };
    const rates = await inTurns(rate, { ours, reference }, ROUNDS);
    const beside = await besideHanging(opened, post, receiver.port);
    receiver.stop();
    opened.close();
    return [{ what: 'signed, logged deliveries', unit: 'deliveries/s', ...rates, wanted: { atLeast: 0.5 } }, ...beside];
  },
};
