/** One WebSocket connection: its messages and their answers. The same on one machine and behind API Gateway. */

import type { Log } from '../../shared/core/log.ts';
import {
  type AuthenticationPorts,
  addChannels,
  authenticateConnection,
  connectionById,
  messageBudgets,
  type OpenedConnection,
  removeConnection,
  type Watchers,
} from '../../shared/realtime/connections.ts';
import { momentsUpToNow, type Notifier, taskUpdate } from '../../shared/realtime/notifier.ts';
import { changedSince, MAX_AWAY_MS } from '../../shared/realtime/replay.ts';
import { parseClientMessage, type SubscribeMessage, unknownChannels } from './messages.ts';
import { SOCKET_TEXTS } from './texts.ts';

// The ports of the WebSocket channel, and the messages to one connection.

type SocketContext = AuthenticationPorts & {
  log: Log;
  watchers: Pick<Watchers, 'forget'>;
  outboxes: Notifier['outboxes'];
  /** Resolves when the notifier has seen earlier writes. */
  seen(): Promise<void>;
  /** Behind the gateway messages may overtake each other: so often an authentication that is under way is waited for. */
  looks: number;
  wait(ms: number): Promise<void>;
  /** Tasks that are replayed concurrently: behind the gateway each message takes a while. */
  atOnce: number;
};

type Code = 'UNAUTHORIZED' | 'RATE_LIMIT_EXCEEDED' | 'INVALID_MESSAGE' | 'INTERNAL_ERROR';

type ConnectionWriter = ReturnType<typeof connectionWriter>;

function connectionWriter(context: SocketContext) {
  const { sockets, watchers } = context;

  async function closed(id: string): Promise<void> {
    const connection = await removeConnection(context, id);
    if (connection) watchers.forget(connection.organization);
  }

  /** False when nobody is there any more. */
  async function sayText(id: string, text: string): Promise<boolean> {
    if ((await sockets.post(id, text)) === 'sent') return true;
    await closed(id);
    return false;
  }

  const send = (id: string, message: object) => sayText(id, JSON.stringify(message));
  const fault = (id: string, code: Code, message: string) => send(id, { type: 'error', code, message });

  return {
    closed,
    say: send,
    sayText,
    fault,
    async sendAway(id: string, code: Code, message: string): Promise<void> {
      await fault(id, code, message);
      await sockets.close(id, code);
    },
  };
}

/** `{type: authenticate, token}`: whom a connection is for. */
const REFUSED = 'Invalid, expired or used websocket_token; ask for another one.';
const FULL = 'Your organization has as many WebSocket connections as it may; close one of them first.';

async function authenticate(
  context: SocketContext,
  { say: send, fault, sendAway }: ConnectionWriter,
  { opened, token }: { opened: OpenedConnection; token: string },
): Promise<void> {
  const { id } = opened;
  if (await connectionById(context.table, id)) {
    await fault(id, 'INVALID_MESSAGE', 'This connection is authenticated already.');
    return;
  }
  const answer = await authenticateConnection(context, opened, token);
  if (answer === 'full') return sendAway(id, 'RATE_LIMIT_EXCEEDED', FULL);
  if (answer === 'refused') return void (await fault(id, 'UNAUTHORIZED', REFUSED));
  context.watchers.forget(answer.organization);
  await send(id, { type: 'authenticated' });
}

/** `{type: subscribe, channels, resume_from}`: what a connection wants to hear, and what it has missed. */
const LOOKBACK_MS = 200;

type SubscribingConnection = { connection: string; organization: string };

async function subscribe(
  context: SocketContext,
  speaker: ConnectionWriter,
  { id, message: { channels: named, resume_from: resume } }: { id: string; message: SubscribeMessage },
): Promise<void> {
  const { known: channels, unknown } = named;
  const organization = await ownerOf(context, id);
  if (organization === undefined) {
    await speaker.fault(id, 'UNAUTHORIZED', 'Authenticate first, with a websocket_token.');
    return;
  }
  if (unknown.length > 0) await speaker.fault(id, 'INVALID_MESSAGE', unknownChannels(unknown));
  if (channels.length === 0) return;
  const who = { connection: id, organization };
  const sentVersions = new Map<string, number>();
  // New updates wait behind the replayed ones, so that each task keeps its order.
  context.outboxes.hold(who);
  try {
    if (!(await addChannels(context, organization, { connection: id, channels }))) {
      return await speaker.sendAway(id, 'UNAUTHORIZED', 'This connection has lost its place; open another one.');
    }
    context.watchers.forget(organization);
    await context.seen();
    const isThere = await speaker.say(id, { type: 'subscribed', channels });
    if (!isThere || !resume) return;
    if (channels.includes('task_updates')) await replay(context, speaker, { who, since: resume.since, sentVersions });
    else await speaker.say(id, catchUp(context.clock.now()));
  } finally {
    context.outboxes.release(who, sentVersions);
  }
}

async function ownerOf({ table, looks, wait }: SocketContext, id: string): Promise<string | undefined> {
  for (let look = 0; ; look++) {
    const row = await connectionById(table, id);
    if (row?.value.hasPlace || look >= looks) return row?.value.organization;
    await wait(LOOKBACK_MS);
  }
}

/** Notices are not repeated: who asks for them alone has missed nothing that could be. */
const catchUp = (now: number) => ({ type: 'replay_complete', timestamp: new Date(now).toISOString() });

type AwayPeriod = { who: SubscribingConnection; since: number; sentVersions: Map<string, number> };

async function replay(
  { table, clock, atOnce }: SocketContext,
  { say: send, sayText }: ConnectionWriter,
  { who: { connection, organization }, since, sentVersions }: AwayPeriod,
): Promise<void> {
  const now = clock.now();
  const from = Math.min(since, now);
  const changed = now - from > MAX_AWAY_MS ? undefined : await changedSince(table, organization, from);
  if (!changed) return void (await sayText(connection, SOCKET_TEXTS.resync(now)));
  const tasks = changed[Symbol.asyncIterator]();
  let isThere = true;
  async function tellOn(): Promise<void> {
    for (let next = await tasks.next(); !next.done && isThere; next = await tasks.next()) {
      for (const each of next.value) {
        for (const moment of momentsUpToNow(each.task)) {
          const update = taskUpdate(moment, each, now);
          isThere &&= await sayText(connection, SOCKET_TEXTS.ofTask(update));
          sentVersions.set(update.taskId, update.seq);
        }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tellOn));
  await send(connection, catchUp(now));
}

/** One WebSocket connection: what it says, and what it is answered. The same on one machine and behind the gateway. */
const TOO_MANY = 'This connection sent too many messages. Open another one and send fewer per second.';

export function answerSocket(context: SocketContext) {
  const speaking = connectionWriter(context);
  const { say: send, fault, sendAway, closed } = speaking;
  const budgets = messageBudgets(context.clock, async (id) => (await connectionById(context.table, id)) !== undefined);

  /** Ends the connection at the first message over its budget, and ignores what it sends after that. */
  async function isWithinBudget(id: string): Promise<boolean> {
    const taken = await budgets.take(id);
    if (taken !== 'justSpent') return taken === 'ok';
    context.log.warn('a connection was closed because it sent too many messages', { connection: id });
    await sendAway(id, 'RATE_LIMIT_EXCEEDED', TOO_MANY).catch((error) => {
      // It is still open: its next burst is another reason to close it.
      budgets.forget(id);
      throw error;
    });
    return false;
  }

  async function answer(opened: OpenedConnection, text: string): Promise<void> {
    const { id } = opened;
    const parsed = parseClientMessage(text);
    if ('fault' in parsed) await fault(id, 'INVALID_MESSAGE', parsed.fault);
    else if (parsed.type === 'authenticate') await authenticate(context, speaking, { opened, token: parsed.token });
    else if (parsed.type === 'subscribe') await subscribe(context, speaking, { id, message: parsed });
    else await send(id, { type: 'pong' });
  }

  return {
    async message(opened: OpenedConnection, text: string): Promise<void> {
      try {
        if (await isWithinBudget(opened.id)) await answer(opened, text);
      } catch (error) {
        context.log.error('a message of a connection was not answered', { connection: opened.id, error });
        await fault(opened.id, 'INTERNAL_ERROR', 'Something went wrong on our side; try again.');
      }
    },
    /** A protocol ping or pong: a gateway answers these itself and shows them to nobody. */
    async controlFrame(id: string): Promise<void> {
      await isWithinBudget(id);
    },
    /** What no gateway lets through. */
    refuse: (id: string, message: string) => sendAway(id, 'INVALID_MESSAGE', message),
    /** Its ten seconds are over. */
    async checkAuthenticated(id: string): Promise<void> {
      if (await connectionById(context.table, id)) return;
      await sendAway(id, 'UNAUTHORIZED', 'No valid websocket_token came within 10 seconds.');
    },
    async closed(id: string): Promise<void> {
      budgets.forget(id);
      await closed(id);
    },
  };
}
