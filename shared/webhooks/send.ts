/** Sends the webhook of a task: claims the delivery, makes one attempt and stores its outcome. */

import { currentSecrets, type WebhookSecret } from '../accounts/webhook-secrets.ts';
import { loadingCache, lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import { readLong } from '../core/long-values.ts';
import { capacityFor, type Semaphore, type Slot, type SlotRequest, semaphore } from '../core/semaphore.ts';
import { traceHeaders } from '../core/trace.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Downloads, Post, Posted, Row, Table } from '../ports.ts';
import type { Notify } from '../realtime/notifier.ts';
import type { ArchivePorts } from '../tasks/archive.ts';
import { type CheckpointState, checkpointLocation } from '../tasks/checkpoints.ts';
import { decide } from '../tasks/decide.ts';
import { isBeforePlan } from '../tasks/decide-delivery.ts';
import { readWithDetails, type TaskDetails } from '../tasks/details.ts';
import type { FirstSender } from '../tasks/first-sender.ts';
import type { TaskView } from '../tasks/get-task.ts';
import { addressOfHint } from '../tasks/hints.ts';
import { type Result, resultOf } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { AGENTS_FACE, AWAITING, type Task, type TaskApi } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import {
  circuitBreaker,
  type Receiver,
  type ReceiverHealth,
  receiverName,
  receiverOf,
  waitingDeliveries,
} from './circuit-breaker.ts';
import {
  claimedIn,
  type DeliveryAttempt,
  eventIdOf,
  outcomeOf,
  storeAttempt,
  toDeliveryAttempt,
} from './delivery-log.ts';
import { webhookSignature } from './signing.ts';

/** The body format of each API. Short-lived URLs are signed here, again for each attempt. */
export type Bodies = Readonly<Record<TaskApi, (view: EventView, ports: ArchivePorts) => object | Promise<object>>>;

/** `reached`: the last checkpoint of an agent's task that did not succeed. */
export type EventView = TaskView & { reached?: Result | undefined };

/** Signs a body with the currently valid secrets, posts it, and measures the time. */
type PostPorts = { clock: Clock; post: Post };
type SignedRequest = {
  endpoint: string;
  id: string;
  body: string;
  secrets: readonly WebhookSecret[];
  /** The trace headers of the task. */
  traced?: Record<string, string>;
};

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'errand-webhooks/1' };

async function postSigned(
  { clock, post }: PostPorts,
  { endpoint, id, body, secrets, traced = {} }: SignedRequest,
  signal?: AbortSignal,
): Promise<{ posted: Posted; at: number; ms: number }> {
  if (secrets.length === 0) throw new Error('An organization has no webhook secret.');
  const at = clock.now();
  const texts = secrets.map(({ secret }) => secret);
  const headers = { ...HEADERS, ...traced, ...webhookSignature.headers(texts, { id, at, body }) };
  const posted = await post(endpoint, { headers, body }, signal);
  return { posted, at, ms: clock.now() - at };
}

// The sender's caches of two seconds: signing secrets, and healthy receivers.

/** After a rotation, the cached previous secret may sign until then; it stays valid for a day. */
export const SENDER_CACHE_MS = 2_000;
/** A worker does not send webhooks itself to a receiver that takes longer than this. */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 600_000;
const MAX_CACHED_RECEIVERS = 1_000;

type ReceiverAnswer = { posted: Posted; ms: number };

type SenderCache = {
  secretsOf(organization: string): Promise<readonly WebhookSecret[]>;
  /** `undefined` also for a receiver that recently responded well to this sender. */
  healthOf(receiver: Receiver): Promise<Row<ReceiverHealth> | undefined>;
  isSlow(receiver: Receiver): boolean;
  recordAnswer(receiver: Receiver, answer: ReceiverAnswer): void;
};

const WELL = Promise.resolve(undefined);

export function senderCache(ports: { table: Table; clock: Clock; vault: Vault }): SenderCache {
  const { table, clock } = ports;
  const read = (organization: string) => currentSecrets(ports, organization);
  const secretsOf = loadingCache({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS, load: read });
  const well = lruCache<string, true>({ clock, ttlMs: SENDER_CACHE_MS, max: MAX_CACHED_RECEIVERS });
  const slow = lruCache<string, true>({ clock, ttlMs: SLOW_FOR_MS, max: MAX_CACHED_RECEIVERS });
  return {
    secretsOf: async (organization) => (await secretsOf.get(organization)) ?? [],
    healthOf: (receiver) =>
      well.get(receiverName(receiver)) ? WELL : circuitBreaker.readHealth(table, receiver, { consistency: 'eventual' }),
    isSlow: (receiver) => slow.get(receiverName(receiver)) ?? false,
    recordAnswer(receiver, { posted, ms }) {
      // A success does not extend the entry: the breaker's row is read every 2 s, to notice failures of other senders.
      const name = receiverName(receiver);
      if (circuitBreaker.isUnwell(posted)) well.delete(name);
      else if (!well.get(name)) well.set(name, true);
      if (ms > SLOW_MS) slow.set(name, true);
      else slow.delete(name);
    },
  };
}

// One delivery attempt: render, sign, send, store the outcome and plan the next attempt.

type DeliveryPorts = MovePorts & {
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

/** A delivery claimed by this process. `known`: the cached health of its receiver. */
type ClaimedDelivery = {
  address: TaskAddress;
  row: Row<Task>;
  about: TaskDetails;
  result: Result | undefined;
  endpoint: string;
  receiver: Receiver;
  secrets: readonly WebhookSecret[];
  known: Row<ReceiverHealth> | undefined;
  /** The attempt probes a receiver whose breaker is open. */
  isProbe?: boolean;
};
type SentDelivery = ClaimedDelivery & Awaited<ReturnType<typeof postSigned>> & { id: string };

/** The event of such a task says whether there are partial results. */
const isPartial = ({ face, state, checkpoint }: Task): boolean =>
  face === AGENTS_FACE && state !== 'succeeded' && checkpoint > 0;

async function reachedOf(table: Table, address: TaskAddress, { checkpoint, checkpointOf }: Task) {
  const location = checkpointLocation(address, { checkpoint, attempt: checkpointOf ?? 0 });
  return (await readLong<CheckpointState>(table, location))?.value as Result | undefined;
}

/** Rejects with the signal's reason if aborted: the next sender sends the same event again. */
async function sendClaimed(ports: DeliveryPorts, claimed: ClaimedDelivery, signal: AbortSignal): Promise<SentDelivery> {
  const { address, row, about, result, endpoint, secrets } = claimed;
  const task = row.value;
  const id = eventIdOf(address.taskId, task);
  const reached = isPartial(task) && !result?.report ? await reachedOf(ports.table, address, task) : undefined;
  const view = { taskId: address.taskId, task, about, result, reached };
  const body = JSON.stringify(await ports.bodies[task.face](view, ports));
  const traced = about.trace ? traceHeaders(about.trace, ports.random) : {};
  return { ...claimed, id, ...(await postSigned(ports, { endpoint, id, body, secrets, traced }, signal)) };
}

async function logSent(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  ports.recalled.recordAnswer(sent.receiver, sent);
  await storeOutcome(ports, sent);
  await updateBreaker(ports, sent);
}

async function updateBreaker(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  const { receiver, address, posted, at, isProbe } = sent;
  const isBlocked = 'fault' in posted && posted.fault === 'blocked_target';
  if (!circuitBreaker.isUnwell(posted) && !isBlocked) {
    if (await circuitBreaker.countSuccess(ports, receiver, sent))
      await waitingDeliveries.bringAllForward(ports, receiver);
    return;
  }
  const counted = isBlocked ? undefined : await circuitBreaker.countFailure(ports, receiver, at);
  if (counted === 'late') await waitingDeliveries.bringForward(ports, { receiver, address });
  if (counted === 'opened' || isProbe) await circuitBreaker.hintNextProbe(ports, receiver);
}

/** If the process dies before this, the attempt is repeated after its lease lapsed: the same event, the same bytes. */
async function storeOutcome(ports: DeliveryPorts, sent: SentDelivery): Promise<void> {
  const { address, id, row, about, posted, at, ms, receiver } = sent;
  const { table, clock, random, log } = ports;
  const { hook: delivery = AWAITING } = row.value;
  const { tries, planFrom = 0 } = delivery;
  const outcome = outcomeOf(posted, { failed: tries - planFrom, now: clock.now(), random });
  const goesOn = typeof outcome === 'object';
  const attempt = toDeliveryAttempt(posted, { at, ms, ...(goesOn ? { nextAt: outcome.retryAt } : {}) });
  const taken = outcome === 'delivered' ? claimedIn(row.value, attempt) : undefined;
  const event = { type: 'sent', tries, outcome, ...(taken ? { taken } : {}) } as const;
  // While a receiver is down there is an attempt every 30 s that changes nothing; these are left out of the delivery log.
  const isVain = goesOn && isBeforePlan(delivery);
  const keep = () =>
    storeAttempt(table, { ...address, event: id }, { number: tries, attempt, expiresAt: row.expiresAt });
  const [moved] = await Promise.all([
    moveTask(ports, address, event, { held: row }),
    taken || isVain ? undefined : keep(),
    goesOn && circuitBreaker.isUnwell(posted) ? waitingDeliveries.store(ports, { receiver, address }) : undefined,
    !goesOn && tries > 1 ? waitingDeliveries.remove(table, { receiver, address }) : undefined,
  ]);
  // Another sender has taken over the delivery; this attempt was made nevertheless.
  if (taken && (!moved || moved.ignored)) await keep();
  const { answer: _answer, at: _at, ...shown } = attempt;
  const message = isVain ? 'an early webhook attempt failed' : 'a webhook was sent';
  log.info(message, { ...address, trace: about.trace?.id, number: tries, ...shown });
}

/** Limits on concurrent deliveries: to one receiver, for one organization, and in the whole process. */
export type SenderSlots = {
  /** `undefined`: the caller would have to wait. */
  tryAcquire(receiver: Receiver): Pick<Slot, 'release'> | undefined;
  run<T>(receiver: Receiver, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

export function senderSlots(most: { ofOrganization: number; toReceiver: number }): SenderSlots {
  const capacity = capacityFor(most.ofOrganization);
  const all: Semaphore = semaphore({ name: 'webhookSenders', capacity });
  // A receiver belongs to one organization, so waiting here blocks no slot of another one.
  const each: Semaphore = semaphore({ capacity: Infinity, maxEach: most.toReceiver });
  const ofReceiver = (receiver: Receiver): SlotRequest => ({ organization: receiverName(receiver) });

  return {
    tryAcquire(receiver) {
      const own = each.tryAcquire(ofReceiver(receiver));
      const slot = own && all.tryAcquire(receiver);
      if (!slot) {
        own?.release();
        return undefined;
      }
      const release = () => {
        slot.release();
        own.release();
      };
      return { release };
    },
    run: (receiver, signal, work) =>
      each.run({ ...ofReceiver(receiver), signal }, () => all.run({ ...receiver, signal }, work)),
  };
}

/** Delivers the event that a hint names: checks whether it is due, claims it, and makes one attempt. */
export type SenderPorts = DeliveryPorts & { slots: SenderSlots };

/** `isDue`: due by its plan; otherwise it may still probe its receiver. */
type DueDelivery = Pick<ClaimedDelivery, 'address' | 'row' | 'about' | 'endpoint' | 'receiver'> & { isDue: boolean };

/** Rejects with the signal's reason if aborted: the next sender sends the same event again. */
export async function sendWebhook(ports: SenderPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  const { row, about } = await readWithDetails(ports.table, address);
  // A repeated hint: the event is being sent, was sent or was given up.
  if (row?.value.hook?.state !== 'due') return;
  const isDue = !('ignore' in decide(row.value, { type: 'sendClaim' }, ports.clock.now()));
  if (about?.endpoint === undefined) throw new Error('A task has lost the URL of its webhook.');
  const { endpoint } = about;
  const receiver = receiverOf(address.organization, endpoint);
  // Not due, and no open breaker to probe.
  if (!isDue && !circuitBreaker.isOpen((await ports.recalled.healthOf(receiver))?.value)) return;
  const due: DueDelivery = { address, row, about, endpoint, receiver, isDue };
  const sent = await ports.slots.run(receiver, signal, () => sendDue(ports, due, signal));
  // The slot is free again before the outcome is logged.
  if (sent !== 'notSent') await logSent(ports, sent);
}

/** `notSent`: the delivery has to wait, or another sender has it. */
async function sendDue(ports: SenderPorts, due: DueDelivery, signal: AbortSignal): Promise<SentDelivery | 'notSent'> {
  const { table, recalled } = ports;
  const { address, row, receiver, isDue } = due;
  signal.throwIfAborted();
  const [known, secrets, result] = await Promise.all([
    recalled.healthOf(receiver),
    recalled.secretsOf(address.organization),
    resultOf(table, address, row.value),
  ]);
  const mustGo = isDue && row.value.hook?.isNext;
  const admission = mustGo
    ? 'send'
    : await circuitBreaker.admit(ports, receiver, { known, as: waitingDeliveries.nameOf(address) });
  const isProbe = admission === 'probe';
  if (isDue && admission === 'wait') await waitingDeliveries.postpone(ports, due);
  if (admission === 'wait' || !(isDue || isProbe)) return 'notSent';
  const claim = { type: 'sendClaim', ...(isProbe ? { isProbe } : {}) } as const;
  const claimed = await moveTask(ports, address, claim, { held: row });
  if (claimed && !claimed.ignored)
    return sendClaimed(ports, { ...due, row: claimed.row, known, secrets, result, isProbe }, signal);
  // Another sender has the delivery, so another delivery may probe.
  if (isProbe) await circuitBreaker.hintNextProbe(ports, receiver);
  return 'notSent';
}

// The first attempt of a delivery, made by the worker whose write ends the task: that write claims the delivery too, so no
// hint and no further read are needed. Deliveries that may not succeed at once are left to the senders.

/** `settled` resolves when all started deliveries have ended. */
type Settling = FirstSender & { settled(): Promise<void> };

/** Starts deliveries until the signal is aborted, which also aborts running ones. */
export function firstSender(ports: SenderPorts, signal: AbortSignal): Settling {
  const { slots, recalled, log } = ports;
  const underWay = new Set<Promise<void>>();

  /** `undefined`: the receiver keeps failing. */
  async function known(receiver: Receiver): Promise<Pick<ClaimedDelivery, 'secrets' | 'known'> | undefined> {
    const [known, secrets] = await Promise.all([
      recalled.healthOf(receiver),
      recalled.secretsOf(receiver.organization),
    ]);
    return circuitBreaker.isOpen(known?.value) ? undefined : { known, secrets };
  }

  async function send(claimed: ClaimedDelivery, leave: () => void): Promise<void> {
    try {
      const sent = await sendClaimed(ports, claimed, signal).finally(leave);
      await logSent(ports, sent);
    } catch (error) {
      if (!signal.aborted) log.error('a webhook could not be sent', { ...claimed.address, error });
    }
  }

  return {
    async place(address, about) {
      const { endpoint } = about ?? {};
      if (!about || endpoint === undefined || about.discards || signal.aborted) return undefined;
      const receiver = receiverOf(address.organization, endpoint);
      const slot = recalled.isSlow(receiver) ? undefined : slots.tryAcquire(receiver);
      if (!slot) return undefined;
      const leave = () => slot.release();
      const found = await known(receiver).catch((error) => {
        log.warn('a webhook was handed to the senders', { ...address, error });
      });
      if (found)
        return {
          leave,
          send(row, result) {
            const claimed = { address, about, endpoint, receiver, ...found, row, result };
            const sending = send(claimed, leave).finally(() => underWay.delete(sending));
            underWay.add(sending);
          },
        };
      leave();
      return undefined;
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

/** Sends the webhook that a hint names, for the Lambda function and the local sender alike. */
export async function sendHint(ports: SenderPorts, body: string, mustGo: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a webhook queue message is not a valid hint', { body });
  try {
    await sendWebhook(ports, address, mustGo);
  } catch (error) {
    if (!mustGo.aborted) ports.log.error('a webhook could not be sent', { ...address, error });
    throw error;
  }
}

export async function testWebhook(
  ports: TestWebhookPorts,
  { organization, endpoint, testId, body }: WebhookTest,
): Promise<DeliveryAttempt> {
  const secrets = await currentSecrets(ports, organization);
  const parcel = { endpoint, id: `evt_test_${testId}`, body: JSON.stringify(body), secrets };
  const { posted, at, ms } = await postSigned(ports, parcel);
  return toDeliveryAttempt(posted, { at, ms });
}

type TestWebhookPorts = { table: Table; clock: Clock; vault: Vault; post: Post };

type WebhookTest = { organization: string; endpoint: string; testId: string; body: object };
