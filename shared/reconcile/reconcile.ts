/** Once a minute: looks at every row whose time has come and does what it still needs. */
import type { Log } from '../core/log.ts';
import { expireFile } from '../files/expire-file.ts';
import { type Blobs, DUE_SHARDS, type Key, type Scheduler } from '../ports.ts';
import { maintainConnection, type NotifyConnectionEnd } from '../sockets/care-for-connection.ts';
import { laneWatch } from '../tasks/lane-ages.ts';
import type { MovePorts } from '../tasks/move-task.ts';
import { tickTask } from '../tasks/tick-task.ts';
import { maintainBreaker } from '../webhooks/waiting-deliveries.ts';

export type ReconcilePorts = MovePorts & {
  blobs: Blobs;
  log: Log;
  sayEnding: NotifyConnectionEnd;
  scheduler: Scheduler;
};
type Ports = ReconcilePorts & { lanes: ReturnType<typeof laneWatch> };

const ROWS_AT_ONCE = 100;
const MOST_PAGES = 20;

/** What a due row needs, by its kind. Each reads the row again before it acts, as the index may lag. */
const CARE: Record<string, (ports: Ports, key: Key) => Promise<void>> = {
  FILE: expireFile,
  TASK: tickTask,
  RUN: tickTask,
  CONNECTION: maintainConnection,
  BREAKER: maintainBreaker,
};

/** Answers how many rows it cared for. One row that fails does not hold up the others, nor does a shard, which is told of last. */
export async function reconcile(given: ReconcilePorts): Promise<number> {
  const ports = { ...given, lanes: laneWatch(given) };
  const rounds = Array.from({ length: DUE_SHARDS }, (_, shard) => reconcileShard(ports, shard));
  await Promise.allSettled(rounds);
  const laneMs = await ports.lanes.write();
  const shards = await Promise.all(rounds);
  const cared = shards.reduce((sum, shard) => sum + shard.cared, 0);
  const lagMs = Math.max(...shards.map((shard) => shard.lagMs));
  given.log.info('what was due is cared for', { cared, lagMs, laneMs });
  return cared;
}

/** Page after page, until one is not full, or nothing of it could be cared for and only the same rows would come again. */
async function reconcileShard(ports: Ports, shard: number): Promise<{ cared: number; lagMs: number }> {
  let all = 0;
  let lagMs = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const keys = await ports.table.due(shard, ports.clock.now(), ROWS_AT_ONCE);
    if (page === 0) lagMs = await lagOf(ports, keys[0]);
    let cared = 0;
    for (const key of keys) if (await maintain(ports, key)) cared++;
    all += cared;
    if (keys.length < ROWS_AT_ONCE || cared === 0) break;
  }
  return { cared: all, lagMs };
}

/** How long the oldest has waited. One that was cared for since is no longer due. */
async function lagOf({ table, clock }: Ports, oldest: Key | undefined): Promise<number> {
  const row = oldest && (await table.get(oldest));
  return row?.dueAt === undefined ? 0 : Math.max(0, clock.now() - row.dueAt);
}

async function maintain(ports: Ports, key: Key): Promise<boolean> {
  try {
    const [kind = ''] = key.sk.split('#');
    const care = CARE[kind];
    if (!care) throw new Error('Nobody knows what this row needs.');
    await care(ports, key);
    return true;
  } catch (error) {
    ports.log.error('a due row could not be cared for', { key, error });
    return false;
  }
}
