/**
 * The first attempt of a delivery, made by the worker whose write ends the task: that write claims the delivery too, so
 * no hint and no further read are needed. Deliveries that may not succeed at once are left to the senders.
 */

import type { FirstSender } from '../tasks/first-sender.ts';
import { type ClaimedDelivery, logSent, sendClaimed } from './attempt-delivery.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { type Receiver, receiverOf } from './receiver.ts';
import type { SenderPorts } from './send.ts';

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
