/** The sender of webhooks as a Lambda function: handles all hints of a batch at once, because sending is mostly waiting. */

import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  downloadsFrom,
  logFrom,
  notifierFrom,
  secretsFrom,
  socketsFrom,
  tableFrom,
  webhookHintsFrom,
} from '../adapters/aws/context.ts';
import { webhookSender } from '../engines/outbound/clients.ts';
import { outbound } from '../engines/outbound/request.ts';
import { publicPolicy } from '../engines/outbound/ssrf-policy.ts';
import { systemClock } from '../shared/core/time.ts';
import { cachedVault, vault } from '../shared/core/vault.ts';
import { sendHint } from '../shared/webhooks/send.ts';
import { senderCache } from '../shared/webhooks/sender-cache.ts';
import { senderSlots } from '../shared/webhooks/sender-slots.ts';
import { hintBatch } from './hint-batches.ts';
import { failureLog, flushUpdates } from './lambda-handlers.ts';
import { SOCKET_TEXTS, WEBHOOK_BODIES } from './message-bodies.ts';

/** Enough time to store the outcome of an attempt and to respond. */
const SETTLE_MS = 10_000;
/** The largest batch of the queue. */
const AT_ONCE = 10;

const log = logFrom(process.env);
const table = tableFrom(process.env);
const { notify, settled } = notifierFrom({ table, log, sockets: socketsFrom(process.env), words: SOCKET_TEXTS });
const ports = {
  table,
  notify,
  blobs: downloadsFrom(process.env),
  clock: systemClock,
  log,
  hints: webhookHintsFrom(process.env, log),
  random: Math.random,
  post: webhookSender({ request: outbound(), policy: publicPolicy({ ownHosts: [] }), log }),
  bodies: WEBHOOK_BODIES,
  slots: senderSlots({ ofOrganization: AT_ONCE, toReceiver: AT_ONCE }),
  recalled: senderCache({ table, clock: systemClock, vault: cachedVault(vault(secretsFrom(process.env))) }),
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .use([failureLog(log), flushUpdates(settled)])
  .handler(hintBatch((body, stopSignal) => sendHint(ports, body, stopSignal), { reservedMs: SETTLE_MS }));
