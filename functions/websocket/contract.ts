/** The messages of the WebSocket channel as schemas. In no bundle. */
import * as v from 'valibot';
import { CHANNELS } from '../../shared/realtime/connections.ts';
import { failure, metadata, taskId } from '../agents/task-answers.ts';
import { count, time } from '../http/contract.ts';
import { authenticate, MAX_CHANNELS, ping, subscribe } from './messages.ts';

/** What a client says. */
export const clientMessages = {
  Authenticate: authenticate,
  Subscribe: v.object({
    ...subscribe.entries,
    channels: v.pipe(v.array(v.picklist(CHANNELS)), v.minLength(1), v.maxLength(MAX_CHANNELS)),
  }),
  Ping: ping,
};

const ofTask = {
  task_id: taskId,
  seq: count,
  timestamp: time,
  metadata,
  metadata_omitted: v.exactOptional(v.literal(true)),
};
const percent = v.pipe(v.number(), v.minValue(0), v.maxValue(100));

/** What the server says. */
export const serverMessages = {
  Authenticated: v.object({ type: v.literal('authenticated') }),
  Subscribed: v.object({ type: v.literal('subscribed'), channels: v.array(v.picklist(CHANNELS)) }),
  Pong: v.object({ type: v.literal('pong') }),
  Fault: v.object({
    type: v.literal('error'),
    code: v.picklist(['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED', 'INVALID_MESSAGE', 'INTERNAL_ERROR']),
    message: v.string(),
  }),
  TaskStarted: v.object({ type: v.literal('task_started'), ...ofTask }),
  TaskProgress: v.object({ type: v.literal('task_progress'), ...ofTask, progress: percent }),
  TaskCompleted: v.object({ type: v.literal('task_completed'), ...ofTask }),
  TaskFailed: v.object({ type: v.literal('task_failed'), ...ofTask, error: failure }),
  SystemNotification: v.object({
    type: v.literal('system_notification'),
    level: v.picklist(['info', 'warning', 'critical']),
    message: v.string(),
    timestamp: time,
  }),
  ConnectionEnding: v.object({ type: v.literal('connection_ending'), ends_at: time, message: v.string() }),
  ReplayComplete: v.object({ type: v.literal('replay_complete'), timestamp: time }),
  ResyncRequired: v.object({ type: v.literal('resync_required'), timestamp: time }),
};
