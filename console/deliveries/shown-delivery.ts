/** A delivery as the console shows it, for both APIs. */
import type { AgentContract, FilesContract } from '../../client/src/index.ts';

export type ShownAttempt = {
  number: number | undefined;
  at: string | null;
  ms: number;
  status: number | null;
  error: FilesContract.WebhookAttempt['error'];
  answer: string;
};
export type ShownDelivery = {
  id: string;
  address: string;
  state: FilesContract.Delivery['state'];
  nextAt: string | null;
  attempts: ShownAttempt[];
};

type Numbered<T> = T & { attempt?: number };

export const ofFilesAttempt = (a: Numbered<FilesContract.WebhookAttempt>): ShownAttempt => ({
  number: a.attempt,
  at: a.at,
  ms: a.durationMs,
  status: a.status,
  error: a.error,
  answer: a.answer,
});

export const ofAgentAttempt = (a: Numbered<AgentContract.WebhookAttempt>): ShownAttempt => ({
  number: a.attempt,
  at: a.at,
  ms: a.duration_ms,
  status: a.status,
  error: a.error,
  answer: a.answer,
});

export const ofFiles = (d: FilesContract.Delivery): ShownDelivery => ({
  id: d.deliveryId,
  address: d.endpoint,
  state: d.state,
  nextAt: d.nextAttemptAt,
  attempts: d.attempts.map(ofFilesAttempt),
});

export const ofAgents = (d: AgentContract.Delivery): ShownDelivery => ({
  id: d.delivery_id,
  address: d.webhook_url,
  state: d.state,
  nextAt: d.next_attempt_at,
  attempts: d.attempts.map(ofAgentAttempt),
});

const ERRORS: Record<NonNullable<ShownAttempt['error']>, string> = {
  blocked_target: 'The URL is not allowed.',
  unresolved: 'The host name cannot be resolved.',
  unreachable: 'The host cannot be reached.',
  tls: 'The certificate is not valid.',
  timeout: 'No response within 15 seconds.',
  broken: 'The connection was interrupted.',
};

/** The outcome of an attempt as text. */
export function outcomeOf({ status, error }: ShownAttempt): string {
  if (error) return ERRORS[error];
  return status === null ? 'Under way' : `Answered with ${status}`;
}

export const isTaken = ({ status }: ShownAttempt): boolean => status !== null && status >= 200 && status < 300;

const SOON_MS = 60_000;
const MIN_MS = 1_500;

/** When a delivery may have changed; `undefined` if none will change. */
export function lookAgainInMs(deliveries: readonly ShownDelivery[], now: number): number | undefined {
  const waits = deliveries.flatMap(({ state, nextAt }) => {
    if (state === 'sending') return [MIN_MS];
    const wait = state === 'pending' ? Date.parse(nextAt ?? '') - now : Number.NaN;
    return wait < SOON_MS ? [Math.max(MIN_MS, wait + MIN_MS)] : [];
  });
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
