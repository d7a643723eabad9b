/** The WebSocket channel as a Lambda function: messages, connects, disconnects, and authentication timeouts. */

import middy from '@middy/core';
import type {
  APIGatewayProxyResultV2,
  APIGatewayProxyWebsocketEventV2,
  Context,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import {
  logFrom,
  notifierFrom,
  secretsFrom,
  socketsFrom,
  tableFrom,
  unauthenticatedQueueFrom,
} from '../adapters/aws/context.ts';
import { organizationReader } from '../shared/accounts/organizations.ts';
import { systemClock, systemWait } from '../shared/core/time.ts';
import { SOCKET_LIMITS } from '../shared/realtime/socket-limits.ts';
import { hintBatch } from './hint-batches.ts';
import { failureLog, flushUpdates } from './lambda-handlers.ts';
import { SOCKET_TEXTS } from './message-bodies.ts';
import { answerSocket } from './websocket/session.ts';

const RESERVED_MS = 2_000;
const { unseenMs, indexMs, authenticateMs } = SOCKET_LIMITS;

const clock = systemClock;
const table = tableFrom(process.env);
const log = logFrom(process.env);
const sockets = socketsFrom(process.env);
const unauthenticated = unauthenticatedQueueFrom(process.env);
const { watchers, outboxes, settled } = notifierFrom({ table, log, sockets, words: SOCKET_TEXTS });
const socket = answerSocket({
  table,
  clock,
  log,
  sockets,
  secrets: secretsFrom(process.env),
  organizationOf: organizationReader({ table, clock }),
  watchers,
  outboxes,
  seen: () => systemWait(unseenMs + indexMs),
  looks: 15,
  wait: systemWait,
  atOnce: 20,
});

const check = hintBatch((connection) => socket.checkAuthenticated(connection), { reservedMs: RESERVED_MS });

const DONE = { statusCode: 200 };

async function answer({ requestContext, body = '' }: APIGatewayProxyWebsocketEventV2): Promise<typeof DONE> {
  const { connectionId: id, eventType, connectedAt: openedAt } = requestContext;
  if (eventType === 'CONNECT') {
    await unauthenticated.send([{ body: id, delaySeconds: authenticateMs / 1_000 }]);
  } else if (eventType === 'DISCONNECT') await socket.closed(id);
  else await socket.message({ id, openedAt }, body);
  return DONE;
}

type Event = APIGatewayProxyWebsocketEventV2 | SQSEvent;

export const handler = middy<Event, APIGatewayProxyResultV2 | SQSBatchResponse>()
  .use([failureLog(log), flushUpdates(settled)])
  .handler((event: Event, context: Context) => ('Records' in event ? check(event, context) : answer(event)));
