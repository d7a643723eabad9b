/** The deliveries waiting for a receiver while its breaker is open. */

import { cursorOf } from '../core/cursor.ts';
import { DEFAULT_PRIORITY } from '../core/lane.ts';
import type { Log } from '../core/log.ts';
import { definedFields } from '../core/optional-fields.ts';
import type { Key, Row, Table } from '../ports.ts';
import { decide } from '../tasks/decide.ts';
import { type TaskAddress, taskKey } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { LONGEST_PLAN_MS, MAX_ATTEMPTS } from '../tasks/webhook-plan.ts';
import type { Receiver } from './receiver.ts';
import { BREAKER_LIMITS, breakerPartition, isBreakerOpen, type ReceiverHealth, readHealth } from './receiver-health.ts';

export type WaitingPorts = MovePorts & { log: Log };
type WaitingDelivery = { receiver: Receiver; address: TaskAddress };

const WAIT = 'WAIT#';
/** No row ends before its plan, in which each attempt may also wait behind the open breaker. */
const WAITING_TTL_MS = LONGEST_PLAN_MS + MAX_ATTEMPTS * BREAKER_LIMITS.maxWaitMs;
const MAX_A_RUN = BREAKER_LIMITS.perSecond * 60;
const AT_ONCE = 25;

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
  await moveTask(ports, waiting.address, { type: 'postpone', until }, { cachedRow: row });
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
export async function hintNextProbe({ table, clock, hints }: WaitingPorts, receiver: Receiver): Promise<boolean> {
  const breaker = await readHealth(table, receiver);
  if (!isBreakerOpen(breaker?.value)) return false;
  const { probeAt, probedBy } = breaker.value;
  const at = Math.max(clock.now(), probeAt);
  const after = probedBy === undefined ? undefined : await firstSendable(table, receiver, { at, after: probedBy });
  const address = after ?? (await firstSendable(table, receiver, { at }));
  if (!address) return false;
  const delaySeconds = Math.ceil((at - clock.now()) / 1_000);
  // Any priority: hints for deliveries go to the senders.
  await hints([{ do: 'hintSender', delaySeconds }], { ...address, priority: DEFAULT_PRIORITY });
  return true;
}

/**
 * Brings forward all deliveries waiting for a receiver whose breaker was closed, at a limited rate. If the process dies, the
 * remaining rows and the breaker's due time let the reconciler continue.
 */
export async function bringAllForward(ports: WaitingPorts, receiver: Receiver): Promise<void> {
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

export const waitingExpiresAt = ({ expiresAt }: Row<ReceiverHealth>) => (expiresAt === undefined ? {} : { expiresAt });

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

async function endRelease(table: Table, receiver: Receiver): Promise<void> {
  const row = await readHealth(table, receiver);
  // If the breaker opened again meanwhile, its next closing brings the rest forward.
  if (!row?.value.isReleasing || isBreakerOpen(row.value)) return;
  const { isReleasing: _isReleasing, ...value } = row.value;
  await table.replace(row, { value, ...waitingExpiresAt(row) });
}

/**
 * The deliveries waiting for a receiver: each has a small row beside the breaker. Like a message in a queue, the row is a
 * hint: without it the delivery is sent by its plan. Waiting deliveries take turns probing while the breaker is open, and
 * are brought forward when it closes.
 */
export const waitingDeliveries = {
  nameOf: waitingName,
  store: storeWaiting,
  remove: removeWaiting,
  postpone: postponeDelivery,
  bringForward,
  bringAllForward,
};
