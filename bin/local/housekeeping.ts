/** Once a minute: the reconciler, and deleting what has expired as the cloud's tables and buckets do by themselves. */
import type { LocalContext } from '../../adapters/local/context.ts';
import { clearOldBlobs, clearPartialBlobs } from '../../adapters/local/file-blobs.ts';
import { systemEvery } from '../../shared/core/time.ts';
import { sweepUploads } from '../../shared/files/cleanup.ts';
import { type ReconcilePorts, reconcile } from '../../shared/reconcile/reconcile.ts';
import { scheduleRepairer } from '../../shared/schedules/maintain-schedules.ts';

/** They fire within the minute; whether one has begun is looked at so often. */
const SCHEDULES_MS = 1_000;
const EVERY_MS = 60_000;
const ROWS_AT_ONCE = 1_000;
const DAY_MS = 86_400_000;

export function startHousekeeping(local: LocalContext, ports: ReconcilePorts): { stop(): void } {
  const { table, folder, clock, scheduler } = local;
  const mendSchedules = scheduleRepairer({ table, scheduler, log: ports.log });
  let clearedAt = 0;
  const keepHouse = async () => {
    await reconcile(ports);
    await mendSchedules();
    while ((await table.sweep(ROWS_AT_ONCE)) === ROWS_AT_ONCE);
    await clearPartialBlobs({ folder: folder.blobs, clock });
    if (clock.now() - clearedAt >= DAY_MS) {
      clearedAt = clock.now();
      await clearOldBlobs({ folder: folder.blobs, clock });
    }
    // Last, as it writes: where the disk is full the others make room.
    await sweepUploads(ports);
  };
  const timer = setInterval(() => {
    keepHouse().catch((error) => ports.log.error('housekeeping failed', { error }));
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
