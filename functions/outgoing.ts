/** What the product sends on its own: the messages of the WebSocket channel, and the webhook body of each API. */

import { definedFields } from '../shared/core/optional-fields.ts';
import { toIsoTime } from '../shared/core/time.ts';
import { SOCKET_LIMITS } from '../shared/realtime/connections.ts';
import type { SocketTexts, TaskUpdate } from '../shared/realtime/notifier.ts';
import type { Bodies } from '../shared/webhooks/send.ts';
import { eventView, shownId, webhookBody } from './agents/task-view.ts';
import { taskView } from './files-and-tasks/task-view.ts';

export const WEBHOOK_BODIES: Bodies = { 'files-and-tasks': taskView, agents: webhookBody };

/** The messages of the WebSocket channel, as clients read them. None is longer than a message may be. */
const MAX_ERROR_CHARACTERS = 2_000;

export const SOCKET_TEXTS: SocketTexts = {
  ofTask(update) {
    const text = JSON.stringify(taskMessage(update));
    if (Buffer.byteLength(text) <= SOCKET_LIMITS.messageBytes) return text;
    // Only the metadata can be so long: the status shows it whole.
    return JSON.stringify({ ...taskMessage({ ...update, metadata: {} }), metadata_omitted: true });
  },
  ofActivity: (taskId, events) =>
    JSON.stringify({ type: 'task_events', task_id: shownId(taskId), events: events.map(eventView) }),
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

function taskMessage({ moment, taskId, seq, at, progress, tokens, metadata, error }: TaskUpdate) {
  return {
    type: `task_${moment}`,
    task_id: shownId(taskId),
    seq,
    timestamp: toIsoTime(at),
    ...(moment === 'progress' ? { progress, ...definedFields({ tokens }) } : {}),
    ...(error ? { error: { code: error.code, message: error.message.slice(0, MAX_ERROR_CHARACTERS) } } : {}),
    metadata,
  };
}
