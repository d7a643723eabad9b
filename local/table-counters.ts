/** Bounded counters on SQLite: read, judged and written inside one transaction. */
import type { Counts, Key, Spend } from '../shared/ports.ts';
import { columnsOf } from './table-rows.ts';
import type { Statements } from './table-statements.ts';

type Change = { key: Key; spend: Spend; version: string; now: number };

const COUNTER = 2; // the place of `counter` among the columns

export function spendOn(sql: Statements, { key, spend, version, now }: Change) {
  const found = sql.counter.get(key.pk, key.sk, now);
  if (found && found.counter !== 1) throw new Error(`${key.pk} / ${key.sk} is a row, not a counter.`);
  const counts: Counts = found ? (JSON.parse(found.value as string) as Counts) : {};

  const sums = new Map(Object.entries(counts));
  for (const [name, amount] of Object.entries(spend.by)) sums.set(name, (sums.get(name) ?? 0) + amount);
  const within = Object.entries(spend.atMost).every(([name, most]) => (sums.get(name) ?? 0) <= most);
  if (!within) return { spent: false, now: counts };
  const after: Counts = Object.fromEntries(sums);

  const text = JSON.stringify(after);
  if (found) {
    // The expiry of the first spend stays: a counter's life ends when its window does.
    sql.count.run(version, text, key.pk, key.sk, found.version as string, now);
    return { spent: true, now: after };
  }
  const columns = columnsOf(key, version, text, spend);
  columns[COUNTER] = 1;
  sql.insert.run(key.pk, key.sk, ...columns, now);
  return { spent: true, now: after };
}
