/** Replace: only over the version that was read. */
import { expect, it } from 'vitest';
import { insertRow, key, MINUTE, type Opened, present, times } from './harness.ts';

export function replaceCases(opened: Opened): void {
  it('puts the next value over the version that was read', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    const next = present(await table.replace(stored, { value: 2 }));
    expect(next).toEqual({ ...key, value: 2, version: expect.any(String) });
    expect(await table.get(key)).toEqual(next);
  });

  it('needs no more of the row than its key and version', async () => {
    const { table } = opened();
    const { version } = await insertRow(table, { ...key, value: 1 });
    expect(await table.replace({ ...key, version }, { value: 2 })).toMatchObject({ value: 2 });
  });

  it('gives a fresh version also when the value is the same', async () => {
    const { table } = opened();
    const versions = new Set<string>();
    let stored = await insertRow(table, { ...key, value: 'same' });
    for (let n = 0; n < 10; n++) {
      versions.add(stored.version);
      stored = present(await table.replace(stored, { value: 'same' }));
    }
    expect(versions.add(stored.version).size).toBe(11);
  });

  it('does nothing over a version that is no longer the latest', async () => {
    const { table } = opened();
    const stale = await insertRow(table, { ...key, value: 1 });
    const latest = present(await table.replace(stale, { value: 2 }));
    expect(await table.replace(stale, { value: 3 })).toBeUndefined();
    expect(await table.replace(stale, { value: 3, dueAt: 5 })).toBeUndefined();
    expect(await table.get(key)).toEqual(latest);
  });

  it('does nothing over a version that never was', async () => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value: 1 });
    expect(await table.replace({ ...key, version: '' }, { value: 2 })).toBeUndefined();
    expect(await table.replace({ ...key, version: `${row.version} ` }, { value: 2 })).toBeUndefined();
    expect(await table.get(key)).toEqual(row);
  });

  it('does not bring back a row that was removed', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    await table.remove(stored);
    expect(await table.replace(stored, { value: 2 })).toBeUndefined();
    expect(await table.get(key)).toBeUndefined();
  });

  it('does not bring back a row that has expired', async () => {
    const { table, clock } = opened();
    const stored = await insertRow(table, { ...key, value: 1, expiresAt: clock.now() + MINUTE });
    const { expiresAt = 0 } = stored;
    clock.pass(MINUTE);
    const longer = { value: 2, expiresAt: expiresAt + MINUTE };
    for (const next of [{ value: 2 }, { value: 2, expiresAt }, { value: 2, expiresAt, dueAt: 5 }, longer]) {
      expect(await table.replace(stored, next)).toBeUndefined();
    }
    expect(await table.get(key)).toBeUndefined();
  });

  it('still replaces a row one millisecond before it expires', async () => {
    const { table, clock } = opened();
    const stored = await insertRow(table, { ...key, value: 1, expiresAt: clock.now() + MINUTE });
    clock.pass(MINUTE - 1);
    expect(await table.replace(stored, { value: 2, expiresAt: clock.now() + MINUTE })).toBeDefined();
    clock.pass(1);
    expect(await table.get(key)).toMatchObject({ value: 2 });
  });

  it('never matches an old version after the row was removed and created again', async () => {
    const { table } = opened();
    const frozen = await insertRow(table, { ...key, value: 'same' });
    await table.remove(frozen);
    const second = await insertRow(table, { ...key, value: 'same' });
    expect(await table.replace(frozen, { value: 'stolen' })).toBeUndefined();
    expect(await table.remove(frozen)).toBe(false);
    expect(await table.get(key)).toEqual(second);
  });

  it('never matches an old version after the row expired and was created again', async () => {
    const { table, clock } = opened();
    const frozen = await insertRow(table, { ...key, value: 'same', expiresAt: clock.now() + 1 });
    clock.pass(1);
    const second = await insertRow(table, { ...key, value: 'same' });
    expect(await table.replace(frozen, { value: 'stolen' })).toBeUndefined();
    expect(await table.get(key)).toEqual(second);
  });

  it('drops the place in the list, the due time and the expiry that the next draft leaves out', async () => {
    const { table, clock } = opened();
    const now = clock.now();
    const listed = { list: 'L', at: now, id: 'a', state: 's', type: 't', priority: 1, endedAt: now };
    const stored = await insertRow(table, { ...key, value: 1, listed, dueAt: now, expiresAt: now + MINUTE });
    const next = present(await table.replace(stored, { value: 2 }));
    expect(next).toEqual({ ...key, value: 2, version: next.version });
    clock.pass(MINUTE);
    expect(await table.get(key)).toEqual(next);
  });

  it('drops endedAt when the next place in the list has none', async () => {
    const { table } = opened();
    const listed = { list: 'L', at: 1, id: 'a', state: 's', type: 't', priority: 1 };
    const stored = await insertRow(table, { ...key, value: 1, listed: { ...listed, endedAt: 2 } });
    await table.replace(stored, { value: 1, listed });
    expect((await table.get(key))?.listed).toEqual(listed);
  });

  it('gives an expiry to a row that had none', async () => {
    const { table, clock } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    await table.replace(stored, { value: 1, expiresAt: clock.now() + 1 });
    clock.pass(1);
    expect(await table.get(key)).toBeUndefined();
  });

  it('lets exactly one of 50 racing callers win', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: -1 });
    const tries = await Promise.all(times(50, (n) => table.replace(stored, { value: n })));
    const winners = tries.filter((row) => row !== undefined);
    expect(winners).toHaveLength(1);
    expect(await table.get(key)).toEqual(winners[0]);
  });

  it('loses no addition of 8 callers who read, replace, and try again when they lost', async () => {
    const { table } = opened();
    await insertRow(table, { ...key, value: 0 });
    const addOne = async () => {
      for (;;) {
        const stored = present(await table.get<number>(key));
        if (await table.replace(stored, { value: stored.value + 1 })) return;
      }
    };
    await Promise.all(
      times(8, async () => {
        for (let n = 0; n < 5; n++) await addOne();
      }),
    );
    expect(await table.get(key)).toMatchObject({ value: 40 });
  });

  it('recognises its own write when the reply was lost', async () => {
    const { table, flaky } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    const next = present(await flaky.replace(stored, { value: 2 }));
    expect(await table.get(key)).toEqual(next);
  });

  it('still loses to an earlier write when replies are lost', async () => {
    const { table, flaky } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    const earlier = present(await table.replace(stored, { value: 2 }));
    expect(await flaky.replace(stored, { value: 3 })).toBeUndefined();
    expect(await table.get(key)).toEqual(earlier);
  });

  it('lets exactly one of 20 racing callers win when every reply is lost once', async () => {
    const { table, flaky } = opened();
    const stored = await insertRow(table, { ...key, value: -1 });
    const tries = await Promise.all(times(20, (n) => flaky.replace(stored, { value: n })));
    const winners = tries.filter((row) => row !== undefined);
    expect(winners).toHaveLength(1);
    expect(await table.get(key)).toEqual(winners[0]);
  });
}
