/** When a key was last used. */

import { lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Clock, Key, Table } from '../ports.ts';

/** Stored in a row of its own, so that recording a use never conflicts with a revocation. */
export type LastUse = { at: number };

export const lastUseKey = (id: string): Key => ({ pk: `K#${id}`, sk: 'USED' });

/**
 * Records when a key was last used, at most once an hour for each key and instance. The request waits for the write, because
 * Lambda freezes a function once it has answered. A failed write does not fail the request.
 */
const RECORD_EVERY_MS = HOUR_MS;
const MAX_REMEMBERED = 10_000;

type KeyUsePorts = { table: Table; clock: Clock; log?: Log | undefined };

export function keyUseRecorder({ table, clock, log }: KeyUsePorts): (id: string) => Promise<void> {
  const recorded = lruCache<string, true>({ clock, ttlMs: RECORD_EVERY_MS, max: MAX_REMEMBERED });
  const alreadyRecorded = Promise.resolve();

  return (id) => {
    if (recorded.get(id)) return alreadyRecorded;
    recorded.set(id, true);
    return recordUse(table, id, clock.now()).catch((error) =>
      log?.warn('the last use of a key was not recorded', { id, error }),
    );
  };
}

/** A lost race needs no retry: the other writer recorded the same. */
async function recordUse(table: Table, id: string, at: number): Promise<void> {
  const row = await table.get<LastUse>(lastUseKey(id));
  if (!row) await table.insert<LastUse>({ ...lastUseKey(id), value: { at } });
  else if (row.value.at < at) await table.replace<LastUse>(row, { value: { at } });
}
