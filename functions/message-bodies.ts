/** The messages that the product sends: updates on the WebSocket channel, and the webhook body of each API. */

import { definedFields } from '../shared/core/optional-fields.ts';
import { toIsoTime } from '../shared/core/time.ts';
import type { Notifier, SocketTexts } from '../shared/realtime/notifier.ts';
import { SOCKET_LIMITS } from '../shared/realtime/socket-limits.ts';
import type { TaskUpdate } from '../shared/realtime/task-update.ts';
import type { NotifyActivity } from '../shared/tasks/activity.ts';
import { toPublicId } from '../shared/tasks/rows.ts';
import type { Bodies } from '../shared/webhooks/attempt-delivery.ts';
import { eventView, webhookBody } from './agents/task-view.ts';
import { taskView } from './files-and-tasks/task-view.ts';

export const WEBHOOK_BODIES: Bodies = { 'files-and-tasks': taskView, agents: webhookBody };

/** Errors are cut, so that no message exceeds the maximum size. */
const MAX_ERROR_CHARACTERS = 2_000;

export const SOCKET_TEXTS: SocketTexts = {
  ofTask(update) {
    const text = JSON.stringify(taskMessage(update));
    if (Buffer.byteLength(text) <= SOCKET_LIMITS.messageBytes) return text;
    // Only the metadata can exceed the maximum; the status route shows it whole.
    return JSON.stringify({ ...taskMessage({ ...update, metadata: {} }), metadata_omitted: true });
  },
  ofNotice: ({ level, message }, at) =>
    JSON.stringify({ type: 'system_notification', level, message, timestamp: toIsoTime(at) }),
  ending: (endsAt) =>
    JSON.stringify({
      type: 'connection_ending',
      ends_at: toIsoTime(endsAt),
      message: 'No connection lives longer than two hours: open another one and resume there.',
    }),
  resync: (at) => JSON.stringify({ type: 'resync_required', timestamp: toIsoTime(at) }),
};

/** Each event has about 500 characters of at most four bytes, and a message at most 32 KB. */
const EVENTS_A_MESSAGE = 15;

/** Sends the activity of a research to its subscribers. */
export const activityNotifier =
  ({ send }: Pick<Notifier, 'send'>): NotifyActivity =>
  ({ organization, taskId }, events) => {
    const texts = Array.from({ length: Math.ceil(events.length / EVENTS_A_MESSAGE) }, (_, at) => {
      const part = events.slice(at * EVENTS_A_MESSAGE, (at + 1) * EVENTS_A_MESSAGE);
      return JSON.stringify({ type: 'task_events', task_id: toPublicId(taskId), events: part.map(eventView) });
    });
    send(organization, 'task_events', texts);
  };

function taskMessage({ moment, taskId, seq, at, progress, tokens, waitingFor, metadata, error }: TaskUpdate) {
  return {
    type: `task_${moment}`,
    task_id: toPublicId(taskId),
    seq,
    timestamp: toIsoTime(at),
    ...(moment === 'progress' ? { progress, ...definedFields({ tokens, waiting_for: waitingFor }) } : {}),
    ...(error ? { error: { code: error.code, message: error.message.slice(0, MAX_ERROR_CHARACTERS) } } : {}),
    metadata,
  };
}
