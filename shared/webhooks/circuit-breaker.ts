/** Decides whether a receiver gets deliveries, and counts the outcome of each attempt. */

import type { Log } from '../core/log.ts';
import { updateRow } from '../core/table-access.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Clock, PostResult, Row, Table } from '../ports.ts';
import type { Notice, Notify } from '../realtime/notifier.ts';
import type { Receiver } from './receiver.ts';
import {
  BREAKER_LIMITS,
  breakerKey,
  isBreakerOpen,
  LOST_AFTER_MS,
  type ReceiverHealth,
  readHealth,
} from './receiver-health.ts';
import { hintNextProbe } from './waiting-deliveries.ts';

type BreakerPorts = { table: Table; clock: Clock; log: Log; notify?: Notify };

/** The largest clock difference between two processes. */
const SKEW_MS = 1_000;

/** A success of a slower attempt reads the row again, because it may have changed meanwhile. */
const QUICK_MS = 1_000;
/** A receiver that has not failed for this long is healthy. */
const BREAKER_TTL_MS = HOUR_MS;
const MAX_BREAKER_TRIES = 5;

/** No response, or one that shows that the receiver is unhealthy. */
const isUnwell = (posted: PostResult): boolean =>
  'fault' in posted ? posted.fault !== 'blocked_target' : posted.status >= 500 || posted.status === 429;

type Admission = 'send' | 'probe' | 'wait';

/** Whether a delivery may be sent. `probe`: the breaker is open, and this delivery has the slot of these 30 seconds. */
async function admit(
  { table, clock }: BreakerPorts,
  receiver: Receiver,
  { health, as }: { health: Row<ReceiverHealth> | undefined; as: string },
): Promise<Admission> {
  if (!health) return 'send';
  // The first sender that replaces the row gets the slot.
  const updated = await updateRow<ReceiverHealth, Admission>(
    table,
    breakerKey(receiver),
    (row) => {
      const now = clock.now();
      if (!row || !isBreakerOpen(row.value)) return { stop: 'send' };
      if (now < row.value.probeAt - SKEW_MS) return { stop: 'wait' };
      const probeAt = now + BREAKER_LIMITS.probeEveryMs;
      const value: ReceiverHealth = { ...row.value, probeAt, probedBy: as };
      return { write: { value, dueAt: probeAt + LOST_AFTER_MS, expiresAt: now + BREAKER_TTL_MS } };
    },
    { cachedRow: health, isCurrent: true, maxTries: MAX_BREAKER_TRIES },
  );
  if ('written' in updated) return 'probe';
  return 'stopped' in updated ? updated.stopped : 'wait';
}

/** `late`: the attempt began before the breaker was closed, so it says nothing about the receiver's health since. */
type FailureCount = 'counted' | 'opened' | 'late';

async function countFailure(ports: BreakerPorts, receiver: Receiver, startedAt: number): Promise<FailureCount> {
  const { table, clock, log, notify } = ports;
  const updated = await updateRow<ReceiverHealth, Exclude<FailureCount, 'opened'>>(
    table,
    breakerKey(receiver),
    (row) => {
      const now = clock.now();
      const next = afterFailure(row?.value ?? newHealth(receiver, now), { now, startedAt });
      if (typeof next === 'string') return { stop: next };
      return { write: { value: next, ...dueOf(next, row), expiresAt: now + BREAKER_TTL_MS } };
    },
    { maxTries: MAX_BREAKER_TRIES },
  );
  if ('stopped' in updated) return updated.stopped;
  // Contended: other senders that count the same failures changed the row meanwhile.
  if ('contended' in updated || !isBreakerOpen(updated.written.value)) return 'counted';
  log.warn('a receiver of webhooks keeps failing', receiver);
  notify?.(receiver.organization, failureNotice(receiver));
  return 'opened';
}

const newHealth = ({ origin }: Receiver, now: number): ReceiverHealth => ({ origin, failures: 0, since: now });

/** Returns the new health, or why nothing has to be written. */
function afterFailure(
  health: ReceiverHealth,
  at: { now: number; startedAt: number },
): ReceiverHealth | Exclude<FailureCount, 'opened'> {
  const { now, startedAt } = at;
  if (isBreakerOpen(health)) return 'counted';
  if (startedAt < (health.closedAt ?? 0)) return 'late';
  if (health.failures === 0 || now - health.since >= BREAKER_LIMITS.windowMs)
    return { ...health, failures: 1, since: now };
  const failures = health.failures + 1;
  const isLasting = now - health.since >= BREAKER_LIMITS.opensAfterMs;
  if (failures >= BREAKER_LIMITS.opensAt && isLasting)
    return { ...health, failures, probeAt: now + BREAKER_LIMITS.probeEveryMs };
  // Enough failures, but not over enough time: further ones need no write.
  return failures <= BREAKER_LIMITS.opensAt ? { ...health, failures } : 'counted';
}

const dueOf = ({ probeAt }: ReceiverHealth, row: Row<ReceiverHealth> | undefined): { dueAt?: number } => {
  if (probeAt !== undefined) return { dueAt: probeAt + LOST_AFTER_MS };
  return row?.dueAt === undefined ? {} : { dueAt: row.dueAt };
};

const failureNotice = ({ origin }: Receiver): Notice => ({
  level: 'warning',
  message: `The webhook receiver ${origin} has failed ${BREAKER_LIMITS.opensAt} times in a row: one delivery tries it every ${BREAKER_LIMITS.probeEveryMs / 1_000} seconds, and the others wait until it responds.`,
});

/** True if this call closed an open breaker. `health` is the row before the attempt, which took `ms`. */
async function countSuccess(
  { table, clock }: BreakerPorts,
  receiver: Receiver,
  { health, ms }: { health: Row<ReceiverHealth> | undefined; ms: number },
): Promise<boolean> {
  const latest = ms > QUICK_MS ? await readHealth(table, receiver, { consistency: 'eventual' }) : health;
  if (!latest || latest.value.failures === 0) return false;
  let wasOpen = false;
  const updated = await updateRow<ReceiverHealth>(
    table,
    breakerKey(receiver),
    (row) => {
      if (!row || row.value.failures === 0) return { stop: undefined };
      const now = clock.now();
      const { probeAt: _probeAt, probedBy: _probedBy, ...health } = row.value;
      wasOpen = isBreakerOpen(row.value);
      const closed = wasOpen ? ({ closedAt: now, isReleasing: true } as const) : {};
      const dueAt = wasOpen ? now + LOST_AFTER_MS : row.dueAt;
      const draft = { value: { ...health, failures: 0, ...closed }, expiresAt: now + BREAKER_TTL_MS };
      return { write: dueAt === undefined ? draft : { ...draft, dueAt } };
    },
    { maxTries: MAX_BREAKER_TRIES },
  );
  return 'written' in updated && wasOpen;
}

export const circuitBreaker = {
  readHealth,
  isOpen: isBreakerOpen,
  isUnwell,
  admit,
  countFailure,
  countSuccess,
  hintNextProbe,
};
