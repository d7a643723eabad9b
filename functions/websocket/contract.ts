/** The messages of the WebSocket channel as schemas. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, time } from '../../shared/core/answer-fields.ts';
import { CHANNELS } from '../../shared/realtime/connection-slots.ts';
import { activity, failure, metadata, taskId } from '../agents/task-answers.ts';
import type { FieldTexts } from '../http/contract.ts';
import { clientSchemas, MAX_CHANNELS } from './client-messages.ts';

/** The messages from clients. */
export const clientMessages = {
  Authenticate: clientSchemas.authenticate,
  Subscribe: v.object({
    ...clientSchemas.subscribe.entries,
    channels: v.pipe(v.array(v.picklist(CHANNELS)), v.minLength(1), v.maxLength(MAX_CHANNELS)),
  }),
  Ping: clientSchemas.ping,
};

/** Descriptions of client messages: unlike their schemas, they are not in the socket's bundle. */
export const messageTexts: Record<keyof typeof clientMessages, FieldTexts> = {
  Authenticate: {
    type: 'Always `authenticate`: the first message of a connection, within ten seconds.',
    token: 'A `websocket_token` of `POST /websocket-auth`, which holds for one connection.',
  },
  Subscribe: {
    type: 'Always `subscribe`; the answer is `subscribed` with the channels you have then.',
    channels: `What to receive: 1 to ${MAX_CHANNELS} names of channels.`,
    resume_from: 'Repeats what you missed since an earlier connection; default: nothing.',
    'resume_from.since': 'The `timestamp` of the last message that you received.',
  },
  Ping: { type: 'Always `ping`, which is answered by `pong` and keeps the connection open.' },
};

/** The `type` field of a message: a constant. */
const type = <const T extends string>(name: T, text: string) => field(v.literal(name), `Always \`${name}\`: ${text}`);
const ofTask = {
  task_id: taskId,
  seq: field(count, 'Rises within a task; drop a message that is not above the last one of its task.'),
  timestamp: field(time, 'When it happened, in UTC; resume from the last one you received.'),
  metadata,
  metadata_omitted: v.exactOptional(
    field(v.literal(true), 'Always true: the metadata would make the message too long; read the task for it.'),
  ),
};
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));
const at = field(time, 'When the server sent the message, in UTC.');

/** The messages from the server. */
export const serverMessages = {
  Authenticated: v.object({ type: type('authenticated', 'the token was accepted; subscribe now.') }),
  Subscribed: v.object({
    type: type('subscribed', 'from now on no message of the channels is missed.'),
    channels: field(v.array(v.picklist(CHANNELS)), 'All channels that this connection receives now.'),
  }),
  Pong: v.object({ type: type('pong', 'the answer to a `ping`.') }),
  Fault: v.object({
    type: type('error', 'a message of yours was rejected.'),
    code: field(
      v.picklist(['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED', 'INVALID_MESSAGE', 'INTERNAL_ERROR']),
      'The kind of error, for a program; after the first two the connection is closed.',
    ),
    message: field(v.string(), 'What is wrong and what to do, for a person to read.'),
  }),
  TaskStarted: v.object({ type: type('task_started', 'a worker began with the task.'), ...ofTask }),
  TaskProgress: v.object({
    type: type('task_progress', 'at most once a second for each task.'),
    ...ofTask,
    progress: field(percent, 'From 0 to 100; never falls within a task.'),
    tokens: v.exactOptional(
      field(count, 'Tokens of models so far, as in the `progress` of the status; absent while there are none.'),
    ),
    waiting_for: v.exactOptional(
      field(v.string(), 'While its model is busy or away: what it waits for, as in the `progress` of the status.'),
    ),
  }),
  TaskCompleted: v.object({ type: type('task_completed', 'the results can be read.'), ...ofTask }),
  TaskFailed: v.object({ type: type('task_failed', 'also for a cancelled task.'), ...ofTask, error: failure }),
  TaskEvents: v.object({
    type: type('task_events', 'on the channel of that name, when a stage of a research has ended.'),
    task_id: taskId,
    events: field(
      v.array(activity),
      'At most 15 events in the order of `n`; what you missed is in `GET /tasks/{task_id}/events`.',
    ),
  }),
  SystemNotification: v.object({
    type: type('system_notification', 'an announcement or a warning to the organization.'),
    level: field(v.picklist(['info', 'warning', 'critical']), 'How urgent it is, `info` being the least.'),
    message: field(v.string(), 'The text of the announcement, for a person to read.'),
    timestamp: at,
  }),
  ConnectionEnding: v.object({
    type: type('connection_ending', 'sent five minutes before the connection is closed.'),
    ends_at: field(time, 'When the connection will be closed, in UTC.'),
    message: field(v.string(), 'What to do about it, for a person to read.'),
  }),
  ReplayComplete: v.object({
    type: type('replay_complete', 'everything you missed has been repeated.'),
    timestamp: at,
  }),
  ResyncRequired: v.object({
    type: type('resync_required', 'messages were dropped; call `GET /tasks` for the current state.'),
    timestamp: at,
  }),
};
