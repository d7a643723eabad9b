/** The circuit breaker of a receiver, and the deliveries that wait while it is open. */
import { createHash } from 'node:crypto';
import { cursorOf } from '../core/cursor.ts';
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { updateRow } from '../core/table-access.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time.ts';
import type { Clock, Getting, Key, Posted, Row, Table } from '../ports.ts';
import type { Notice, Notify } from '../realtime/notifier.ts';
import { decide } from '../tasks/decide.ts';
import { type TaskAddress, taskKey } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';

/** A receiver of webhooks: an organization and an origin. */
export type Receiver = { organization: string; origin: string };

export const receiverOf = (organization: string, endpoint: string): Receiver => ({
  organization,
  origin: new URL(endpoint).origin,
});

/** Two organizations with the same origin are two receivers. */
export const receiverName = ({ organization, origin }: Receiver): string => `${organization} ${origin}`;

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

type BreakerPorts = { table: Table; clock: Clock; log: Log; notify?: Notify };

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
/** The largest clock difference between two processes. */
const SKEW_MS = 1_000;
/** After this time a probe, or a process that brings deliveries forward, is considered lost, and the reconciler continues. */
const LOST_AFTER_MS = MINUTE_MS;
/** A success of a slower attempt reads the row again, because it may have changed meanwhile. */
const QUICK_MS = 1_000;
/** A receiver that has not failed for this long is healthy. */
const BREAKER_TTL_MS = HOUR_MS;
const MAX_BREAKER_TRIES = 5;

export const breakerPartition = ({ organization, origin }: Receiver): string =>
  `O#${organization}#BREAKERS#${createHash('sha256').update(origin).digest('base64url')}`;

const breakerKey = (receiver: Receiver): Key => ({ pk: breakerPartition(receiver), sk: 'BREAKER' });

const receiverIn = ({ pk, value }: Row<ReceiverHealth>): Receiver => ({
  organization: pk.split('#')[1] ?? '',
  origin: value.origin,
});

const readHealth = (table: Table, receiver: Receiver, how: Getting = {}): Promise<Row<ReceiverHealth> | undefined> =>
  table.get<ReceiverHealth>(breakerKey(receiver), how);

const isBreakerOpen = (health: ReceiverHealth | undefined): health is ReceiverHealth & { probeAt: number } =>
  health?.probeAt !== undefined;

/** No response, or one that shows that the receiver is unhealthy. */
const isUnwell = (posted: Posted): boolean =>
  'fault' in posted ? posted.fault !== 'blocked_target' : posted.status >= 500 || posted.status === 429;

type Admission = 'send' | 'probe' | 'wait';

/** Whether a delivery may be sent. `probe`: the breaker is open, and this delivery has the slot of these 30 seconds. */
async function admit(
  { table, clock }: BreakerPorts,
  receiver: Receiver,
  { known, as }: { known: Row<ReceiverHealth> | undefined; as: string },
): Promise<Admission> {
  if (!known) return 'send';
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
    { known, isCurrent: true, maxTries: MAX_BREAKER_TRIES },
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
  notify?.(receiver.organization, keepsFailing(receiver));
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

const keepsFailing = ({ origin }: Receiver): Notice => ({
  level: 'warning',
  message: `The webhook receiver ${origin} has failed ${BREAKER_LIMITS.opensAt} times in a row: one delivery tries it every ${BREAKER_LIMITS.probeEveryMs / 1_000} seconds, and the others wait until it responds.`,
});

/** True if this call closed an open breaker. `known` is the row before the attempt, which took `ms`. */
async function countSuccess(
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

/**
 * The deliveries waiting for a receiver: each has a small row beside the breaker. Like a message in a queue, the row is a
 * hint: without it the delivery is sent by its plan. Waiting deliveries take turns probing while the breaker is open, and
 * are brought forward when it closes.
 */
type WaitingPorts = MovePorts & { log: Log };
type WaitingDelivery = { receiver: Receiver; address: TaskAddress };

const WAIT = 'WAIT#';
/** A plan takes 76 hours, and each attempt may wait up to an hour longer. */
const WAITING_TTL_MS = 5 * DAY_MS;
const MAX_A_RUN = BREAKER_LIMITS.perSecond * 60;
const AT_ONCE = 25;
/** Any value: hints for deliveries go to the senders, independent of the task's priority. */
const PRIORITY = 5;

/** The sort key of its row. */
const waitingName = ({ taskId, run }: TaskAddress): string => `${WAIT}${taskId}${run === undefined ? '' : `#${run}`}`;
const waitingKey = ({ receiver, address }: WaitingDelivery): Key => ({
  pk: breakerPartition(receiver),
  sk: waitingName(address),
});

async function storeWaiting({ table, clock }: MovePorts, waiting: WaitingDelivery): Promise<void> {
  await table.insert({ ...waitingKey(waiting), value: waiting.address, expiresAt: clock.now() + WAITING_TTL_MS });
}

async function removeWaiting(table: Table, waiting: WaitingDelivery): Promise<void> {
  const row = await table.get(waitingKey(waiting));
  if (row) await table.remove(row);
}

/** Makes a due delivery wait behind the open breaker, without using up an attempt. */
async function postponeDelivery(
  ports: WaitingPorts & { random: () => number },
  { row, ...waiting }: WaitingDelivery & { row: Row<Task> },
): Promise<void> {
  const until = ports.clock.now() + Math.ceil((BREAKER_LIMITS.maxWaitMs * (1 + ports.random())) / 2);
  await storeWaiting(ports, waiting);
  await moveTask(ports, waiting.address, { type: 'postpone', until }, { held: row });
  // The breaker may have been closed before the new row was visible.
  const breaker = await readHealth(ports.table, waiting.receiver);
  if (!isBreakerOpen(breaker?.value)) await bringForward(ports, waiting);
}

/** Brings one delivery forward to now, because the receiver is healthy. */
async function bringForward(ports: WaitingPorts, waiting: WaitingDelivery): Promise<void> {
  await moveTask(ports, waiting.address, { type: 'bringForward', at: ports.clock.now() });
  await removeWaiting(ports.table, waiting);
}

/** Sends a hint to the delivery that probes next. False if no delivery can probe, or the breaker is closed. */
async function hintNextProbe({ table, clock, hints }: WaitingPorts, receiver: Receiver): Promise<boolean> {
  const breaker = await readHealth(table, receiver);
  if (!isBreakerOpen(breaker?.value)) return false;
  const { probeAt, probedBy } = breaker.value;
  const at = Math.max(clock.now(), probeAt);
  const after = probedBy === undefined ? undefined : await firstSendable(table, receiver, { at, after: probedBy });
  const address = after ?? (await firstSendable(table, receiver, { at }));
  if (!address) return false;
  const delaySeconds = Math.ceil((at - clock.now()) / 1_000);
  await hints([{ do: 'hintSender', delaySeconds }], { ...address, priority: PRIORITY });
  return true;
}

/** Searches the next few rows, and removes those of ended deliveries. */
async function firstSendable(table: Table, receiver: Receiver, { at, after }: { at: number; after?: string }) {
  const paging = { limit: AT_ONCE, ...(after === undefined ? {} : { after: cursorOf(after) }) };
  const { rows } = await table.rows<TaskAddress>(breakerPartition(receiver), WAIT, paging);
  for (const row of rows) {
    const task = (await table.get<Task>(taskKey(row.value)))?.value;
    if (task && !('ignore' in decide(task, { type: 'sendClaim', isProbe: true }, at))) return row.value;
    if (task?.hook?.state !== 'due' && task?.hook?.state !== 'sending') await table.remove(row);
  }
  return undefined;
}

/**
 * Brings forward all deliveries waiting for a receiver whose breaker was closed, at a limited rate. If the process dies, the
 * remaining rows and the breaker's due time let the reconciler continue.
 */
async function bringAllForward(ports: WaitingPorts, receiver: Receiver): Promise<void> {
  const { table, clock, log } = ports;
  const from = clock.now();
  let count = 0;
  let failed = 0;
  let after: string | undefined;
  do {
    const paging = { limit: AT_ONCE, ...definedFields({ after }) };
    const page = await table.rows<TaskAddress>(breakerPartition(receiver), WAIT, paging);
    const moved = page.rows.map(async (row, index) => {
      const at = from + Math.floor((count + index) / BREAKER_LIMITS.perSecond) * 1_000;
      await moveTask(ports, row.value, { type: 'bringForward', at });
      await table.remove(row);
    });
    failed += (await Promise.allSettled(moved)).filter(({ status }) => status === 'rejected').length;
    count += page.rows.length;
    after = page.next;
  } while (after !== undefined && count < MAX_A_RUN);
  log.info('waiting deliveries were rescheduled to now', { ...receiver, count, failed });
  if (after === undefined && failed === 0) await endRelease(table, receiver);
}

async function endRelease(table: Table, receiver: Receiver): Promise<void> {
  const row = await readHealth(table, receiver);
  // If the breaker opened again meanwhile, its next closing brings the rest forward.
  if (!row?.value.isReleasing || isBreakerOpen(row.value)) return;
  const { isReleasing: _isReleasing, ...value } = row.value;
  await table.replace(row, { value, ...waitingExpiresAt(row) });
}

/** Called by the reconciler if a probe is late, or if not all deliveries were brought forward. */
export async function maintainBreaker(ports: WaitingPorts, key: Key): Promise<void> {
  const { table, clock } = ports;
  const row = await table.get<ReceiverHealth>(key);
  if (row?.dueAt === undefined) return;
  const receiver = receiverIn(row);
  if (isBreakerOpen(row.value)) {
    // If no delivery waits, the next new one is the probe.
    const isHinted = await hintNextProbe(ports, receiver);
    const due = isHinted ? { dueAt: Math.max(clock.now(), row.value.probeAt) + LOST_AFTER_MS } : {};
    await table.replace(row, { value: row.value, ...due, ...waitingExpiresAt(row) });
  } else {
    const due = { dueAt: clock.now() + LOST_AFTER_MS };
    if (await table.replace(row, { value: row.value, ...due, ...waitingExpiresAt(row) }))
      await bringAllForward(ports, receiver);
  }
}

const waitingExpiresAt = ({ expiresAt }: Row<ReceiverHealth>) => (expiresAt === undefined ? {} : { expiresAt });

/** Decides whether a receiver gets deliveries, and counts the outcome of each attempt. */
export const circuitBreaker = {
  readHealth,
  isOpen: isBreakerOpen,
  isUnwell,
  admit,
  countFailure,
  countSuccess,
  hintNextProbe,
};

/** The deliveries behind an open breaker. */
export const waitingDeliveries = {
  nameOf: waitingName,
  store: storeWaiting,
  remove: removeWaiting,
  postpone: postponeDelivery,
  bringForward,
  bringAllForward,
};
