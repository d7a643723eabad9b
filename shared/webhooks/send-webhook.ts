/** Delivers the event a hint names: looks whether it is due, claims it, and makes one attempt. */
import { decide } from '../tasks/decide.ts';
import { moveTask } from '../tasks/move-task.ts';
import { resultOf } from '../tasks/result.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { withAbout } from '../tasks/with-about.ts';
import { placeFor } from './breaker.ts';
import { type Claimed, type DeliveryPorts, noteSent, type Sent, sendClaimed } from './deliver.ts';
import { receiverOf } from './receiver.ts';
import type { SenderSlots } from './sender-slots.ts';

export type SenderPorts = DeliveryPorts & { slots: SenderSlots };

type Due = Pick<Claimed, 'address' | 'row' | 'about' | 'endpoint' | 'receiver'>;

/** Rejects with the signal's reason when it was aborted: whoever looks next sends the same event again. */
export async function sendWebhook(ports: SenderPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  const { row, about } = await withAbout(ports.table, address);
  // Sent, given up, or not yet: a hint that came twice, or too early.
  if (!row || 'ignore' in decide(row.value, { type: 'sendClaim' }, ports.clock.now())) return;
  if (about?.endpoint === undefined) throw new Error('A task has lost the address of its webhook.');
  const { endpoint } = about;
  const receiver = receiverOf(address.organization, endpoint);
  const due: Due = { address, row, about, endpoint, receiver };
  const sent = await ports.slots.run(receiver, signal, () => sendDue(ports, due, signal));
  // The next one may go out while this is written down.
  if (sent) await noteSent(ports, sent);
}

/** Undefined when there is nothing to send: put off, or another has it. */
async function sendDue(ports: SenderPorts, due: Due, signal: AbortSignal): Promise<Sent | undefined> {
  const { table, recalled } = ports;
  const { address, row, receiver } = due;
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
  return sendClaimed(ports, { ...due, row: claimed.row, known, secrets, result }, signal);
}
