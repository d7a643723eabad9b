/** Once a minute: looks at every row whose time has come and does what it still needs. */
import type { Log } from '../core/log.ts';
import { expireFile } from '../files/expire-file.ts';
import { type Blobs, type Clock, DUE_SHARDS, type Key, type Table } from '../ports.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock; log: Log };

const ROWS_AT_ONCE = 100;

/** What a due row needs, by its kind. Each reads the row again before it acts, as the index may lag. */
const CARE: Record<string, (ports: Ports, key: Key) => Promise<void>> = { FILE: expireFile };

/** Answers how many rows it cared for. One row that fails does not hold up the others. */
export async function reconcile(ports: Ports): Promise<number> {
  const counts = await Promise.all(Array.from({ length: DUE_SHARDS }, (_, shard) => reconcileShard(ports, shard)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function reconcileShard(ports: Ports, shard: number): Promise<number> {
  const keys = await ports.table.due(shard, ports.clock.now(), ROWS_AT_ONCE);
  let cared = 0;
  for (const key of keys) {
    try {
      await CARE[key.sk]?.(ports, key);
      cared++;
    } catch (error) {
      ports.log.error('a due row could not be cared for', { key, error });
    }
  }
  return cared;
}
