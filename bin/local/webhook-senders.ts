/** Webhook senders of one machine: the consumer of the webhook queue, and the first attempt by the worker. */

import { startConsumer } from '../../adapters/local/consumer.ts';
import type { LocalContext } from '../../adapters/local/context.ts';
import { WEBHOOK_BODIES } from '../../functions/message-bodies.ts';
import { organizationSlots } from '../../shared/core/lane.ts';
import type { Log } from '../../shared/core/log.ts';
import { cachedVault } from '../../shared/core/vault.ts';
import type { Post } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';
import { addressOfHint, type Hints } from '../../shared/tasks/hints.ts';
import type { ImmediateDelivery } from '../../shared/tasks/immediate-delivery.ts';
import { immediateDelivery } from '../../shared/webhooks/immediate-delivery.ts';
import { sendHint } from '../../shared/webhooks/send.ts';
import { senderCache } from '../../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../../shared/webhooks/sender-slots.ts';

/** Many, because a receiver may take 15 s to respond; few for each receiver. */
const AT_ONCE = 1_000;
const AT_ONCE_TO_ONE = 10;

type SendersInput = { log: Log; hints: Hints; post: Post; notify: Notify };
type Senders = { immediateDelivery: ImmediateDelivery; stop(): Promise<void> };

export function startSenders({ table, blobs, clock, vault, queues }: LocalContext, input: SendersInput): Senders {
  const ports = {
    ...input,
    table,
    blobs,
    clock,
    random: Math.random,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: AT_ONCE, toReceiver: AT_ONCE_TO_ONE }),
    recalled: senderCache({ table, clock, vault: cachedVault(vault) }),
  };
  const stopController = new AbortController();
  const immediate = immediateDelivery(ports, stopController.signal);
  const { stop } = startConsumer({
    queue: queues.webhooks,
    atOnce: () => AT_ONCE,
    ofOrganization: {
      atOnce: () => organizationSlots(AT_ONCE),
      organizationIn: (body) => addressOfHint(body)?.organization ?? '',
    },
    consume: (body) => sendHint(ports, body, stopController.signal),
  });
  return {
    immediateDelivery: immediate,
    async stop() {
      stopController.abort();
      await Promise.all([stop(), immediate.settled()]);
    },
  };
}
