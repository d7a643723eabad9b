/** Continues a breaker whose probe is late, or whose waiting deliveries were not all brought forward. */

import type { Key } from '../ports.ts';
import { isBreakerOpen, LOST_AFTER_MS, type ReceiverHealth, receiverIn } from './receiver-health.ts';
import { bringAllForward, hintNextProbe, type WaitingPorts, waitingExpiresAt } from './waiting-deliveries.ts';

/** Called by the reconciler if a probe is late, or if not all deliveries were brought forward. */
export async function maintainBreaker(ports: WaitingPorts, key: Key): Promise<void> {
  const { table, clock } = ports;
  const row = await table.get<ReceiverHealth>(key);
  if (row?.dueAt === undefined) return;
  const receiver = receiverIn(row);
  if (isBreakerOpen(row.value)) {
    // If no delivery waits, the next new one is the probe.
    const isHinted = await hintNextProbe(ports, receiver);
    const due = isHinted ? { dueAt: Math.max(clock.now(), row.value.probeAt) + LOST_AFTER_MS } : {};
    await table.replace(row, { value: row.value, ...due, ...waitingExpiresAt(row) });
  } else {
    const due = { dueAt: clock.now() + LOST_AFTER_MS };
    if (await table.replace(row, { value: row.value, ...due, ...waitingExpiresAt(row) }))
      await bringAllForward(ports, receiver);
  }
}
