/** Remove: only the version that was read, and true for one caller only. */
import { expect, it } from 'vitest';
import { insertRow, key, type Opened, present, times } from './harness.ts';

export function removeCases(opened: Opened): void {
  it('removes the version that is held, and says so once', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    expect(await table.remove(stored)).toBe(true);
    expect(await table.get(key)).toBeUndefined();
    expect(await table.remove(stored)).toBe(false);
  });

  it('leaves a row alone that was written since', async () => {
    const { table } = opened();
    const stale = await insertRow(table, { ...key, value: 1 });
    const latest = present(await table.replace(stale, { value: 2 }));
    expect(await table.remove(stale)).toBe(false);
    expect(await table.get(key)).toEqual(latest);
  });

  it('answers false where there never was a row', async () => {
    const { table } = opened();
    expect(await table.remove({ ...key, version: 'v' })).toBe(false);
  });

  it('answers false for a row that has expired, as for any absent row', async () => {
    const { table, clock } = opened();
    const stored = await insertRow(table, { ...key, value: 1, expiresAt: clock.now() + 1 });
    clock.pass(1);
    expect(await table.remove(stored)).toBe(false);
  });

  it('leaves the other rows of the partition', async () => {
    const { table } = opened();
    const neighbour = await insertRow(table, { pk: 'P', sk: 'S2', value: 2 });
    await table.remove(await insertRow(table, { ...key, value: 1 }));
    expect(await table.get(neighbour)).toEqual(neighbour);
  });

  it('lets exactly one of 20 racing callers remove the row', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    const answers = await Promise.all(times(20, () => table.remove(stored)));
    expect(answers.filter((removed) => removed)).toHaveLength(1);
  });

  it('lets either the replacing or the removing caller win, not both', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    const [replaced, removed] = await Promise.all([table.replace(stored, { value: 2 }), table.remove(stored)]);
    expect(removed).toBe(replaced === undefined);
    expect((await table.get(key))?.version).toBe(replaced?.version);
  });

  it('recognises its own removal when the reply was lost', async () => {
    const { table, flaky } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    expect(await flaky.remove(stored)).toBe(true);
    expect(await table.get(key)).toBeUndefined();
  });

  it('still answers false for a stale version when replies are lost', async () => {
    const { table, flaky } = opened();
    const stale = await insertRow(table, { ...key, value: 1 });
    await table.replace(stale, { value: 2 });
    expect(await flaky.remove(stale)).toBe(false);
    expect(await table.get(key)).toMatchObject({ value: 2 });
  });
}
