/** Limits on concurrent deliveries: to one receiver, for one organization, and in the whole process. */

import { capacityFor, type Semaphore, type Slot, type SlotRequest, semaphore } from '../core/semaphore.ts';
import { type Receiver, receiverName } from './receiver.ts';

export type SenderSlots = {
  /** `undefined`: the caller would have to wait. */
  tryAcquire(receiver: Receiver): Pick<Slot, 'release'> | undefined;
  run<T>(receiver: Receiver, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

export function senderSlots(limits: { ofOrganization: number; toReceiver: number }): SenderSlots {
  const capacity = capacityFor(limits.ofOrganization);
  const organizationSlots: Semaphore = semaphore({ name: 'webhookSenders', capacity });
  // A receiver belongs to one organization, so waiting here blocks no slot of another one.
  const receiverSlots: Semaphore = semaphore({ capacity: Infinity, maxEach: limits.toReceiver });
  const ofReceiver = (receiver: Receiver): SlotRequest => ({ organization: receiverName(receiver) });

  return {
    tryAcquire(receiver) {
      const receiverSlot = receiverSlots.tryAcquire(ofReceiver(receiver));
      const slot = receiverSlot && organizationSlots.tryAcquire(receiver);
      if (!slot) {
        receiverSlot?.release();
        return undefined;
      }
      const release = () => {
        slot.release();
        receiverSlot.release();
      };
      return { release };
    },
    run: (receiver, signal, work) =>
      receiverSlots.run({ ...ofReceiver(receiver), signal }, () =>
        organizationSlots.run({ ...receiver, signal }, work),
      ),
  };
}
