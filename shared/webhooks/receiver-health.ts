/** The stored health of a receiver, and the limits of its circuit breaker. */

import { createHash } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { GetOptions, Key, Row, Table } from '../ports.ts';
import type { Receiver } from './receiver.ts';

/**
 * The circuit breaker of a receiver: one row for each organization and origin, written only when an attempt fails. While
 * it is closed it costs a cached read. While it is open, one delivery probes the origin every 30 s and the others wait.
 * The first answer closes it.
 */
export type ReceiverHealth = {
  origin: string;
  /** Consecutive failures. */
  failures: number;
  /** When the first of them was counted. */
  since: number;
  /** Present while the breaker is open: the time from which a delivery may probe. */
  probeAt?: number;
  /** The waiting row of the last probe, so that waiting deliveries take turns. */
  probedBy?: string;
  /** When the breaker was last closed. */
  closedAt?: number;
  /** The breaker was closed, but not all waiting deliveries were brought forward yet. */
  isReleasing?: true;
};

/** When a breaker opens, how it is probed, and how long deliveries wait. */
export const BREAKER_LIMITS = {
  /** Consecutive failures. */
  opensAt: 5,
  /**
   * The failures must also span this time. A process with a success learns of failures at most 2 s (its cache) and 1 s (a
   * quick attempt) after the first one, and resets the row. So there was no success in a longer span.
   */
  opensAfterMs: 3_500,
  /** Older failures say nothing about the present: the retries of one delivery never open the breaker. */
  windowMs: 600_000,
  probeEveryMs: 30_000,
  /** The longest wait of a delivery behind an open breaker. Then it is attempted by its plan, so that the plan ends. */
  maxWaitMs: HOUR_MS,
  /** Deliveries brought forward per second; one run takes as many as are sent until the next one. */
  perSecond: 50,
};

/** After this time a probe, or a process that brings deliveries forward, is considered lost, and the reconciler continues. */
export const LOST_AFTER_MS = MINUTE_MS;

export const breakerPartition = ({ organization, origin }: Receiver): string =>
  `O#${organization}#BREAKERS#${createHash('sha256').update(origin).digest('base64url')}`;

export const breakerKey = (receiver: Receiver): Key => ({ pk: breakerPartition(receiver), sk: 'BREAKER' });

export const receiverIn = ({ pk, value }: Row<ReceiverHealth>): Receiver => ({
  organization: pk.split('#')[1] ?? '',
  origin: value.origin,
});

export const readHealth = (
  table: Table,
  receiver: Receiver,
  how: GetOptions = {},
): Promise<Row<ReceiverHealth> | undefined> => table.get<ReceiverHealth>(breakerKey(receiver), how);

export const isBreakerOpen = (health: ReceiverHealth | undefined): health is ReceiverHealth & { probeAt: number } =>
  health?.probeAt !== undefined;
