/** The senders of the local product: the consumer of its webhook queue, and who sends from where a task ends. */
import { WEBHOOK_BODIES } from '../../functions/webhook-bodies.ts';
import { startConsumer } from '../../local/consume.ts';
import type { LocalContext } from '../../local/context.ts';
import { cachedVault } from '../../shared/core/crypto.ts';
import type { Log } from '../../shared/core/log.ts';
import type { Post } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';
import { addressOfHint, type Hints } from '../../shared/tasks/hints.ts';
import { organizationSlots } from '../../shared/tasks/lane.ts';
import type { FirstSender } from '../../shared/tasks/worker.ts';
import { firstSender, senderCache, senderSlots, sendHint } from '../../shared/webhooks/send.ts';

/** Many, because a receiver may take 15 s to say nothing; and few of them for each receiver. */
const AT_ONCE = 1_000;
const AT_ONCE_TO_ONE = 10;

type SendersInput = { log: Log; hints: Hints; post: Post; notify: Notify };
export type Senders = { first: FirstSender; stop(): Promise<void> };

export function startSenders({ table, blobs, clock, vault, queues }: LocalContext, given: SendersInput): Senders {
  const ports = {
    ...given,
    table,
    blobs,
    clock,
    random: Math.random,
    bodies: WEBHOOK_BODIES,
    slots: senderSlots({ ofOrganization: AT_ONCE, toReceiver: AT_ONCE_TO_ONE }),
    recalled: senderCache({ table, clock, vault: cachedVault(vault) }),
  };
  const mustGo = new AbortController();
  const first = firstSender(ports, mustGo.signal);
  const { stop } = startConsumer({
    queue: queues.webhooks,
    atOnce: () => AT_ONCE,
    ofOrganization: {
      atOnce: () => organizationSlots(AT_ONCE),
      organizationIn: (body) => addressOfHint(body)?.organization ?? '',
    },
    consume: (body) => sendHint(ports, body, mustGo.signal),
  });
  return {
    first,
    async stop() {
      mustGo.abort();
      await Promise.all([stop(), first.settled()]);
    },
  };
}
