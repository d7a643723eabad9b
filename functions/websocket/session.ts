/** Answers the messages of a connection of the WebSocket channel. */

import type { Log } from '../../shared/core/log.ts';
import { HOUR_MS } from '../../shared/core/time.ts';
import { addChannels } from '../../shared/realtime/connection-slots.ts';
import {
  type AuthenticationPorts,
  authenticateConnection,
  connectionById,
  type OpenedConnection,
  removeConnection,
} from '../../shared/realtime/connections.ts';
import { messageBudgets } from '../../shared/realtime/message-budgets.ts';
import type { Notifier } from '../../shared/realtime/notifier.ts';
import { momentsUpToNow, taskUpdate } from '../../shared/realtime/task-update.ts';
import type { Watchers } from '../../shared/realtime/watchers.ts';
import { SOCKET_TEXTS } from '../message-bodies.ts';
import { changedSince } from './changed-tasks.ts';
import { parseClientMessage, type SubscribeMessage, unknownChannels } from './client-messages.ts';

type SocketContext = AuthenticationPorts & {
  log: Log;
  watchers: Pick<Watchers, 'forget'>;
  outboxes: Notifier['outboxes'];
  /** Resolves when the notifier has seen earlier writes. */
  seen(): Promise<void>;
  /** How often to check for an authentication in progress: on API Gateway messages may overtake each other. */
  looks: number;
  wait(ms: number): Promise<void>;
  /** The number of tasks that are replayed concurrently: on API Gateway each message takes a while. */
  atOnce: number;
};

type Code = 'UNAUTHORIZED' | 'RATE_LIMIT_EXCEEDED' | 'INVALID_MESSAGE' | 'INTERNAL_ERROR';

type ConnectionWriter = ReturnType<typeof connectionWriter>;

function connectionWriter(context: SocketContext) {
  const { sockets, watchers } = context;

  async function removeClosed(id: string): Promise<void> {
    const connection = await removeConnection(context, id);
    if (connection) watchers.forget(connection.organization);
  }

  /** Returns false if the connection is closed. */
  async function sendText(id: string, text: string): Promise<boolean> {
    if ((await sockets.post(id, text)) === 'sent') return true;
    await removeClosed(id);
    return false;
  }

  const send = (id: string, message: object) => sendText(id, JSON.stringify(message));
  const fault = (id: string, code: Code, message: string) => send(id, { type: 'error', code, message });

  return {
    closed: removeClosed,
    send: send,
    sayText: sendText,
    fault,
    async closeWithFault(id: string, code: Code, message: string): Promise<void> {
      await fault(id, code, message);
      await sockets.close(id, code);
    },
  };
}

const REFUSED = 'Invalid, expired or used websocket_token; ask for another one.';
const FULL = 'Your organization has reached its limit of WebSocket connections; close one of them first.';

/** `{type: authenticate, token}` authenticates a connection. */
async function authenticate(
  context: SocketContext,
  { send, fault, closeWithFault }: ConnectionWriter,
  { opened, token }: { opened: OpenedConnection; token: string },
): Promise<void> {
  const { id } = opened;
  if (await connectionById(context.table, id)) {
    await fault(id, 'INVALID_MESSAGE', 'This connection is authenticated already.');
    return;
  }
  const answer = await authenticateConnection(context, opened, token);
  if (answer === 'full') return closeWithFault(id, 'RATE_LIMIT_EXCEEDED', FULL);
  if (answer === 'refused') return void (await fault(id, 'UNAUTHORIZED', REFUSED));
  context.watchers.forget(answer.organization);
  await send(id, { type: 'authenticated' });
}

const LOOKBACK_MS = 200;

type SubscribingConnection = { connection: string; organization: string };

/** `{type: subscribe, channels, resume_from}` subscribes to channels and replays missed updates. */
async function subscribe(
  context: SocketContext,
  writer: ConnectionWriter,
  { id, message: { channels: requested, resume_from: resume } }: { id: string; message: SubscribeMessage },
): Promise<void> {
  const { known: channels, unknown } = requested;
  const organization = await ownerOf(context, id);
  if (organization === undefined) {
    await writer.fault(id, 'UNAUTHORIZED', 'Authenticate first, with a websocket_token.');
    return;
  }
  if (unknown.length > 0) await writer.fault(id, 'INVALID_MESSAGE', unknownChannels(unknown));
  if (channels.length === 0) return;
  const recipient = { connection: id, organization };
  const sentVersions = new Map<string, number>();
  // New updates are held until the replay ends, so that each task keeps its order.
  context.outboxes.pause(recipient);
  try {
    if (!(await addChannels(context, organization, { connection: id, channels }))) {
      return await writer.closeWithFault(id, 'UNAUTHORIZED', 'This connection has lost its slot; open another one.');
    }
    context.watchers.forget(organization);
    await context.seen();
    const isConnected = await writer.send(id, { type: 'subscribed', channels });
    if (!isConnected || !resume) return;
    if (channels.includes('task_updates'))
      await replay(context, writer, { recipient, since: resume.since, sentVersions });
    else await writer.send(id, catchUp(context.clock.now()));
  } finally {
    context.outboxes.release(recipient, sentVersions);
  }
}

async function ownerOf({ table, looks, wait }: SocketContext, id: string): Promise<string | undefined> {
  for (let look = 0; ; look++) {
    const row = await connectionById(table, id);
    if (row?.value.hasPlace || look >= looks) return row?.value.organization;
    await wait(LOOKBACK_MS);
  }
}

/** Notices are not replayed, so a subscription to notices alone is complete at once. */
const catchUp = (now: number) => ({ type: 'replay_complete', timestamp: new Date(now).toISOString() });

type AwayPeriod = { recipient: SubscribingConnection; since: number; sentVersions: Map<string, number> };

async function replay(
  { table, clock, atOnce }: SocketContext,
  { send, sayText: sendText }: ConnectionWriter,
  { recipient: { connection, organization }, since, sentVersions }: AwayPeriod,
): Promise<void> {
  const now = clock.now();
  const from = Math.min(since, now);
  const changed = now - from > MAX_AWAY_MS ? 'tooMuch' : await changedSince(table, organization, from);
  if (changed === 'tooMuch') return void (await sendText(connection, SOCKET_TEXTS.resync(now)));
  const tasks = changed[Symbol.asyncIterator]();
  let isConnected = true;
  async function replayRemaining(): Promise<void> {
    for (let next = await tasks.next(); !next.done && isConnected; next = await tasks.next()) {
      for (const updated of next.value) {
        for (const moment of momentsUpToNow(updated.task)) {
          const update = taskUpdate(moment, updated, now);
          isConnected &&= await sendText(connection, SOCKET_TEXTS.ofTask(update));
          sentVersions.set(update.taskId, update.seq);
        }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, replayRemaining));
  await send(connection, catchUp(now));
}

const TOO_MANY = 'This connection sent too many messages. Open another one and send fewer per second.';

/** The same code handles connections on one machine and on API Gateway. */
export function answerSocket(context: SocketContext) {
  const writer = connectionWriter(context);
  const { send, fault, closeWithFault, closed: removeClosed } = writer;
  const budgets = messageBudgets(context.clock, async (id) => (await connectionById(context.table, id)) !== undefined);

  /** Closes the connection at the first message over its budget, and ignores later messages. */
  async function isWithinBudget(id: string): Promise<boolean> {
    const budgetState = await budgets.take(id);
    if (budgetState !== 'justSpent') return budgetState === 'ok';
    context.log.warn('a connection was closed because it sent too many messages', { connection: id });
    await closeWithFault(id, 'RATE_LIMIT_EXCEEDED', TOO_MANY).catch((error) => {
      // The connection is still open: its next burst will try to close it again.
      budgets.forget(id);
      throw error;
    });
    return false;
  }

  async function answer(opened: OpenedConnection, text: string): Promise<void> {
    const { id } = opened;
    const parsed = parseClientMessage(text);
    if ('fault' in parsed) await fault(id, 'INVALID_MESSAGE', parsed.fault);
    else if (parsed.type === 'authenticate') await authenticate(context, writer, { opened, token: parsed.token });
    else if (parsed.type === 'subscribe') await subscribe(context, writer, { id, message: parsed });
    else await send(id, { type: 'pong' });
  }

  return {
    async message(opened: OpenedConnection, text: string): Promise<void> {
      try {
        if (await isWithinBudget(opened.id)) await answer(opened, text);
      } catch (error) {
        context.log.error('a message of a connection was not answered', { connection: opened.id, error });
        await fault(opened.id, 'INTERNAL_ERROR', 'Internal error. Try again.');
      }
    },
    /** A protocol ping or pong. API Gateway answers these itself and does not forward them. */
    async controlFrame(id: string): Promise<void> {
      await isWithinBudget(id);
    },
    /** Rejects messages that API Gateway would not forward. */
    refuse: (id: string, message: string) => closeWithFault(id, 'INVALID_MESSAGE', message),
    /** Called when the ten seconds for authenticating are over. */
    async checkAuthenticated(id: string): Promise<void> {
      if (await connectionById(context.table, id)) return;
      await closeWithFault(id, 'UNAUTHORIZED', 'No valid websocket_token came within 10 seconds.');
    },
    async closed(id: string): Promise<void> {
      budgets.forget(id);
      await removeClosed(id);
    },
  };
}
const MAX_AWAY_MS = 24 * HOUR_MS;
