/** Spend: a bounded counter, exact under concurrent spends. */
import { expect, it } from 'vitest';
import { insertRow, key, MINUTE, type Opened, present, times } from './harness.ts';

export function spendCases(opened: Opened): void {
  const later = () => opened().clock.now() + 60 * MINUTE;
  const spend = (by: Record<string, number>, atMost: Record<string, number> = {}, table = opened().table) =>
    table.spend(key, { by, atMost, expiresAt: later() });
  const value = async () => (await opened().table.get(key))?.value;

  it('begins a counter at nought', async () => {
    expect(await spend({ a: 3 }, { a: 5 })).toEqual({ spent: true, now: { a: 3 } });
    expect(await value()).toEqual({ a: 3 });
  });

  it('adds to what was spent before', async () => {
    await spend({ a: 3 });
    expect(await spend({ a: 2 }, { a: 5 })).toEqual({ spent: true, now: { a: 5 } });
  });

  it('refuses what would go beyond, and changes nothing', async () => {
    await spend({ a: 3 });
    const before = await opened().table.get(key);
    expect(await spend({ a: 3 }, { a: 5 })).toEqual({ spent: false, now: { a: 3 } });
    expect(await opened().table.get(key)).toEqual(before);
    expect(await spend({ a: 2 }, { a: 5 })).toEqual({ spent: true, now: { a: 5 } });
  });

  it('refuses a first amount that is beyond, and makes no row', async () => {
    expect(await spend({ a: 6 }, { a: 5 })).toEqual({ spent: false, now: {} });
    expect(await spend({ a: 1 }, { a: 0 })).toEqual({ spent: false, now: {} });
    expect(await opened().table.get(key)).toBeUndefined();
  });

  it('lets the last of the limit go, and then not one more', async () => {
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push((await spend({ a: 1 }, { a: 3 })).spent);
    expect(answers).toEqual([true, true, true, false]);
  });

  it('spends several names at once or none of them', async () => {
    await spend({ minute: 9, hour: 50 });
    const atMost = { minute: 10, hour: 100 };
    expect(await spend({ minute: 2, hour: 2 }, atMost)).toEqual({ spent: false, now: { minute: 9, hour: 50 } });
    expect(await spend({ minute: 1, hour: 1 }, atMost)).toEqual({ spent: true, now: { minute: 10, hour: 51 } });
    expect(await value()).toEqual({ minute: 10, hour: 51 });
  });

  it('refuses for one new name that is beyond, though the others fit', async () => {
    await spend({ a: 1 });
    expect(await spend({ a: 1, b: 6 }, { a: 5, b: 5 })).toEqual({ spent: false, now: { a: 1 } });
    expect(await value()).toEqual({ a: 1 });
  });

  it('keeps the names that are not passed, and returns them', async () => {
    await spend({ a: 1, b: 2 });
    expect(await spend({ c: 4 })).toEqual({ spent: true, now: { a: 1, b: 2, c: 4 } });
    expect(await spend({ c: 1 }, { c: 4 })).toEqual({ spent: false, now: { a: 1, b: 2, c: 4 } });
  });

  it('never refuses a name without a bound', async () => {
    await spend({ a: 1 }, { a: 1 });
    expect(await spend({ a: 1_000_000 })).toEqual({ spent: true, now: { a: 1_000_001 } });
  });

  it('minds a bound also on a name that is not added to', async () => {
    await spend({ running: 2 });
    expect(await spend({ total: 1 }, { running: 1 })).toEqual({ spent: false, now: { running: 2 } });
    expect(await spend({ total: 1 }, { running: 2 })).toEqual({ spent: true, now: { running: 2, total: 1 } });
    expect(await spend({ total: 1 }, { never: 0 })).toMatchObject({ spent: true });
  });

  it('gives back with a negative amount, below zero if allowed', async () => {
    await spend({ a: 5 }, { a: 5 });
    expect(await spend({ a: -2 })).toEqual({ spent: true, now: { a: 3 } });
    expect(await spend({ a: 2 }, { a: 5 })).toEqual({ spent: true, now: { a: 5 } });
    expect(await spend({ a: -9 }, { a: 0 })).toEqual({ spent: true, now: { a: -4 } });
    expect(await spend({ a: 4 }, { a: 0 })).toEqual({ spent: true, now: { a: 0 } });
  });

  it('judges a bound below nought', async () => {
    expect(await spend({ a: -1 }, { a: -2 })).toEqual({ spent: false, now: {} });
    expect(await spend({ a: -2 }, { a: -2 })).toEqual({ spent: true, now: { a: -2 } });
    expect(await spend({ a: 1 }, { a: -2 })).toEqual({ spent: false, now: { a: -2 } });
  });

  it('counts under any name, also those that every object inherits', async () => {
    const by = {
      'GET /api/v1/tasks/{id}': 1,
      '': 2,
      constructor: 3,
      toString: 4,
      'a.b': 5,
      '😀': 6,
      v: 7,
      d: 8,
      pk: 9,
    };
    expect(await spend(by, { constructor: 3, toString: 4 })).toEqual({ spent: true, now: by });
    expect(await spend({ v: 1 }, { constructor: 2 })).toMatchObject({ spent: false });
    expect(await value()).toEqual(by);
  });

  it('keeps the counters of different keys apart', async () => {
    const { table } = opened();
    await spend({ a: 1 });
    const otherResult = await table.spend(
      { pk: 'P', sk: 'S2' },
      { by: { a: 1 }, atMost: { a: 1 }, expiresAt: later() },
    );
    expect(otherResult).toEqual({ spent: true, now: { a: 1 } });
  });

  it('spends a limit of 20 exactly when 50 callers come at once', async () => {
    const answers = await Promise.all(times(50, () => spend({ a: 1, all: 1 }, { a: 20 })));
    const spent = answers.filter((answer) => answer.spent);
    expect(spent).toHaveLength(20);
    expect(spent.map((answer) => answer.now.a).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(times(20, (n) => n + 1));
    expect(answers.filter((answer) => !answer.spent).every((answer) => answer.now.a === 20)).toBe(true);
    expect(await value()).toEqual({ a: 20, all: 20 });
  });

  it('gives a counter row a fresh version with every spend, and keeps it when it refuses', async () => {
    const { table } = opened();
    await spend({ a: 1 });
    const first = present(await table.get(key));
    await spend({ a: 1 }, { a: 1 });
    expect((await table.get(key))?.version).toBe(first.version);
    await spend({ a: 0 });
    expect((await table.get(key))?.version).not.toBe(first.version);
    expect(await table.remove(first)).toBe(false);
    expect(await table.remove(present(await table.get(key)))).toBe(true);
    expect(await spend({ a: 1 })).toEqual({ spent: true, now: { a: 1 } });
  });

  it('refuses to count on a plain row, and leaves it as it is', async () => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value: { a: 1 } });
    await expect(spend({ a: 1 })).rejects.toThrow();
    await expect(spend({ a: 9 }, { a: 1 })).rejects.toThrow();
    expect(await table.get(key)).toEqual(row);
  });

  it('holds its key against an insert', async () => {
    await spend({ a: 1 });
    expect(await opened().table.insert({ ...key, value: 1 })).toBeUndefined();
    expect(await value()).toEqual({ a: 1 });
  });

  it('is found by getMany and rows as any row is', async () => {
    const { table } = opened();
    await spend({ a: 1 });
    const row = present(await table.get(key));
    expect(await table.getMany([key])).toEqual([row]);
    expect(await table.rows('P', 'S', { limit: 1 })).toEqual({ rows: [row] });
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses an amount of %d', async (amount) => {
    await expect(spend({ a: amount })).rejects.toThrow(RangeError);
    expect(await value()).toBeUndefined();
  });

  it('spends up to 20 names at once and refuses 21', async () => {
    const names = (count: number) => Object.fromEntries(times(count, (n) => [`name-${n}`, n]));
    expect(await spend(names(20), names(20))).toEqual({ spent: true, now: names(20) });
    await expect(spend(names(21))).rejects.toThrow(RangeError);
  });

  it('spends nothing at all, and still minds the bounds', async () => {
    await spend({ a: 2 });
    expect(await spend({})).toEqual({ spent: true, now: { a: 2 } });
    expect(await spend({}, { a: 1 })).toEqual({ spent: false, now: { a: 2 } });
  });

  it('counts once when the reply was lost', async () => {
    const { flaky } = opened();
    expect(await spend({ a: 3 }, { a: 3 }, flaky)).toEqual({ spent: true, now: { a: 3 } });
    expect(await spend({ a: -1 }, {}, flaky)).toEqual({ spent: true, now: { a: 2 } });
    expect(await value()).toEqual({ a: 2 });
  });

  it('still refuses what would go beyond when replies are lost', async () => {
    await spend({ a: 3 });
    expect(await spend({ a: 1 }, { a: 3 }, opened().flaky)).toEqual({ spent: false, now: { a: 3 } });
  });
}
