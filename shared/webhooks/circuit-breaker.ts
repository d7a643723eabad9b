/** The circuit breaker of a receiver, and the deliveries that wait while it is open. */
import { createHash } from 'node:crypto';
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import { cursorOf, updateRow } from '../core/table-access.ts';
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

/** Two organizations that name the same origin are two. */
export const receiverName = ({ organization, origin }: Receiver): string => `${organization} ${origin}`;

/**
 * The circuit breaker of a receiver: one row for each organization and origin, written only when an attempt fails. While
 * it is closed it costs a cached read. While it is open, one delivery probes the origin every 30 s and the others wait.
 * The first answer closes it.
 */
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

/** When a breaker opens and how it is probed; how deliveries wait behind it and come back. */
export const BREAKER_LIMITS = {
  /** Failures in a row. */
  opensAt: 5,
  /**
   * They also span this time. A process that hears a success learns of failures at most 2 s (its cache) and 1 s (a quick
   * attempt) after the first of them, and resets the row: what lasts longer had no success in between.
   */
  opensAfterMs: 3_500,
  /** Failures further apart say nothing of the present: the retries of one delivery never open the breaker. */
  windowMs: 600_000,
  probeEveryMs: 30_000,
  /** A delivery waits at most this long behind an open breaker. Then it is attempted by its plan, so that the plan ends. */
  maxWaitMs: HOUR_MS,
  /** So many are brought forward for each second, and so many by one run: as many as go out until the next one. */
  perSecond: 50,
};
/** Clocks of two processes differ by less. */
const SKEW_MS = 1_000;
/** When a probe, or the process that brings deliveries forward, is taken for lost and the reconciler goes on. */
const LOST_AFTER_MS = MINUTE_MS;
/** A success of an attempt that took longer reads the row again, because it may have changed meanwhile. */
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

/** No answer, or one that says that the receiver is not healthy. */
const isUnwell = (posted: Posted): boolean =>
  'fault' in posted ? posted.fault !== 'blocked_target' : posted.status >= 500 || posted.status === 429;

type Admission = 'send' | 'probe' | 'wait';

/** Whether a delivery may go out. `probe`: the breaker is open, and this one has the slot of these 30 seconds. */
async function admit(
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
      const probeAt = now + BREAKER_LIMITS.probeEveryMs;
      const value: ReceiverHealth = { ...row.value, probeAt, probedBy: as };
      return { write: { value, dueAt: probeAt + LOST_AFTER_MS, expiresAt: now + BREAKER_TTL_MS } };
    },
    { known, isCurrent: true, maxTries: MAX_BREAKER_TRIES },
  );
  if ('written' in updated) return 'probe';
  return 'stopped' in updated ? updated.stopped : 'wait';
}

/** `late`: the attempt began before the breaker was closed, so it says nothing of the receiver's health since. */
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
  if (health.failures === 0 || now - health.since >= BREAKER_LIMITS.windowMs)
    return { ...health, failures: 1, since: now };
  const failures = health.failures + 1;
  const isLasting = now - health.since >= BREAKER_LIMITS.opensAfterMs;
  if (failures >= BREAKER_LIMITS.opensAt && isLasting)
    return { ...health, failures, probeAt: now + BREAKER_LIMITS.probeEveryMs };
  // Enough were counted, but not for long enough: more of them need no write.
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

/** True when this call has closed an open breaker. `known` is the row before the attempt, which took `ms`. */
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
 * The deliveries that wait for a receiver: each has a small row beside the breaker of its origin. The row is a hint, as a
 * message of a queue is: without it the delivery is sent by its plan. They take turns at probing while the breaker is
 * open, and are brought forward when it closes.
 */
type WaitingPorts = MovePorts & { log: Log };
type WaitingDelivery = { receiver: Receiver; address: TaskAddress };

const WAIT = 'WAIT#';
/** A plan takes 76 hours, and each of its attempts may wait up to an hour longer. */
const WAITING_TTL_MS = 5 * DAY_MS;
const MAX_A_RUN = BREAKER_LIMITS.perSecond * 60;
const AT_ONCE = 25;
/** Any: the hint of a delivery goes to the senders, whatever the priority of its task. */
const PRIORITY = 5;

/** Of its row. */
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

/** Has a delivery that is due wait behind the open breaker, without using up an attempt. */
async function postponeDelivery(
  ports: WaitingPorts & { random: () => number },
  { row, ...waiting }: WaitingDelivery & { row: Row<Task> },
): Promise<void> {
  const until = ports.clock.now() + Math.ceil((BREAKER_LIMITS.maxWaitMs * (1 + ports.random())) / 2);
  await storeWaiting(ports, waiting);
  await moveTask(ports, waiting.address, { type: 'postpone', until }, { held: row });
  // The breaker may have been closed before this row could be found.
  const breaker = await readHealth(ports.table, waiting.receiver);
  if (!isBreakerOpen(breaker?.value)) await bringForward(ports, waiting);
}

/** At once: the receiver is healthy. */
async function bringForward(ports: WaitingPorts, waiting: WaitingDelivery): Promise<void> {
  await moveTask(ports, waiting.address, { type: 'bringForward', at: ports.clock.now() });
  await removeWaiting(ports.table, waiting);
}

/** Hints the delivery whose turn it is to probe next. False when none can, or the breaker is closed. */
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

/** Of the next few; the rows of deliveries that have ended are removed on the way. */
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
 * Brings forward all that wait for a receiver whose breaker was closed, so many for each second. A process that dies in
 * the middle leaves the other rows and the breaker's due time to the reconciler.
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
  // One that was opened meanwhile brings them forward when it closes.
  if (!row?.value.isReleasing || isBreakerOpen(row.value)) return;
  const { isReleasing: _isReleasing, ...value } = row.value;
  await table.replace(row, { value, ...waitingExpiresAt(row) });
}

/** The reconciler looks at a breaker whose probe is late, or whose deliveries were not all brought forward. */
export async function maintainBreaker(ports: WaitingPorts, key: Key): Promise<void> {
  const { table, clock } = ports;
  const row = await table.get<ReceiverHealth>(key);
  if (row?.dueAt === undefined) return;
  const receiver = receiverIn(row);
  if (isBreakerOpen(row.value)) {
    // Without a waiting delivery the next one that comes is the probe.
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

/** Whether a receiver gets deliveries, and what each attempt says of its health. */
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
