/** Delivers the event that a hint names: checks whether it is due, claims it, and makes one attempt. */

import { decide } from '../tasks/decide.ts';
import { readWithDetails } from '../tasks/details.ts';
import { addressOfHint } from '../tasks/hints.ts';
import { resultOf } from '../tasks/results.ts';
import type { TaskAddress } from '../tasks/rows.ts';
import { moveTask } from '../tasks/transition.ts';
import {
  type ClaimedDelivery,
  type DeliveryPorts,
  recordDelivery,
  type SentDelivery,
  sendClaimed,
} from './attempt-delivery.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { receiverOf } from './receiver.ts';
import type { SenderSlots } from './sender-slots.ts';
import { waitingDeliveries } from './waiting-deliveries.ts';

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
  const sentDelivery = await ports.slots.run(receiver, signal, () => sendDue(ports, due, signal));
  // The slot is free again before the outcome is logged.
  if (sentDelivery !== 'notSent') await recordDelivery(ports, sentDelivery);
}

/** Sends the webhook that a hint names, for the Lambda function and the local sender alike. */
export async function sendHint(ports: SenderPorts, body: string, stopSignal: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a webhook queue message is not a valid hint', { body });
  try {
    await sendWebhook(ports, address, stopSignal);
  } catch (error) {
    if (!stopSignal.aborted) ports.log.error('a webhook could not be sent', { ...address, error });
    throw error;
  }
}

/** `notSent`: the delivery has to wait, or another sender has it. */
async function sendDue(ports: SenderPorts, due: DueDelivery, signal: AbortSignal): Promise<SentDelivery | 'notSent'> {
  const { table, recalled } = ports;
  const { address, row, receiver, isDue } = due;
  signal.throwIfAborted();
  const [health, secrets, result] = await Promise.all([
    recalled.healthOf(receiver),
    recalled.secretsOf(address.organization),
    resultOf(table, address, row.value),
  ]);
  const skipsBreaker = isDue && row.value.hook?.isNext;
  const admission = skipsBreaker
    ? 'send'
    : await circuitBreaker.admit(ports, receiver, { health, as: waitingDeliveries.nameOf(address) });
  const isProbe = admission === 'probe';
  if (isDue && admission === 'wait') await waitingDeliveries.postpone(ports, due);
  if (admission === 'wait' || !(isDue || isProbe)) return 'notSent';
  const claim = { type: 'sendClaim', ...(isProbe ? { isProbe } : {}) } as const;
  const claimed = await moveTask(ports, address, claim, { cachedRow: row });
  if (claimed && !claimed.ignored)
    return sendClaimed(ports, { ...due, row: claimed.row, health, secrets, result, isProbe }, signal);
  // Another sender has the delivery, so another delivery may probe.
  if (isProbe) await circuitBreaker.hintNextProbe(ports, receiver);
  return 'notSent';
}
