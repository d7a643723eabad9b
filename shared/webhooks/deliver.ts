/** One attempt to deliver an event that was claimed: render, sign, send; then keep what came of it and plan the next. */
import type { WebhookSecret } from '../accounts/webhook-secret.ts';
import type { Log } from '../core/log.ts';
import { traceHeaders } from '../core/trace.ts';
import type { Downloads, Post, Row } from '../ports.ts';
import type { Notify } from '../sockets/news.ts';
import type { TaskDetails } from '../tasks/about.ts';
import { isBeforePlan } from '../tasks/decide-hook.ts';
import { type MovePorts, moveTask } from '../tasks/move-task.ts';
import type { Result } from '../tasks/result.ts';
import { AWAITING, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { claimedIn, storeAttempt, toDeliveryAttempt } from './attempt.ts';
import { countFailure, countSuccess, isUnwell, type ReceiverHealth } from './breaker.ts';
import { type Bodies, eventIdOf } from './event.ts';
import { postSigned } from './post-signed.ts';
import type { SenderCache } from './recalled.ts';
import type { Receiver } from './receiver.ts';
import { outcomeOf } from './retry-plan.ts';
import { bringAllForward, bringForward, hintNextProbe, removeWaiting, storeWaiting } from './waiting-deliveries.ts';

export type DeliveryPorts = MovePorts & {
  log: Log;
  random: () => number;
  post: Post;
  /** Where the archives of tasks lie, which a body names. */
  blobs: Downloads;
  bodies: Bodies;
  /** Says to an organization what it should know. */
  notify?: Notify;
  recalled: SenderCache;
};

/** A delivery whose next attempt is ours to make; `known` is what was known of its receiver's health. */
export type ClaimedDelivery = {
  address: TaskAddress;
  row: Row<Task>;
  about: TaskDetails;
  result: Result | undefined;
  endpoint: string;
  receiver: Receiver;
  secrets: readonly WebhookSecret[];
  known: Row<ReceiverHealth> | undefined;
  /** Its attempt is the one that probes a receiver whose breaker is open. */
  isProbe?: boolean;
};
export type SentDelivery = ClaimedDelivery & Awaited<ReturnType<typeof postSigned>> & { id: string };

/** Rejects with the signal's reason when it was aborted: whoever looks next sends the same event again. */
export async function sendClaimed(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<SentDelivery> {
  const { address, row, about, result, endpoint, secrets } = claimed;
  const task = row.value;
  const id = eventIdOf(address.taskId, task);
  const body = JSON.stringify(await ports.bodies[task.face]({ taskId: address.taskId, task, about, result }, ports));
  const traced = about.trace ? traceHeaders(about.trace, ports.random) : {};
  return { ...claimed, id, ...(await postSigned(ports, { endpoint, id, body, secrets, traced }, signal)) };
}

export async function logSent(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  ports.recalled.recordAnswer(sent.receiver, sent);
  await storeOutcome(ports, sent);
  await updateBreaker(ports, sent);
}

async function updateBreaker(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  const { receiver, address, posted, at, isProbe } = sent;
  const isBlocked = 'fault' in posted && posted.fault === 'blocked_target';
  if (!isUnwell(posted) && !isBlocked) {
    if (await countSuccess(ports, receiver, sent)) await bringAllForward(ports, receiver);
    return;
  }
  const counted = isBlocked ? undefined : await countFailure(ports, receiver, at);
  if (counted === 'late') await bringForward(ports, { receiver, address });
  if (counted === 'opened' || isProbe) await hintNextProbe(ports, receiver);
}

/** Dying before this is done repeats the attempt once its lease has lapsed: the same event, the same bytes. */
async function storeOutcome(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  const { address, id, row, about, posted, at, ms, receiver } = sent;
  const { table, clock, random, log } = ports;
  const { hook = AWAITING } = row.value;
  const { tries, planFrom = 0 } = hook;
  const outcome = outcomeOf(posted, { failed: tries - planFrom, now: clock.now(), random });
  const goesOn = typeof outcome === 'object';
  const attempt = toDeliveryAttempt(posted, { at, ms, ...(goesOn ? { nextAt: outcome.retryAt } : {}) });
  const taken = outcome === 'delivered' ? claimedIn(row.value, attempt) : undefined;
  const event = { type: 'sent', tries, outcome, ...(taken ? { taken } : {}) } as const;
  // While a receiver is away there is one every 30 s, which changes nothing: the log of the delivery is spared them.
  const isVain = goesOn && isBeforePlan(hook);
  const keep = () =>
    storeAttempt(table, { ...address, event: id }, { number: tries, attempt, expiresAt: row.expiresAt });
  const [moved] = await Promise.all([
    moveTask(ports, address, event, { held: row }),
    taken || isVain ? undefined : keep(),
    goesOn && isUnwell(posted) ? storeWaiting(ports, { receiver, address }) : undefined,
    !goesOn && tries > 1 ? removeWaiting(table, { receiver, address }) : undefined,
  ]);
  // Another has taken the delivery over: this attempt was made all the same.
  if (taken && (!moved || moved.ignored)) await keep();
  const { answer: _answer, at: _at, ...told } = attempt;
  const message = isVain ? 'a webhook was tried early, in vain' : 'a webhook was sent';
  log.info(message, { ...address, trace: about.trace?.id, number: tries, ...told });
}
