/** A connection of the WebSocket channel: the messages that clients may send, and the responses. */
import * as v from 'valibot';
import type { Log } from '../../shared/core/log.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { HOUR_MS } from '../../shared/core/time.ts';
import type { Listed, Row, Table } from '../../shared/ports.ts';
import {
  type AuthenticationPorts,
  addChannels,
  authenticateConnection,
  CHANNELS,
  type Channel,
  connectionById,
  messageBudgets,
  type OpenedConnection,
  removeConnection,
  type Watchers,
} from '../../shared/realtime/connections.ts';
import { momentsUpToNow, type Notifier, taskUpdate, type UpdatedTask } from '../../shared/realtime/notifier.ts';
import { detailsKey, resultsOf, type TaskDetails } from '../../shared/tasks/details.ts';
import { type TaskAddress, taskKey, tasksList } from '../../shared/tasks/rows.ts';
import { AGENTS_FACE, TASK_LIMITS, type Task } from '../../shared/tasks/task.ts';
import { SOCKET_TEXTS } from '../message-bodies.ts';

const MAX_TOKEN = 4_096;
export const MAX_CHANNELS = 10;
const MAX_SHOWN = 64;

const NO_TOKEN = 'authenticate needs a token.';
const NO_CHANNELS = 'subscribe needs a list of channels.';
const NO_TIME = 'resume_from needs since, the timestamp of the last message.';

const authenticateMessage = v.object(
  {
    type: v.literal('authenticate'),
    token: v.pipe(v.string(NO_TOKEN), v.maxLength(MAX_TOKEN, 'token is not a valid websocket_token.')),
  },
  NO_TOKEN,
);

const instant = v.pipe(
  v.string('resume_from.since is the timestamp of the last message.'),
  v.isoTimestamp('resume_from.since is a time such as 2026-06-01T12:00:00.000Z.'),
  v.transform((text) => Date.parse(text)),
  v.number('resume_from.since is a time such as 2026-06-01T12:00:00.000Z.'),
);

const subscribeMessage = v.object(
  {
    type: v.literal('subscribe'),
    channels: v.pipe(
      v.array(v.string('A channel must be a string.'), NO_CHANNELS),
      v.minLength(1, 'subscribe needs a channel.'),
      v.maxLength(MAX_CHANNELS, `At most ${MAX_CHANNELS} channels at once.`),
      // Unknown channels are reported in an error; the others are subscribed.
      v.transform((names) => ({ known: [...new Set(names.filter(isChannel))], unknown: names.filter(isUnknown) })),
    ),
    resume_from: v.optional(v.object({ since: instant }, NO_TIME)),
  },
  NO_CHANNELS,
);

/** The messages that clients may send. */
export const clientSchemas = {
  authenticate: authenticateMessage,
  subscribe: subscribeMessage,
  ping: v.object({ type: v.literal('ping') }),
};

const clientMessage = v.variant(
  'type',
  [clientSchemas.authenticate, clientSchemas.subscribe, clientSchemas.ping],
  'A message has a type: authenticate, subscribe or ping.',
);

type ClientMessage = v.InferOutput<typeof clientMessage>;
type SubscribeMessage = v.InferOutput<typeof subscribeMessage>;

const isChannel = (name: string): name is Channel => (CHANNELS as readonly string[]).includes(name);
const isUnknown = (name: string): boolean => !isChannel(name);

/** The error text for unknown channels. */
function unknownChannels(names: string[]): string {
  const quotedNames = names.map((name) => JSON.stringify(name.slice(0, MAX_SHOWN))).join(', ');
  return `Unknown channel ${quotedNames}; the channels are ${CHANNELS.join(', ')}.`;
}

function parseClientMessage(text: string): ClientMessage | { fault: string } {
  const parsed = v.safeParse(clientMessage, parseJsonMessage(text));
  return parsed.success ? parsed.output : { fault: parsed.issues[0].message };
}

/** Returns `undefined` for invalid JSON, because no JSON value is undefined. */
function parseJsonMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The ports of the WebSocket channel, and the messages to one connection.

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

/** `{type: authenticate, token}` authenticates a connection. */
const REFUSED = 'Invalid, expired or used websocket_token; ask for another one.';
const FULL = 'Your organization has reached its limit of WebSocket connections; close one of them first.';

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

/** `{type: subscribe, channels, resume_from}` subscribes to channels and replays missed updates. */
const LOOKBACK_MS = 200;

type SubscribingConnection = { connection: string; organization: string };

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
  context.outboxes.hold(recipient);
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

/** The same code handles connections on one machine and on API Gateway. */
const TOO_MANY = 'This connection sent too many messages. Open another one and send fewer per second.';

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

/** Updates that were sent shortly before the disconnect may not have arrived. */
const OVERLAP_MS = 10_000;
const MAX_AWAY_MS = 24 * HOUR_MS;
/**
 * The longest time from submission to end of a task with a scheduled start. Of older open tasks there are only the few
 * that wait for ever.
 */
const LONGEST_MS = 25 * HOUR_MS + TASK_LIMITS.waitMs + 4 * HOUR_MS + TASK_LIMITS.cancelGraceMs;
const MAX_READ = 20_000;
const MAX_LISTED = 5_000;
const PAGE_SIZE = 1_000;
const ROWS_AT_ONCE = 50;

/** `tooMuch`: too many changes to replay, so the client must read the tasks itself. */
async function changedSince(
  table: Table,
  organization: string,
  since: number,
): Promise<AsyncIterable<UpdatedTask[]> | 'tooMuch'> {
  const from = since - OVERLAP_MS;
  const fits = ({ endedAt }: Listed) => endedAt === undefined || endedAt >= from;
  const entries: Listed[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MAX_READ; looked += PAGE_SIZE) {
    const paging = { limit: PAGE_SIZE, newestFirst: true, ...definedFields({ after }) };
    const page = await table.listed(tasksList(organization, AGENTS_FACE), paging);
    entries.push(...page.rows.filter(fits));
    if (entries.length > MAX_LISTED) return 'tooMuch';
    const oldest = page.rows.at(-1);
    if (page.next === undefined || (oldest && oldest.at < from - LONGEST_MS))
      return tasksAt(table, organization, { entries, from });
    after = page.next;
  }
  return 'tooMuch';
}

type ChangedEntries = { entries: Listed[]; from: number };
type ExistingTask = { address: TaskAddress; task: Task; about: TaskDetails };

/** Oldest first, in the order of the updates. The index may lag behind the rows, so the rows are read again. */
async function* tasksAt(
  table: Table,
  organization: string,
  { entries, from }: ChangedEntries,
): AsyncIterable<UpdatedTask[]> {
  const addresses = entries.map(({ id }): TaskAddress => ({ organization, taskId: id })).reverse();
  for (let at = 0; at < addresses.length; at += ROWS_AT_ONCE) {
    const batch = addresses.slice(at, at + ROWS_AT_ONCE);
    const rows = await table.getMany<Task | TaskDetails>([...batch.map(taskKey), ...batch.map(detailsKey)]);
    const existingTasks = batch.flatMap((address, nth): ExistingTask[] => {
      const task = rows[nth] as Row<Task> | undefined;
      const about = rows[nth + batch.length] as Row<TaskDetails> | undefined;
      return task ? [{ address, task: task.value, about: about?.value ?? {} }] : [];
    });
    const runs = await lastRuns(table, existingTasks, from);
    const failed = [...existingTasks, ...runs].filter(
      ({ task }) => task.state === 'failed' || task.state === 'cancelled',
    );
    const results = new Map((await resultsOf(table, failed)).map((result, nth) => [failed[nth]?.task, result]));
    for (const current of existingTasks) {
      const replayed = [...runs.filter(({ address }) => address.taskId === current.address.taskId), current];
      yield replayed.map(({ address, task, about }) => ({
        taskId: address.taskId,
        task,
        about,
        result: results.get(task),
      }));
    }
  }
}

/** A recurring task may have ended a run in the meantime and be waiting for the next one. */
async function lastRuns(table: Table, existingTasks: ExistingTask[], from: number): Promise<ExistingTask[]> {
  const recurring = existingTasks.flatMap((entry) => {
    const { run = 1 } = entry.task.recurs ?? {};
    return run > 1 ? [{ ...entry, key: taskKey({ ...entry.address, run: run - 1 }) }] : [];
  });
  const rows = recurring.length === 0 ? [] : await table.getMany<Task>(recurring.map(({ key }) => key));
  return recurring.flatMap(({ address, about }, nth) => {
    const task = rows[nth]?.value;
    return task && (task.endedAt ?? 0) >= from ? [{ address, task, about }] : [];
  });
}
