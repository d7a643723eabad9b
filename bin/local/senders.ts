/** The senders of the local product: the consumer of its webhook queue. */
import { WEBHOOK_BODIES } from '../../functions/webhook-bodies.ts';
import { type Consumer, startConsumer } from '../../local/consume.ts';
import type { LocalContext } from '../../local/context.ts';
import type { Log } from '../../shared/core/log.ts';
import { rememberingVault } from '../../shared/core/remembering-vault.ts';
import type { Post } from '../../shared/ports.ts';
import type { Notify } from '../../shared/sockets/news.ts';
import type { Hints } from '../../shared/tasks/hints.ts';
import { recalled } from '../../shared/webhooks/recalled.ts';
import { sendHint } from '../../shared/webhooks/send-hint.ts';
import { turns } from '../../shared/webhooks/turns.ts';

/** Many, because a receiver may take 15 s to say nothing; and few of them for each receiver. */
const AT_ONCE = 1_000;
const AT_ONCE_TO_ONE = 10;

type Given = { log: Log; hints: Hints; post: Post; notify: Notify };

export function startSenders({ table, blobs, clock, vault, queues }: LocalContext, given: Given): Consumer {
  const inTurn = turns(AT_ONCE_TO_ONE);
  const ports = {
    ...given,
    table,
    blobs,
    clock,
    random: Math.random,
    bodies: WEBHOOK_BODIES,
    inTurn,
    recalled: recalled({ table, clock, vault: rememberingVault(vault) }),
  };
  const mustGo = new AbortController();
  const { stop } = startConsumer({
    queue: queues.webhooks,
    atOnce: AT_ONCE,
    consume: (body) => sendHint(ports, body, mustGo.signal),
  });
  return {
    async stop() {
      mustGo.abort();
      await stop();
    },
  };
}
