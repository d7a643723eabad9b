/**
 * The first attempt to deliver an event, made by the worker whose write ends the task: that write claims it too, so that
 * nobody has to be told of it and nothing is read again. What may not go through at once is left to the senders.
 */
import type { FirstSender } from '../tasks/first-sender.ts';
import { isBreakerOpen } from './breaker.ts';
import { type ClaimedDelivery, logSent, sendClaimed } from './deliver.ts';
import { type Receiver, receiverOf } from './receiver.ts';
import type { SenderPorts } from './send-webhook.ts';

/** It has settled when all that was begun has come to its end. */
type Settling = FirstSender & { settled(): Promise<void> };

/** Begun until the signal is aborted, and by that cut off. */
export function firstSender(ports: SenderPorts, signal: AbortSignal): Settling {
  const { slots, recalled, log } = ports;
  const underWay = new Set<Promise<void>>();

  /** Undefined = it keeps failing. */
  async function known(receiver: Receiver): Promise<Pick<ClaimedDelivery, 'secrets' | 'known'> | undefined> {
    const [known, secrets] = await Promise.all([
      recalled.healthOf(receiver),
      recalled.secretsOf(receiver.organization),
    ]);
    return isBreakerOpen(known?.value) ? undefined : { known, secrets };
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
      if (!about || endpoint === undefined || signal.aborted) return undefined;
      const receiver = receiverOf(address.organization, endpoint);
      const slot = recalled.isSlow(receiver) ? undefined : slots.tryAcquire(receiver);
      if (!slot) return undefined;
      const leave = () => slot.release();
      const found = await known(receiver).catch((error) => {
        log.warn('a webhook is left to the senders', { ...address, error });
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
