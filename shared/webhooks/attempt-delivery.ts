/** One delivery attempt: render, sign, send, store the outcome and plan the next attempt. */

import type { WebhookSecret } from '../accounts/webhook-secrets.ts';
import type { Log } from '../core/log.ts';
import { readLong } from '../core/long-values.ts';
import { traceHeaders } from '../core/trace.ts';
import type { Downloads, Post, Row, Table } from '../ports.ts';
import type { Notify } from '../realtime/notifier.ts';
import type { ArchivePorts } from '../tasks/archive.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoints.ts';
import { isBeforePlan } from '../tasks/decide-delivery.ts';
import type { TaskDetails } from '../tasks/details.ts';
import type { TaskView } from '../tasks/get-task.ts';
import type { Result } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { AGENTS_API, AWAITING, type Task, type TaskApi } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { sentOutcome } from './attempt-outcome.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { inlineAttemptOf, storeAttempt, toDeliveryAttempt } from './delivery-log.ts';
import { eventIdOf } from './event-id.ts';
import { postSigned } from './post-signed.ts';
import type { Receiver } from './receiver.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import type { SenderCache } from './sender-cache.ts';
import { waitingDeliveries } from './waiting-deliveries.ts';

/** The body format of each API. Short-lived URLs are signed here, again for each attempt. */
export type Bodies = Readonly<Record<TaskApi, (view: EventView, ports: ArchivePorts) => object | Promise<object>>>;

/** `reached`: the last checkpoint of an agent's task that did not succeed. */
export type EventView = TaskView & { reached?: Result | undefined };

export type DeliveryPorts = MovePorts & {
  log: Log;
  random: () => number;
  post: Post;
  /** The storage of the archives that bodies link to. */
  blobs: Downloads;
  bodies: Bodies;
  /** Sends a notice to the organization. */
  notify?: Notify;
  recalled: SenderCache;
};

/** A delivery claimed by this process. `health`: of its receiver, from a cache. */
export type ClaimedDelivery = {
  address: TaskAddress;
  row: Row<Task>;
  about: TaskDetails;
  result: Result | undefined;
  endpoint: string;
  receiver: Receiver;
  secrets: readonly WebhookSecret[];
  health: Row<ReceiverHealth> | undefined;
  /** The attempt probes a receiver whose breaker is open. */
  isProbe?: boolean;
};
export type SentDelivery = ClaimedDelivery & Awaited<ReturnType<typeof postSigned>> & { id: string };

/** The event of such a task says whether there are partial results. */
const isPartial = ({ face: api, state, checkpoint }: Task): boolean =>
  api === AGENTS_API && state !== 'succeeded' && checkpoint > 0;

async function reachedOf(table: Table, address: TaskAddress, { checkpoint, checkpointOf }: Task) {
  const location = checkpointLocation(address, { checkpoint, attempt: checkpointOf ?? 0 });
  return (await readLong<CheckpointState>(table, location))?.value as Result | undefined;
}

/** Rejects with the signal's reason if aborted: the next sender sends the same event again. */
export async function sendClaimed(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<SentDelivery> {
  const { address, row, about, result, endpoint, secrets } = claimed;
  const task = row.value;
  const id = eventIdOf(address.taskId, task);
  const reached = isPartial(task) && !result?.report ? await reachedOf(ports.table, address, task) : undefined;
  const view = { taskId: address.taskId, task, about, result, reached };
  const body = JSON.stringify(await ports.bodies[task.face](view, ports));
  const traced = about.trace ? traceHeaders(about.trace, ports.random) : {};
  return { ...claimed, id, ...(await postSigned(ports, { endpoint, id, body, secrets, traced }, signal)) };
}

export async function recordDelivery(ports: DeliveryPorts, sentDelivery: SentDelivery): Promise<void> {
  ports.recalled.recordAnswer(sentDelivery.receiver, sentDelivery);
  await storeOutcome(ports, sentDelivery);
  await updateBreaker(ports, sentDelivery);
}

async function updateBreaker(ports: DeliveryPorts, sentDelivery: SentDelivery): Promise<void> {
  const { receiver, address, posted, at, isProbe } = sentDelivery;
  const isBlocked = 'fault' in posted && posted.fault === 'blocked_target';
  if (!circuitBreaker.isUnwell(posted) && !isBlocked) {
    if (await circuitBreaker.countSuccess(ports, receiver, sentDelivery))
      await waitingDeliveries.bringAllForward(ports, receiver);
    return;
  }
  const counted = isBlocked ? undefined : await circuitBreaker.countFailure(ports, receiver, at);
  if (counted === 'late') await waitingDeliveries.bringForward(ports, { receiver, address });
  if (counted === 'opened' || isProbe) await circuitBreaker.hintNextProbe(ports, receiver);
}

/** If the process dies before this, the attempt is repeated after its lease lapsed: the same event, the same bytes. */
async function storeOutcome(ports: DeliveryPorts, sentDelivery: SentDelivery): Promise<void> {
  const { address, id, row, about, posted, at, ms, receiver } = sentDelivery;
  const { table, clock, random, log } = ports;
  const { hook: delivery = AWAITING } = row.value;
  const { tries, planFrom = 0 } = delivery;
  const outcome = sentOutcome(posted, { failed: tries - planFrom, now: clock.now(), random });
  const goesOn = typeof outcome === 'object';
  const attempt = toDeliveryAttempt(posted, { at, ms, ...(goesOn ? { nextAt: outcome.retryAt } : {}) });
  const inlineAttempt = outcome === 'delivered' ? inlineAttemptOf(row.value, attempt) : undefined;
  const event = { type: 'sent', tries, outcome, ...(inlineAttempt ? { inlineAttempt } : {}) } as const;
  // While a receiver is down there is an attempt every 30 s that changes nothing; these are left out of the delivery log.
  const isVain = goesOn && isBeforePlan(delivery);
  const keep = () =>
    storeAttempt(table, { ...address, event: id }, { number: tries, attempt, expiresAt: row.expiresAt });
  const [moved] = await Promise.all([
    moveTask(ports, address, event, { cachedRow: row }),
    inlineAttempt || isVain ? undefined : keep(),
    goesOn && circuitBreaker.isUnwell(posted) ? waitingDeliveries.store(ports, { receiver, address }) : undefined,
    !goesOn && tries > 1 ? waitingDeliveries.remove(table, { receiver, address }) : undefined,
  ]);
  // Another sender has taken over the delivery; this attempt was made nevertheless.
  if (inlineAttempt && (!moved || moved.ignored)) await keep();
  const { answer: _answer, at: _at, ...logFields } = attempt;
  const message = isVain ? 'an early webhook attempt failed' : 'a webhook was sent';
  log.info(message, { ...address, trace: about.trace?.id, number: tries, ...logFields });
}
