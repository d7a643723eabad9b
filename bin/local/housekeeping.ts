/** Housekeeping of the product on one machine, once a minute: the reconciler, and the removal of expired rows and bytes. */

import { clearOldBlobs, clearPartialBlobs } from '../../adapters/local/clear-blobs.ts';
import type { LocalContext } from '../../adapters/local/context.ts';
import { DAY_MS, MINUTE_MS, systemEvery } from '../../shared/core/time.ts';
import { withoutOverlap } from '../../shared/core/without-overlap.ts';
import { sweepUploads } from '../../shared/files/sweep-uploads.ts';
import { limitsWithin, type ReconcilePorts, reconcile } from '../../shared/reconcile/reconcile.ts';
import { scheduleRepairer } from '../../shared/reconcile/task-schedules.ts';

/** How often the scheduler checks whether a new minute has begun. */
const SCHEDULES_MS = 1_000;
const EVERY_MS = MINUTE_MS;
const ROWS_AT_ONCE = 1_000;

export function startHousekeeping(local: LocalContext, ports: ReconcilePorts): { stop(): void } {
  const { table, folder, clock, scheduler } = local;
  const repairSchedules = scheduleRepairer({ table, scheduler, log: ports.log });
  let clearedAt = 0;
  // A full disk or a long list may make a round longer than a minute.
  const runMaintenance = withoutOverlap(async () => {
    const limits = limitsWithin(EVERY_MS);
    await reconcile(ports, limits);
    await repairSchedules();
    while ((await table.sweep(ROWS_AT_ONCE)) === ROWS_AT_ONCE);
    await clearPartialBlobs({ folder: folder.blobs, clock });
    if (clock.now() - clearedAt >= DAY_MS) {
      clearedAt = clock.now();
      await clearOldBlobs({ folder: folder.blobs, clock });
    }
    // Last, because it writes: on a full disk the steps before it free space.
    await sweepUploads(ports, limits.stop);
  });
  const timer = setInterval(() => {
    runMaintenance().catch((error) => ports.log.error('housekeeping failed', { error }));
  }, EVERY_MS);
  timer.unref();
  const stopFiring = systemEvery(SCHEDULES_MS, () => {
    scheduler.tick().catch((error) => ports.log.error('schedules were not fired', { error }));
  });
  return {
    stop() {
      clearInterval(timer);
      stopFiring();
    },
  };
}
