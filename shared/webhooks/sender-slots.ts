/** Limits on concurrent deliveries: to one receiver, for one organization, and in the whole process. */

import { capacityFor, type Semaphore, type Slot, type SlotRequest, semaphore } from '../core/semaphore.ts';
import { type Receiver, receiverName } from './receiver.ts';

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
