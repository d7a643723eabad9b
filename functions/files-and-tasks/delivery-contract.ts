/** The response schemas of webhook deliveries and their attempts. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, oneOfAll, timeOrNull } from '../../shared/core/answer-fields.ts';
import type { PostFault } from '../../shared/ports.ts';
import type { DeliveryState } from '../../shared/webhooks/deliveries.ts';

export const postFault = oneOfAll<PostFault>({
  blocked_target: true,
  unresolved: true,
  unreachable: true,
  tls: true,
  timeout: true,
  broken: true,
});
export const deliveryState = oneOfAll<DeliveryState>({
  pending: true,
  sending: true,
  delivered: true,
  exhausted: true,
});
/** The same texts for both APIs, which spell the names differently. */
export const DELIVERY = {
  id: 'The id of the event, which every attempt sends as `webhook-id`; deduplicate by it.',
  url: 'The URL that the event is posted to.',
  state: '`pending`: an attempt is due. `sending`: one runs. `delivered`: a 2xx came. `exhausted`: given up.',
  nextAttemptAt: 'When the next attempt is due, in UTC; null if none is. An open circuit breaker may send earlier.',
  attempts: 'The attempts that were recorded, the oldest first; empty before the first one.',
  attempt: 'Counts from 1; a gap is an attempt that was not recorded.',
  at: 'When the attempt was sent, in UTC; null if that is not known.',
  durationMs: 'How long the attempt took, in milliseconds.',
  status: 'The HTTP status that the receiver returned; null without a response.',
  error: 'Why there was no response; null if the receiver responded with any status.',
  answer: 'The first KB of the response body, as text; empty without a response.',
  planned: 'The next attempt as planned when this one ended; the value of the delivery is the current one.',
  list: 'The events of the task, or of the newest 20 runs of a recurring one; empty before it has finished.',
} as const;
export const attempt = v.object({
  at: field(timeOrNull, DELIVERY.at),
  durationMs: field(count, DELIVERY.durationMs),
  status: field(v.nullable(count), DELIVERY.status),
  error: field(v.nullable(postFault), DELIVERY.error),
  answer: field(v.string(), DELIVERY.answer),
  nextAttemptAt: field(timeOrNull, DELIVERY.planned),
});
export type AttemptView = v.InferOutput<typeof attempt>;
export const delivery = v.object({
  deliveryId: field(v.string(), DELIVERY.id),
  endpoint: field(v.string(), DELIVERY.url),
  state: field(deliveryState, DELIVERY.state),
  nextAttemptAt: field(timeOrNull, DELIVERY.nextAttemptAt),
  attempts: field(
    v.array(v.object({ attempt: field(count, DELIVERY.attempt), ...attempt.entries })),
    DELIVERY.attempts,
  ),
});
export type DeliveryView = v.InferOutput<typeof delivery>;
export const deliveries = v.object({ deliveries: field(v.array(delivery), DELIVERY.list) });
