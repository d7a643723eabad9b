/** One attempt to deliver a task's event: claim, sign, send, keep what came of it, plan the next. */
import type { Log } from '../core/log.ts';
import { traceHeaders } from '../core/trace.ts';
import type { Downloads, Post, Row } from '../ports.ts';
import type { Notify } from '../sockets/news.ts';
import type { About } from '../tasks/about.ts';
import { decide } from '../tasks/decide.ts';
import { type MovePorts, moveTask } from '../tasks/move-task.ts';
import { resultOf } from '../tasks/result.ts';
import { AWAITING, type Task } from '../tasks/task.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { withAbout } from '../tasks/with-about.ts';
import { attemptOf, keepAttempt, takenIn } from './attempt.ts';
import { type Health, noteHealth, placeFor, type Receiver } from './breaker.ts';
import { type Bodies, eventIdOf } from './event.ts';
import { postSigned } from './post-signed.ts';
import type { Recalled } from './recalled.ts';
import { outcomeOf } from './retry-plan.ts';
import type { InTurn } from './turns.ts';

export type SenderPorts = MovePorts & {
  log: Log;
  random: () => number;
  post: Post;
  /** Where the archives of tasks lie, which a body names. */
  blobs: Downloads;
  bodies: Bodies;
  /** Says to an organization what it should know. */
  notify?: Notify;
  /** Keeps one receiver from taking all places of this sender. */
  inTurn: InTurn;
  recalled: Recalled;
};

type Due = { address: TaskAddress; row: Row<Task>; about: About; endpoint: string; receiver: Receiver };

/** Rejects with the signal's reason when it was aborted: whoever looks next sends the same event again. */
export async function sendWebhook(ports: SenderPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  const { row, about: around } = await withAbout(ports.table, address);
  // Sent, given up, or not yet: a hint that came twice, or too early.
  if (!row || 'ignore' in decide(row.value, { type: 'sendClaim' }, ports.clock.now())) return;
  const about = around?.value;
  if (about?.endpoint === undefined) throw new Error('A task has lost the address of its webhook.');
  const { endpoint } = about;
  const receiver = { organization: address.organization, origin: new URL(endpoint).origin };
  const due: Due = { address, row, about, endpoint, receiver };
  const sent = await ports.inTurn(`${receiver.organization} ${receiver.origin}`, () => sendDue(ports, due, signal));
  if (!sent) return;
  ports.recalled.noteAnswer(receiver, sent.posted);
  // The next one may go out while this is written down.
  await settle(ports, address, sent);
  await noteHealth(ports, receiver, sent);
}

type Sent = Awaited<ReturnType<typeof postSigned>> & {
  id: string;
  row: Row<Task>;
  known: Row<Health> | undefined;
  trace: string | undefined;
};

/** Undefined when there is nothing to send: put off, or another has it. */
async function sendDue(ports: SenderPorts, due: Due, signal: AbortSignal): Promise<Sent | undefined> {
  const { table, bodies, recalled } = ports;
  const { address, row, about, endpoint, receiver } = due;
  signal.throwIfAborted();
  const [known, secrets, result] = await Promise.all([
    recalled.healthOf(receiver),
    recalled.secretsOf(address.organization),
    resultOf(table, address, row.value),
  ]);
  const until = row.value.hook?.isNext ? undefined : await placeFor(ports, receiver, known);
  if (until !== undefined) {
    await moveTask(ports, address, { type: 'postpone', until }, { held: row });
    return undefined;
  }
  const claimed = await moveTask(ports, address, { type: 'sendClaim' }, { held: row });
  if (!claimed || claimed.ignored) return undefined;

  const task = claimed.row.value;
  const id = eventIdOf(address.taskId, task);
  const body = JSON.stringify(await bodies[task.face]({ taskId: address.taskId, task, about, result }, ports));
  const traced = about.trace ? traceHeaders(about.trace, ports.random) : {};
  const sent = await postSigned(ports, { endpoint, id, body, secrets, traced }, signal);
  return { ...sent, id, row: claimed.row, known, trace: about.trace?.id };
}

/** Dying before this is done repeats the attempt once its lease has lapsed: the same event, the same bytes. */
async function settle(
  ports: SenderPorts,
  address: TaskAddress,
  { id, row, posted, at, ms, trace }: Sent,
): Promise<void> {
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
  const { answer: _answer, ...told } = attempt;
  log.info('a webhook was sent', { ...address, trace, number: tries, ...told });
}
