/** Due: the keys of one shard whose time has come. An index, so it may lag behind the rows. */
import { expect, it } from 'vitest';
import { DUE_SHARDS, shardOf } from '../../../shared/core/shard.ts';
import type { Key } from '../../../shared/ports.ts';
import { eventually, fill, insertRow, MINUTE, type Opened, present, times } from './harness.ts';

/** This many keys of one shard. */
function keysIn(shard: number, count: number): Key[] {
  const keys: Key[] = [];
  for (let n = 0; keys.length < count; n++) {
    const key = { pk: `P${n}`, sk: 'TASK' };
    if (shardOf(key) === shard) keys.push(key);
  }
  return keys;
}

const SHARD = 3;
const LATER = 4_000_000_000_000;

export function dueCases(opened: Opened): void {
  const due = (before = LATER, limit = 1_000) => opened().table.due(SHARD, before, limit);
  const expectDue = (expected: Key[]) => eventually(async () => expect(await due()).toEqual(expected));
  const plan = (keys: Key[], dueAt: (n: number) => number) =>
    Promise.all(keys.map((key, n) => insertRow(opened().table, { ...key, value: n, dueAt: dueAt(n) })));

  it('leaves out rows that have no due time', async () => {
    const { table } = opened();
    const keys = keysIn(SHARD, 3);
    for (const key of keys) await insertRow(table, { ...key, value: 1 });
    await plan(keysIn(SHARD, 4).slice(3), () => 1);
    await expectDue(keysIn(SHARD, 4).slice(3));
  });

  it('answers the oldest first, by number', async () => {
    const keys = keysIn(SHARD, 5);
    const at = [10, 9, 1_780_000_000_000, 0, 200];
    await plan(keys, (n) => at[n] ?? 0);
    await expectDue([3, 1, 0, 4, 2].map((n) => present(keys[n])));
  });

  it('answers what is due at or before the instant, and nothing later', async () => {
    const keys = keysIn(SHARD, 3);
    await plan(keys, (n) => 1_000 + n);
    await expectDue(keys);
    expect(await due(1_001)).toEqual(keys.slice(0, 2));
    expect(await due(999)).toEqual([]);
  });

  it('answers no more than the limit', async () => {
    const keys = keysIn(SHARD, 6);
    await plan(keys, (n) => n);
    await expectDue(keys);
    expect(await due(LATER, 4)).toEqual(keys.slice(0, 4));
    expect(await due(LATER, 6)).toEqual(keys);
  });

  it('finds every row in the shard of its key and in no other', async () => {
    const { table } = opened();
    const keys = times(64, (n) => ({ pk: `O#${n}`, sk: 'TASK' }));
    await plan(keys, () => 1);
    await eventually(async () => {
      const shards = await Promise.all(times(DUE_SHARDS, (shard) => table.due(shard, LATER, 100)));
      expect(shards.flat()).toHaveLength(64);
      expect(shards.every((shardKeys, shard) => shardKeys.every((key) => shardOf(key) === shard))).toBe(true);
    });
  });

  it('moves a row when its due time moves', async () => {
    const { table } = opened();
    const keys = keysIn(SHARD, 2);
    const [first] = await plan(keys, (n) => 10 + n);
    await table.replace(present(first), { value: 1, dueAt: 100 });
    await expectDue(keys.toReversed());
    expect(await due(99)).toEqual(keys.slice(1));
  });

  it('forgets a row when the next draft leaves its due time out, or it is removed', async () => {
    const { table } = opened();
    const keys = keysIn(SHARD, 3);
    const [a, b] = await plan(keys, (n) => n);
    await table.replace(present(a), { value: 1 });
    await table.remove(present(b));
    await expectDue(keys.slice(2));
  });

  it('finds a row that got its due time later', async () => {
    const { table } = opened();
    const [key] = keysIn(SHARD, 1);
    const stored = await insertRow(table, { ...present(key), value: 1 });
    await table.replace(stored, { value: 1, dueAt: 5 });
    await expectDue([present(key)]);
  });

  it('leaves expired rows out, to the millisecond, and looks behind them up to the limit', async () => {
    const { table, clock } = opened();
    const keys = keysIn(SHARD, 30);
    const expiresAt = clock.now() + MINUTE;
    await Promise.all(
      keys.map((key, n) => insertRow(table, { ...key, value: 1, dueAt: n, ...(n < 25 ? { expiresAt } : {}) })),
    );
    clock.pass(MINUTE - 1);
    await expectDue(keys);
    clock.pass(1);
    expect(await due(LATER, 3)).toEqual(keys.slice(25, 28));
    expect(await due()).toEqual(keys.slice(25));
  });

  it('answers nothing but keys', async () => {
    const { table } = opened();
    const [key] = keysIn(SHARD, 1);
    const listed = { list: 'L', at: 1, id: 'a', state: 's', type: 't', priority: 1 };
    await insertRow(table, { ...present(key), value: 1, dueAt: 5, listed });
    await fill(table, 'P', ['a']);
    await expectDue([present(key)]);
  });
}
