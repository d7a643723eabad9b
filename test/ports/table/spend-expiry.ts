/** Spend and time: a counter lasts until the expiry of its first spend, then starts from 0. */
import { expect, it } from 'vitest';
import { insertRow, key, MINUTE, type Opened, times } from './harness.ts';

export function spendExpiryCases(opened: Opened): void {
  const spend = (by: number, expiresAt: number, table = opened().table) =>
    table.spend(key, { by: { a: by }, atMost: { a: 20 }, expiresAt });

  it('keeps the expiry of its first spend', async () => {
    const { table, clock } = opened();
    const expiresAt = clock.now() + MINUTE;
    await spend(1, expiresAt);
    await spend(1, expiresAt + 5 * MINUTE);
    expect(await table.get(key)).toMatchObject({ value: { a: 2 }, expiresAt });
    clock.pass(MINUTE);
    expect(await table.get(key)).toBeUndefined();
  });

  it('counts on until the very millisecond in which it expires, then starts again', async () => {
    const { table, clock } = opened();
    const start = clock.now();
    await spend(20, start + MINUTE);
    clock.pass(MINUTE - 1);
    expect(await spend(1, start + 2 * MINUTE)).toEqual({ spent: false, now: { a: 20 } });
    clock.pass(1);
    expect(await spend(1, start + 2 * MINUTE)).toEqual({ spent: true, now: { a: 1 } });
    expect(await table.get(key)).toMatchObject({ value: { a: 1 }, expiresAt: start + 2 * MINUTE });
  });

  it('forgets every name of an expired counter, and refuses a first amount that is beyond', async () => {
    const { table, clock } = opened();
    const expiresAt = clock.now() + MINUTE;
    await table.spend(key, { by: { a: 1, b: 2 }, atMost: {}, expiresAt });
    clock.pass(MINUTE);
    expect(await spend(21, clock.now() + MINUTE)).toEqual({ spent: false, now: {} });
    expect(await table.get(key)).toBeUndefined();
    expect(await spend(3, clock.now() + MINUTE)).toEqual({ spent: true, now: { a: 3 } });
    expect(await table.get(key)).toMatchObject({ value: { a: 3 } });
  });

  it('restarts an expired counter once, when 50 callers come at once', async () => {
    const { table, clock } = opened();
    await spend(7, clock.now() + MINUTE);
    clock.pass(MINUTE);
    const answers = await Promise.all(times(50, () => spend(1, clock.now() + MINUTE)));
    expect(answers.filter((answer) => answer.spent)).toHaveLength(20);
    expect(await table.get(key)).toMatchObject({ value: { a: 20 } });
  });

  it('takes the place of a plain row that has expired', async () => {
    const { table, clock } = opened();
    await insertRow(table, { ...key, value: { a: 19 }, dueAt: 1, expiresAt: clock.now() + 1 });
    clock.pass(1);
    expect(await spend(5, clock.now() + MINUTE)).toEqual({ spent: true, now: { a: 5 } });
    const row = await table.get(key);
    expect(row).toMatchObject({ value: { a: 5 } });
    expect(row).not.toHaveProperty('dueAt');
  });

  it('gives its place to a plain row when it has expired', async () => {
    const { table, clock } = opened();
    await spend(5, clock.now() + 1);
    clock.pass(1);
    const row = await insertRow(table, { ...key, value: 'plain' });
    expect(await table.get(key)).toEqual(row);
    await expect(spend(1, clock.now() + 1)).rejects.toThrow();
  });

  it('becomes a plain row when it is replaced', async () => {
    const { table, clock } = opened();
    await spend(5, clock.now() + MINUTE);
    const stored = await table.get(key);
    const row = stored && (await table.replace(stored, { value: 'plain' }));
    expect(row).toBeDefined();
    expect(await table.get(key)).toEqual(row);
  });

  it('counts once when the reply to the first spend after its expiry was lost', async () => {
    const { table, flaky, clock } = opened();
    await spend(7, clock.now() + MINUTE);
    clock.pass(MINUTE);
    expect(await spend(2, clock.now() + MINUTE, flaky)).toEqual({ spent: true, now: { a: 2 } });
    expect(await table.get(key)).toMatchObject({ value: { a: 2 } });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])('refuses an expiry of %d', async (expiresAt) => {
    await expect(spend(1, expiresAt)).rejects.toThrow(RangeError);
  });
}
