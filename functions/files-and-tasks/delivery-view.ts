/** A delivery and its attempts as this API shows them. */
import { toIsoTime } from '../../shared/core/time.ts';
import type { Delivery, DeliveryAttempt } from '../../shared/webhooks/delivery-log.ts';

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : toIsoTime(at));

export const attemptView = ({ at, ms, status, fault, answer, nextAt }: DeliveryAttempt) => ({
  at: timeOf(at),
  durationMs: ms,
  status: status ?? null,
  error: fault ?? null,
  answer: answer ?? '',
  nextAttemptAt: timeOf(nextAt),
});

export const deliveryView = ({ id, endpoint, state, nextAt, attempts }: Delivery) => ({
  deliveryId: id,
  endpoint,
  state,
  nextAttemptAt: timeOf(nextAt),
  attempts: attempts.map(({ number, ...attempt }) => ({ attempt: number, ...attemptView(attempt) })),
});
