/**
 * The circuit breaker of a receiver: one row for each organization and origin, written only when an attempt fails. While
 * it is closed it costs a cached read. While it is open, one delivery probes the origin every 30 s and the others wait
 * (waiting-deliveries.ts). The first answer closes it.
 */
import { createHash } from 'node:crypto';
import type { Log } from '../core/log.ts';
import { updateRow } from '../core/optimistic-update.ts';
import type { Clock, Getting, Key, Posted, Row, Table } from '../ports.ts';
import type { Notice, Notify } from '../sockets/news.ts';
import type { Receiver } from './receiver.ts';

export type ReceiverHealth = {
  origin: string;
  /** In a row. */
  failures: number;
  /** When the first of them was counted. */
  since: number;
  /** Present while the breaker is open: from then on the next delivery may probe. */
  probeAt?: number;
  /** The waiting row of the last probe, so that the waiting deliveries take turns. */
  probedBy?: string;
  /** When it was closed last. */
  closedAt?: number;
  /** It was closed, and deliveries that waited are still to be brought forward. */
  isReleasing?: true;
};

type BreakerPorts = { table: Table; clock: Clock; log: Log; notify?: Notify };

/** Failures in a row. */
export const OPENS_AT = 5;
/**
 * They also span this time. A process that hears a success learns of failures at most 2 s (its cache) and 1 s (a quick
 * attempt) after the first of them, and resets the row: what lasts longer had no success in between.
 */
export const OPENS_AFTER_MS = 3_500;
/** Failures further apart say nothing of the present: the retries of one delivery never open the breaker. */
export const WINDOW_MS = 600_000;
export const PROBE_EVERY_MS = 30_000;
/** Clocks of two processes differ by less. */
const SKEW_MS = 1_000;
/** When a probe, or the process that brings deliveries forward, is taken for lost and the reconciler goes on. */
export const LOST_AFTER_MS = 60_000;
/** A success of an attempt that took longer reads the row again, because it may have changed meanwhile. */
const QUICK_MS = 1_000;
/** A receiver that has not failed for this long is healthy. */
const BREAKER_TTL_MS = 3_600_000;
const MAX_BREAKER_TRIES = 5;

export const breakerPartition = ({ organization, origin }: Receiver): string =>
  `O#${organization}#BREAKERS#${createHash('sha256').update(origin).digest('base64url')}`;

const breakerKey = (receiver: Receiver): Key => ({ pk: breakerPartition(receiver), sk: 'BREAKER' });

export const receiverIn = ({ pk, value }: Row<ReceiverHealth>): Receiver => ({
  organization: pk.split('#')[1] ?? '',
  origin: value.origin,
});

export const readHealth = (
  table: Table,
  receiver: Receiver,
  how: Getting = {},
): Promise<Row<ReceiverHealth> | undefined> => table.get<ReceiverHealth>(breakerKey(receiver), how);

export const isBreakerOpen = (health: ReceiverHealth | undefined): health is ReceiverHealth & { probeAt: number } =>
  health?.probeAt !== undefined;

/** No answer, or one that says that the receiver is not healthy. */
export const isUnwell = (posted: Posted): boolean =>
  'fault' in posted ? posted.fault !== 'blocked_target' : posted.status >= 500 || posted.status === 429;

type Admission = 'send' | 'probe' | 'wait';

/** Whether a delivery may go out. `probe`: the breaker is open, and this one has the slot of these 30 seconds. */
export async function admit(
  { table, clock }: BreakerPorts,
  receiver: Receiver,
  { known, as }: { known: Row<ReceiverHealth> | undefined; as: string },
): Promise<Admission> {
  if (!known) return 'send';
  // The first of several senders to replace the row has the slot.
  const updated = await updateRow<ReceiverHealth, Admission>(
    table,
    breakerKey(receiver),
    (row) => {
      const now = clock.now();
      if (!row || !isBreakerOpen(row.value)) return { stop: 'send' };
      if (now < row.value.probeAt - SKEW_MS) return { stop: 'wait' };
      const probeAt = now + PROBE_EVERY_MS;
      const value: ReceiverHealth = { ...row.value, probeAt, probedBy: as };
      return { write: { value, dueAt: probeAt + LOST_AFTER_MS, expiresAt: now + BREAKER_TTL_MS } };
    },
    { known, isFresh: true, maxTries: MAX_BREAKER_TRIES },
  );
  if ('written' in updated) return 'probe';
  return 'stopped' in updated ? updated.stopped : 'wait';
}

/** `late`: the attempt began before the breaker was closed, so it says nothing of the receiver's health since. */
type FailureCount = 'counted' | 'opened' | 'late';

export async function countFailure(ports: BreakerPorts, receiver: Receiver, startedAt: number): Promise<FailureCount> {
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
  // Contended: other senders that count the same failures have changed the row meanwhile.
  if ('contended' in updated || !isBreakerOpen(updated.written.value)) return 'counted';
  log.warn('a receiver of webhooks keeps failing', receiver);
  notify?.(receiver.organization, keepsFailing(receiver));
  return 'opened';
}

const newHealth = ({ origin }: Receiver, now: number): ReceiverHealth => ({ origin, failures: 0, since: now });

/** What is to be written, or why nothing is. */
function afterFailure(
  health: ReceiverHealth,
  at: { now: number; startedAt: number },
): ReceiverHealth | Exclude<FailureCount, 'opened'> {
  const { now, startedAt } = at;
  if (isBreakerOpen(health)) return 'counted';
  if (startedAt < (health.closedAt ?? 0)) return 'late';
  if (health.failures === 0 || now - health.since >= WINDOW_MS) return { ...health, failures: 1, since: now };
  const failures = health.failures + 1;
  const isLasting = now - health.since >= OPENS_AFTER_MS;
  if (failures >= OPENS_AT && isLasting) return { ...health, failures, probeAt: now + PROBE_EVERY_MS };
  // Enough were counted, but not for long enough: more of them need no write.
  return failures <= OPENS_AT ? { ...health, failures } : 'counted';
}

const dueOf = ({ probeAt }: ReceiverHealth, row: Row<ReceiverHealth> | undefined): { dueAt?: number } => {
  if (probeAt !== undefined) return { dueAt: probeAt + LOST_AFTER_MS };
  return row?.dueAt === undefined ? {} : { dueAt: row.dueAt };
};

const keepsFailing = ({ origin }: Receiver): Notice => ({
  level: 'warning',
  message: `The webhook receiver ${origin} has failed ${OPENS_AT} times in a row: one delivery tries it every ${PROBE_EVERY_MS / 1_000} seconds, and the others wait until it answers.`,
});

/** True when this call has closed an open breaker. `known` is the row before the attempt, which took `ms`. */
export async function countSuccess(
  { table, clock }: BreakerPorts,
  receiver: Receiver,
  { known, ms }: { known: Row<ReceiverHealth> | undefined; ms: number },
): Promise<boolean> {
  const seen = ms > QUICK_MS ? await readHealth(table, receiver, { consistency: 'eventual' }) : known;
  if (!seen || seen.value.failures === 0) return false;
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
