/**
 * The first attempt of a delivery, made by the worker whose write ends the task: that write claims the delivery too, so
 * no hint and no further read are needed. Deliveries that may not succeed at once are left to the senders.
 */

import type { ImmediateDelivery } from '../tasks/immediate-delivery.ts';
import { type ClaimedDelivery, recordDelivery, sendClaimed } from './attempt-delivery.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type Receiver, receiverOf } from './receiver.ts';
import type { SenderPorts } from './send.ts';

/** `settled` resolves when all started deliveries have ended. */
type Settling = ImmediateDelivery & { settled(): Promise<void> };

/** Starts deliveries until the signal is aborted, which also aborts running ones. */
export function immediateDelivery(ports: SenderPorts, signal: AbortSignal): Settling {
  const { slots, recalled, log } = ports;
  const underWay = new Set<Promise<void>>();

  /** `undefined`: the receiver keeps failing. */
  async function readReceiver(receiver: Receiver): Promise<Pick<ClaimedDelivery, 'secrets' | 'health'> | undefined> {
    const [health, secrets] = await Promise.all([
      recalled.healthOf(receiver),
      recalled.secretsOf(receiver.organization),
    ]);
    return circuitBreaker.isOpen(health?.value) ? undefined : { health, secrets };
  }

  async function send(claimed: ClaimedDelivery, release: () => void): Promise<void> {
    try {
      const sentDelivery = await sendClaimed(ports, claimed, signal).finally(release);
      await recordDelivery(ports, sentDelivery);
    } catch (error) {
      if (!signal.aborted) log.error('a webhook could not be sent', { ...claimed.address, error });
    }
  }

  return {
    async tryAcquire(address, about) {
      const { endpoint } = about ?? {};
      if (!about || endpoint === undefined || about.discards || signal.aborted) return undefined;
      const receiver = receiverOf(address.organization, endpoint);
      const slot = recalled.isSlow(receiver) ? undefined : slots.tryAcquire(receiver);
      if (!slot) return undefined;
      const release = () => slot.release();
      const receiverState = await readReceiver(receiver).catch((error) => {
        log.warn('a webhook was handed to the senders', { ...address, error });
      });
      if (receiverState)
        return {
          release,
          send(row, result) {
            const claimed = { address, about, endpoint, receiver, ...receiverState, row, result };
            const sending = send(claimed, release).finally(() => underWay.delete(sending));
            underWay.add(sending);
          },
        };
      release();
      return undefined;
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}
