/** Many tasks through twenty senders to one receiver: every event once, none missing. */
import { afterAll, expect, it } from 'vitest';
import { startConsumer } from '../../../adapters/local/consumer.ts';
import { webhookSender } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { localWebhookPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import { sendHint } from '../../../shared/webhooks/send.ts';
import { senderSlots } from '../../../shared/webhooks/sender-slots.ts';
import { repetitions } from '../../support/repetitions.ts';
import { receiver } from './receiver.ts';
import { openWebhooks } from './setup.ts';

const TASKS = repetitions({ few: 800, many: 4_000 });
const SENDERS = 20;

const opened = openWebhooks();
afterAll(() => opened.close());

it(`delivers ${TASKS} tasks through ${SENDERS} senders, each event exactly once`, async () => {
  await opened.rotate();
  const allArrived = Promise.withResolvers<void>();
  const good = await receiver((_, response) => {
    response.end();
    if (good.arrived.length === TASKS) allArrived.resolve();
  });
  const post = webhookSender({ request: outbound(), policy: localWebhookPolicy({ ownHosts: [] }), log: opened.log });
  const sender = opened.sender(post, { slots: senderSlots({ ofOrganization: SENDERS, toReceiver: SENDERS }) });
  const addresses = await Promise.all(
    Array.from({ length: TASKS }, () => opened.ended({ endpoint: `${good.origin}/hook` })),
  );
  const { stop } = startConsumer({
    queue: opened.queues.webhooks,
    atOnce: () => SENDERS,
    consume: (body) => sendHint(sender, body, new AbortController().signal),
  });
  await allArrived.promise;
  await stop();
  const ids = good.arrived.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids)).toEqual(new Set(addresses.map(({ taskId }) => `evt_${taskId}_succeeded`)));
  expect(ids).toHaveLength(TASKS);
  const states = await Promise.all(addresses.map(async (address) => (await opened.delivery(address)).state));
  expect(new Set(states)).toEqual(new Set(['delivered']));
  await good.close();
}, 120_000);
