/** Insert: over an absent or expired row, never over an existing one. */
import { expect, it } from 'vitest';
import { insertRow, key, MINUTE, type Opened, times } from './harness.ts';

export function insertCases(opened: Opened): void {
  it('makes a row where there was none', async () => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value: { n: 1 } });
    expect(row).toEqual({ ...key, value: { n: 1 }, version: expect.any(String) });
    expect(await table.get(key)).toEqual(row);
  });

  it('keeps everything that the draft says', async () => {
    const { table, clock } = opened();
    const at = clock.now();
    const listed = { list: 'L', at, id: 'a', state: 'queued', type: 'report', priority: -2, endedAt: at + 1 };
    const row = await insertRow(table, { ...key, value: 1, listed, dueAt: at + 5, expiresAt: at + MINUTE });
    expect(row).toMatchObject({ listed, dueAt: at + 5, expiresAt: at + MINUTE });
    expect(await table.get(key)).toEqual(row);
  });

  it('does nothing over a row that is held', async () => {
    const { table } = opened();
    const first = await insertRow(table, { ...key, value: 'first' });
    expect(await table.insert({ ...key, value: 'second' })).toBeUndefined();
    expect(await table.get(key)).toEqual(first);
  });

  it('does nothing over a row one millisecond before it expires', async () => {
    const { table, clock } = opened();
    await insertRow(table, { ...key, value: 'first', expiresAt: clock.now() + 1_000 });
    clock.pass(999);
    expect(await table.insert({ ...key, value: 'second' })).toBeUndefined();
    expect(await table.get(key)).toMatchObject({ value: 'first' });
  });

  it('takes the place of a row in the millisecond in which it expires', async () => {
    const { table, clock } = opened();
    await insertRow(table, { ...key, value: 'first', dueAt: 1, expiresAt: clock.now() + 1_000 });
    clock.pass(1_000);
    const row = await insertRow(table, { ...key, value: 'second' });
    expect(row).toEqual({ ...key, value: 'second', version: expect.any(String) });
    expect(await table.get(key)).toEqual(row);
  });

  it('creates a row again after it was removed', async () => {
    const { table } = opened();
    await table.remove(await insertRow(table, { ...key, value: 'first' }));
    expect(await table.insert({ ...key, value: 'second' })).toMatchObject({ value: 'second' });
  });

  it('lets exactly one of 50 racing callers make the row', async () => {
    const { table } = opened();
    const tries = await Promise.all(times(50, (n) => table.insert({ ...key, value: n })));
    const winners = tries.filter((row) => row !== undefined);
    expect(winners).toHaveLength(1);
    expect(await table.get(key)).toEqual(winners[0]);
  });

  it('lets exactly one of 50 racing callers take the place of an expired row', async () => {
    const { table, clock } = opened();
    await insertRow(table, { ...key, value: 'old', expiresAt: clock.now() + 1 });
    clock.pass(1);
    const tries = await Promise.all(times(50, (n) => table.insert({ ...key, value: n })));
    expect(tries.filter((row) => row !== undefined)).toHaveLength(1);
  });

  it('gives every row a version of its own, also where the values are equal', async () => {
    const { table } = opened();
    const rows = await Promise.all(times(30, (n) => insertRow(table, { pk: 'P', sk: `${n}`, value: 'same' })));
    expect(new Set(rows.map((row) => row.version)).size).toBe(30);
    expect(rows.every((row) => row.version !== '')).toBe(true);
  });

  it('does not mistake a neighbour for the row: same sk elsewhere, same pk with another sk', async () => {
    const { table } = opened();
    await insertRow(table, { pk: 'P', sk: 'S', value: 1 });
    expect(await table.insert({ pk: 'Q', sk: 'S', value: 2 })).toBeDefined();
    expect(await table.insert({ pk: 'P', sk: 'T', value: 3 })).toBeDefined();
    expect(await table.insert({ pk: 'PS', sk: 'S', value: 4 })).toBeDefined();
    expect(await table.get(key)).toMatchObject({ value: 1 });
  });

  it('recognises its own row when the reply was lost', async () => {
    const { table, flaky } = opened();
    const row = await insertRow(flaky, { ...key, value: 'mine' });
    expect(await table.get(key)).toEqual(row);
  });

  it('is still refused over a held row when replies are lost', async () => {
    const { table, flaky } = opened();
    const first = await insertRow(table, { ...key, value: 'first' });
    expect(await flaky.insert({ ...key, value: 'second' })).toBeUndefined();
    expect(await table.get(key)).toEqual(first);
  });

  it('lets exactly one of 20 racing callers win when every reply is lost once', async () => {
    const { table, flaky } = opened();
    const tries = await Promise.all(times(20, (n) => flaky.insert({ ...key, value: n })));
    const winners = tries.filter((row) => row !== undefined);
    expect(winners).toHaveLength(1);
    expect(await table.get(key)).toEqual(winners[0]);
  });
}
