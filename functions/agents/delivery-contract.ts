/** The response schemas of webhook deliveries and their attempts. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, timeOrNull } from '../../shared/core/answer-fields.ts';
import { DELIVERY, deliveryState, postFault } from '../files-and-tasks/delivery-contract.ts';

export const attempt = v.object({
  at: field(timeOrNull, DELIVERY.at),
  duration_ms: field(count, DELIVERY.durationMs),
  status: field(v.nullable(count), DELIVERY.status),
  error: field(v.nullable(postFault), DELIVERY.error),
  answer: field(v.string(), DELIVERY.answer),
  next_attempt_at: field(timeOrNull, DELIVERY.planned),
});
export type AgentAttemptView = v.InferOutput<typeof attempt>;
export const delivery = v.object({
  delivery_id: field(v.string(), DELIVERY.id),
  webhook_url: field(v.string(), DELIVERY.url),
  state: field(deliveryState, DELIVERY.state),
  next_attempt_at: field(timeOrNull, DELIVERY.nextAttemptAt),
  attempts: field(
    v.array(v.object({ attempt: field(count, DELIVERY.attempt), ...attempt.entries })),
    DELIVERY.attempts,
  ),
});
export type AgentDeliveryView = v.InferOutput<typeof delivery>;
export const deliveries = v.object({ deliveries: field(v.array(delivery), DELIVERY.list) });
