/** Delivers the event a hint names: looks whether it is due, claims it, and makes one attempt. */
import { decide } from '../tasks/decide.ts';
import { moveTask } from '../tasks/move-task.ts';
import { resultOf } from '../tasks/result.ts';
import type { TaskAddress } from '../tasks/task-rows.ts';
import { readWithDetails } from '../tasks/with-about.ts';
import { admit, isBreakerOpen } from './breaker.ts';
import { type ClaimedDelivery, type DeliveryPorts, logSent, type SentDelivery, sendClaimed } from './deliver.ts';
import { receiverOf } from './receiver.ts';
import type { SenderSlots } from './sender-slots.ts';
import { hintNextProbe, postponeDelivery, waitingName } from './waiting-deliveries.ts';

export type SenderPorts = DeliveryPorts & { slots: SenderSlots };

/** `isDue`: by its plan; if not, it may still be the one to probe its receiver. */
type DueDelivery = Pick<ClaimedDelivery, 'address' | 'row' | 'about' | 'endpoint' | 'receiver'> & { isDue: boolean };

/** Rejects with the signal's reason when it was aborted: whoever looks next sends the same event again. */
export async function sendWebhook(ports: SenderPorts, address: TaskAddress, signal: AbortSignal): Promise<void> {
  const { row, about } = await readWithDetails(ports.table, address);
  // Being sent, sent or given up: a hint that came twice.
  if (row?.value.hook?.state !== 'due') return;
  const isDue = !('ignore' in decide(row.value, { type: 'sendClaim' }, ports.clock.now()));
  if (about?.endpoint === undefined) throw new Error('A task has lost the address of its webhook.');
  const { endpoint } = about;
  const receiver = receiverOf(address.organization, endpoint);
  // Too early, and nothing to probe.
  if (!isDue && !isBreakerOpen((await ports.recalled.healthOf(receiver))?.value)) return;
  const due: DueDelivery = { address, row, about, endpoint, receiver, isDue };
  const sent = await ports.slots.run(receiver, signal, () => sendDue(ports, due, signal));
  // The next one may go out while this is written down.
  if (sent) await logSent(ports, sent);
}

/** Undefined when there is nothing to send: it has to wait, or another has it. */
async function sendDue(ports: SenderPorts, due: DueDelivery, signal: AbortSignal): Promise<SentDelivery | undefined> {
  const { table, recalled } = ports;
  const { address, row, receiver, isDue } = due;
  signal.throwIfAborted();
  const [known, secrets, result] = await Promise.all([
    recalled.healthOf(receiver),
    recalled.secretsOf(address.organization),
    resultOf(table, address, row.value),
  ]);
  const mustGo = isDue && row.value.hook?.isNext;
  const admission = mustGo ? 'send' : await admit(ports, receiver, { known, as: waitingName(address) });
  const isProbe = admission === 'probe';
  if (isDue && admission === 'wait') await postponeDelivery(ports, due);
  if (admission === 'wait' || !(isDue || isProbe)) return undefined;
  const claim = { type: 'sendClaim', ...(isProbe ? { isProbe } : {}) } as const;
  const claimed = await moveTask(ports, address, claim, { held: row });
  if (claimed && !claimed.ignored)
    return sendClaimed(ports, { ...due, row: claimed.row, known, secrets, result, isProbe }, signal);
  // The slot is another's then.
  if (isProbe) await hintNextProbe(ports, receiver);
  return undefined;
}
