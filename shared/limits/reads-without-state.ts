/**
 * Counts reads in memory while the state cannot be written, as on a full disk. It is for a product of one process: there the
 * limits hold all the same.
 */
import { lruCache } from '../core/cache.ts';
import type { Clock, Counts, Table } from '../ports.ts';
import { countersOf, type Limit, type LimitResult, rateKey, windowsOf } from './rate-limit.ts';

const MAX_COUNTERS = 10_000;

export function readLimiter({ table, clock }: { table: Table; clock: Clock }) {
  const unwritten = lruCache<string, Counts>({ max: MAX_COUNTERS });

  return async function countRead(organization: string, limit: Limit): Promise<LimitResult> {
    const now = Math.floor(clock.now() / 1_000);
    const key = rateKey(organization, limit, now);
    const written = (await table.get<Counts>(key))?.value ?? {};
    const id = `${key.pk} ${key.sk}`;
    const counted = unwritten.get(id) ?? {};
    const maxima = Object.entries(countersOf(limit, now));
    const sumOf = (name: string) => (written[name] ?? 0) + (counted[name] ?? 0);
    const allowed = maxima.every(([name, max]) => sumOf(name) < max);
    if (allowed) for (const [name] of maxima) counted[name] = (counted[name] ?? 0) + 1;
    unwritten.set(id, counted);
    const sums = Object.fromEntries(maxima.map(([name]) => [name, sumOf(name)]));
    return { allowed, windows: windowsOf(limit, now, sums, 0) };
  };
}
