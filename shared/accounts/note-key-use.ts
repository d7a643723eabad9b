/**
 * Notes when a key was last used, at most once an hour for each key and instance. The request waits for it, because a
 * function stands still once it has answered; it never fails by it.
 */
import { lruCache } from '../core/cache.ts';
import type { Log } from '../core/log.ts';
import type { Clock, Table } from '../ports.ts';
import { type LastUse, lastUseKey } from './api-key.ts';

const RECORD_EVERY_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

type KeyUsePorts = { table: Table; clock: Clock; log?: Log | undefined };

export function keyUseRecorder({ table, clock, log }: KeyUsePorts): (id: string) => Promise<void> {
  const noted = lruCache<string, true>({ clock, ttlMs: RECORD_EVERY_MS, max: MAX_REMEMBERED });
  const isNoted = Promise.resolve();

  return (id) => {
    if (noted.get(id)) return isNoted;
    noted.set(id, true);
    return recordUse(table, id, clock.now()).catch((error) => log?.warn('last use of a key not noted', { id, error }));
  };
}

/** A race is lost to somebody who noted the same. */
async function recordUse(table: Table, id: string, at: number): Promise<void> {
  const row = await table.get<LastUse>(lastUseKey(id));
  if (!row) await table.insert<LastUse>({ ...lastUseKey(id), value: { at } });
  else if (row.value.at < at) await table.replace<LastUse>(row, { value: { at } });
}
