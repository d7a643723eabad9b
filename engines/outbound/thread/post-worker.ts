/** What the poster's thread runs: it judges, connects and posts, and says what came of it. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../../shared/core/log.ts';
import { outbound } from '../outbound.ts';
import { localWebhookPolicy } from '../policy.ts';
import { webhookPoster } from '../post-webhook.ts';
import { inBatches } from './in-batches.ts';
import type { Asked, Said, Setting } from './message.ts';

const port = parentPort as MessagePort;
const say = inBatches<Said>((batch) => port.postMessage(batch));
const line =
  (level: keyof Log): Log[keyof Log] =>
  (message, fields) =>
    say({ level, message, fields });
const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
const post = webhookPoster({ request: outbound(), policy: localWebhookPolicy(workerData as Setting), log });
const underWay = new Map<number, AbortController>();

async function carryOut(asked: Asked): Promise<void> {
  if ('cut' in asked) return underWay.get(asked.cut)?.abort();
  const { id, address, message } = asked;
  const control = new AbortController();
  underWay.set(id, control);
  try {
    say({ id, posted: await post(address, message, control.signal) });
  } catch (error) {
    say({ id, error });
  }
  underWay.delete(id);
}

port.on('message', (batch: Asked[]) => {
  for (const asked of batch) void carryOut(asked);
});
