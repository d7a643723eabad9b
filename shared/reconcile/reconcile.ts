/** The reconciler: once a minute it advances everything that is due. */

import type { Log } from '../core/log.ts';
import { expireFile } from '../files/cleanup.ts';
import { maintainReading } from '../files/reading.ts';
import { laneWatch } from '../lanes/admission.ts';
import { type Blobs, DUE_SHARDS, type Key, type Scheduler } from '../ports.ts';
import { maintainConnection, type NotifyConnectionEnd } from '../realtime/connections.ts';
import { maintainSchedule, type SchedulePorts } from '../schedules/maintain-schedules.ts';
import { parseTaskAddress } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { type MovePorts, moveTask } from '../tasks/transition.ts';
import { maintainBreaker } from '../webhooks/circuit-breaker.ts';

/** Looks at a task whose time has come, does what the rule says, and notes it when it still waits for a worker. */
type TickPorts = MovePorts & SchedulePorts & { lanes: Pick<ReturnType<typeof laneWatch>, 'note'> };

export async function tickTask(ports: TickPorts, key: Key): Promise<void> {
  const held = await ports.table.get<Task>(key);
  if (!held) return;
  // Before the task says that it is done: if the process dies in between, it is done again.
  await maintainSchedule(ports, parseTaskAddress(key), held.value);
  const outcome = await moveTask(ports, parseTaskAddress(key), { type: 'tick' }, { held, isCurrent: true });
  if (outcome) ports.lanes.note(key, outcome.row.value);
}

/** Once a minute: looks at every row whose time has come and does what it still needs. */
export type ReconcilePorts = MovePorts & {
  blobs: Blobs;
  log: Log;
  sayEnding: NotifyConnectionEnd;
  scheduler: Scheduler;
};
type Ports = ReconcilePorts & { lanes: ReturnType<typeof laneWatch> };

const ROWS_AT_ONCE = 100;
const MAX_PAGES = 20;

/** What a due row needs, by its kind. Each reads the row again before it acts, as the index may lag. */
const CARE: Record<string, (ports: Ports, key: Key) => Promise<void>> = {
  FILE: expireFile,
  READING: maintainReading,
  TASK: tickTask,
  RUN: tickTask,
  CONNECTION: maintainConnection,
  BREAKER: maintainBreaker,
};

/** Returns the number of rows it moved. A row or shard that fails does not stop the others; a failed shard throws at the end. */
export async function reconcile(input: ReconcilePorts): Promise<number> {
  const ports = { ...input, lanes: laneWatch(input) };
  const rounds = Array.from({ length: DUE_SHARDS }, (_, shard) => reconcileShard(ports, shard));
  await Promise.allSettled(rounds);
  const laneMs = await ports.lanes.write();
  const shards = await Promise.all(rounds);
  const cared = shards.reduce((sum, shard) => sum + shard.cared, 0);
  const lagMs = Math.max(...shards.map((shard) => shard.lagMs));
  input.log.info('what was due is cared for', { cared, lagMs, laneMs });
  return cared;
}

/** Page after page, until one is not full, or nothing of it could be cared for and only the same rows would come again. */
async function reconcileShard(ports: Ports, shard: number): Promise<{ cared: number; lagMs: number }> {
  let all = 0;
  let lagMs = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
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
    if (!care) throw new Error('No handler for this row.');
    await care(ports, key);
    return true;
  } catch (error) {
    ports.log.error('a due row could not be cared for', { key, error });
    return false;
  }
}
