/** One attempt to deliver an event that was claimed: render, sign, send; then keep what came of it and plan the next. */
import type { WebhookSecret } from '../accounts/webhook-secret.ts';
import type { Log } from '../core/log.ts';
import { traceHeaders } from '../core/trace.ts';
import type { Downloads, Post, Row } from '../ports.ts';
import type { Notify } from '../sockets/news.ts';
import type { About } from '../tasks/about.ts';
import { type MovePorts, moveTask } from '../tasks/move-task.ts';
import type { Result } from '../tasks/result.ts';
import { AWAITING, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { attemptOf, keepAttempt, takenIn } from './attempt.ts';
import { type Health, noteHealth } from './breaker.ts';
import { type Bodies, eventIdOf } from './event.ts';
import { postSigned } from './post-signed.ts';
import type { Recalled } from './recalled.ts';
import type { Receiver } from './receiver.ts';
import { outcomeOf } from './retry-plan.ts';

export type DeliveryPorts = MovePorts & {
  log: Log;
  random: () => number;
  post: Post;
  /** Where the archives of tasks lie, which a body names. */
  blobs: Downloads;
  bodies: Bodies;
  /** Says to an organization what it should know. */
  notify?: Notify;
  recalled: Recalled;
};

/** A delivery whose next attempt is ours to make; `known` is what was known of its receiver's health. */
export type Claimed = {
  address: TaskAddress;
  row: Row<Task>;
  about: About;
  result: Result | undefined;
  endpoint: string;
  receiver: Receiver;
  secrets: readonly WebhookSecret[];
  known: Row<Health> | undefined;
};
export type Sent = Claimed & Awaited<ReturnType<typeof postSigned>> & { id: string };

/** Rejects with the signal's reason when it was aborted: whoever looks next sends the same event again. */
export async function sendClaimed(ports: DeliveryPorts, claimed: Claimed, signal: AbortSignal): Promise<Sent> {
  const { address, row, about, result, endpoint, secrets } = claimed;
  const task = row.value;
  const id = eventIdOf(address.taskId, task);
  const body = JSON.stringify(await ports.bodies[task.face]({ taskId: address.taskId, task, about, result }, ports));
  const traced = about.trace ? traceHeaders(about.trace, ports.random) : {};
  return { ...claimed, id, ...(await postSigned(ports, { endpoint, id, body, secrets, traced }, signal)) };
}

export async function noteSent(ports: DeliveryPorts, sent: Sent): Promise<void> {
  ports.recalled.noteAnswer(sent.receiver, sent);
  await settle(ports, sent);
  await noteHealth(ports, sent.receiver, sent);
}

/** Dying before this is done repeats the attempt once its lease has lapsed: the same event, the same bytes. */
async function settle(ports: DeliveryPorts, { address, id, row, about, posted, at, ms }: Sent): Promise<void> {
  const { table, clock, random, log } = ports;
  const { hook = AWAITING } = row.value;
  const { tries, planFrom = 0 } = hook;
  const outcome = outcomeOf(posted, { failed: tries - planFrom, now: clock.now(), random });
  const next = typeof outcome === 'object' ? { nextAt: outcome.retryAt } : {};
  const attempt = attemptOf(posted, { at, ms, ...next });
  const taken = outcome === 'delivered' ? takenIn(row.value, attempt) : undefined;
  const event = { type: 'sent', tries, outcome, ...(taken ? { taken } : {}) } as const;
  const keep = () =>
    keepAttempt(table, { ...address, event: id }, { number: tries, attempt, expiresAt: row.expiresAt });
  const [moved] = await Promise.all([moveTask(ports, address, event, { held: row }), taken ? undefined : keep()]);
  // Another has taken the delivery over: this attempt was made all the same.
  if (taken && (!moved || moved.ignored)) await keep();
  const { answer: _answer, at: _at, ...told } = attempt;
  log.info('a webhook was sent', { ...address, trace: about.trace?.id, number: tries, ...told });
}
