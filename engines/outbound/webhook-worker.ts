/** The program of the webhook thread: it checks URLs, connects, posts and reports the outcome. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../shared/core/log.ts';
import { webhookSender } from './clients.ts';
import { outbound } from './request.ts';
import { localWebhookPolicy } from './ssrf-policy.ts';
import {
  batchPerTurn,
  type WebhookThreadMessage,
  type WebhookThreadRequest,
  type WebhookThreadSettings,
} from './webhook-thread.ts';

const port = parentPort as MessagePort;
const send = batchPerTurn<WebhookThreadMessage>((batch) => port.postMessage(batch));
const line =
  (level: keyof Log): Log[keyof Log] =>
  (message, fields) =>
    send({ level, message, fields });
const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
const post = webhookSender({
  request: outbound(),
  policy: localWebhookPolicy(workerData as WebhookThreadSettings),
  log,
});
const active = new Map<number, AbortController>();

async function handleRequest(request: WebhookThreadRequest): Promise<void> {
  if ('cut' in request) return active.get(request.cut)?.abort();
  const { id, address, message } = request;
  const control = new AbortController();
  active.set(id, control);
  try {
    send({ id, posted: await post(address, message, control.signal) });
  } catch (error) {
    send({ id, error });
  }
  active.delete(id);
}

port.on('message', (batch: WebhookThreadRequest[]) => {
  for (const request of batch) void handleRequest(request);
});
