/** A delivery and its attempts as this API shows them. */
import { isoTime } from '../../shared/core/iso-time.ts';
import type { Attempt } from '../../shared/webhooks/attempt.ts';
import type { Delivery } from '../../shared/webhooks/delivery.ts';

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : isoTime(at));

export const attemptShown = ({ at, ms, status, fault, answer, nextAt }: Attempt) => ({
  at: timeOf(at),
  durationMs: ms,
  status: status ?? null,
  error: fault ?? null,
  answer: answer ?? '',
  nextAttemptAt: timeOf(nextAt),
});

export const deliveryShown = ({ id, endpoint, state, nextAt, attempts }: Delivery) => ({
  deliveryId: id,
  endpoint,
  state,
  nextAttemptAt: timeOf(nextAt),
  attempts: attempts.map(({ number, ...attempt }) => ({ attempt: number, ...attemptShown(attempt) })),
});
