/**
 * The deliveries that wait for a receiver: each has a small row beside the breaker of its origin. The row is a hint, as a
 * message of a queue is: without it the delivery is sent by its plan. They take turns at probing while the breaker is
 * open, and are brought forward when it closes.
 */
import type { Log } from '../core/log.ts';
import { cursorOf } from '../core/page.ts';
import type { Key, Row, Table } from '../ports.ts';
import { decide } from '../tasks/decide.ts';
import { type MovePorts, moveTask } from '../tasks/move-task.ts';
import type { Task } from '../tasks/task.ts';
import { type TaskAddress, taskKey } from '../tasks/task-rows.ts';
import {
  breakerPartition,
  isBreakerOpen,
  LOST_AFTER_MS,
  type ReceiverHealth,
  readHealth,
  receiverIn,
} from './breaker.ts';
import type { Receiver } from './receiver.ts';

type WaitingPorts = MovePorts & { log: Log };
type WaitingDelivery = { receiver: Receiver; address: TaskAddress };

const WAIT = 'WAIT#';
/** A plan takes 76 hours, and each of its ten attempts may wait up to an hour longer. */
const WAITING_TTL_MS = 5 * 24 * 3_600_000;
/** A delivery waits at most this long behind an open breaker. Then it is attempted by its plan, so that the plan ends. */
export const MAX_WAIT_MS = 3_600_000;
/** So many are brought forward for each second, and so many by one run: as many as go out until the next one. */
export const PER_SECOND = 50;
const MAX_A_RUN = PER_SECOND * 60;
const AT_ONCE = 25;
/** Any: the hint of a delivery goes to the senders, whatever the priority of its task. */
const PRIORITY = 5;

/** Of its row. */
export const waitingName = ({ taskId, run }: TaskAddress): string =>
  `${WAIT}${taskId}${run === undefined ? '' : `#${run}`}`;
const waitingKey = ({ receiver, address }: WaitingDelivery): Key => ({
  pk: breakerPartition(receiver),
  sk: waitingName(address),
});

export async function storeWaiting({ table, clock }: MovePorts, waiting: WaitingDelivery): Promise<void> {
  await table.insert({ ...waitingKey(waiting), value: waiting.address, expiresAt: clock.now() + WAITING_TTL_MS });
}

export async function removeWaiting(table: Table, waiting: WaitingDelivery): Promise<void> {
  const row = await table.get(waitingKey(waiting));
  if (row) await table.remove(row);
}

/** Has a delivery that is due wait behind the open breaker, without using up an attempt. */
export async function postponeDelivery(
  ports: WaitingPorts & { random: () => number },
  { row, ...waiting }: WaitingDelivery & { row: Row<Task> },
): Promise<void> {
  const until = ports.clock.now() + Math.ceil((MAX_WAIT_MS * (1 + ports.random())) / 2);
  await storeWaiting(ports, waiting);
  await moveTask(ports, waiting.address, { type: 'postpone', until }, { held: row });
  // The breaker may have been closed before this row could be found.
  const breaker = await readHealth(ports.table, waiting.receiver);
  if (!isBreakerOpen(breaker?.value)) await bringForward(ports, waiting);
}

/** At once: the receiver is healthy. */
export async function bringForward(ports: WaitingPorts, waiting: WaitingDelivery): Promise<void> {
  await moveTask(ports, waiting.address, { type: 'bringForward', at: ports.clock.now() });
  await removeWaiting(ports.table, waiting);
}

/** Hints the delivery whose turn it is to probe next. False when none can, or the breaker is closed. */
export async function hintNextProbe({ table, clock, hints }: WaitingPorts, receiver: Receiver): Promise<boolean> {
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
export async function bringAllForward(ports: WaitingPorts, receiver: Receiver): Promise<void> {
  const { table, clock, log } = ports;
  const from = clock.now();
  let count = 0;
  let failed = 0;
  let after: string | undefined;
  do {
    const paging = { limit: AT_ONCE, ...(after === undefined ? {} : { after }) };
    const page = await table.rows<TaskAddress>(breakerPartition(receiver), WAIT, paging);
    const moved = page.rows.map(async (row, index) => {
      const at = from + Math.floor((count + index) / PER_SECOND) * 1_000;
      await moveTask(ports, row.value, { type: 'bringForward', at });
      await table.remove(row);
    });
    failed += (await Promise.allSettled(moved)).filter(({ status }) => status === 'rejected').length;
    count += page.rows.length;
    after = page.next;
  } while (after !== undefined && count < MAX_A_RUN);
  log.info('deliveries were brought forward', { ...receiver, count, failed });
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
