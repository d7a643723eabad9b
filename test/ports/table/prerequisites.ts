/** Prerequisites: rows that are written before the row that refers to them, so that its readers always find them. */
import { expect, it } from 'vitest';
import { insertRow, key, type Opened, times } from './harness.ts';

const prerequisites = (...names: string[]) => names.map((sk) => ({ ...key, sk, value: sk }));

export function prerequisiteCases(opened: Opened): void {
  it('are there with the row that is inserted', async () => {
    const { table } = opened();
    expect(await table.insert({ ...key, value: 1 }, prerequisites('a', 'b'))).toMatchObject({ value: 1 });
    const rows = await table.getMany([key, { ...key, sk: 'a' }, { ...key, sk: 'b' }]);
    expect(rows.map((row) => row?.value)).toEqual([1, 'a', 'b']);
  });

  it('are there with the row that is replaced', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    expect(await table.replace(stored, { value: 2 }, { prerequisites: prerequisites('a') })).toMatchObject({
      value: 2,
    });
    expect(await table.get({ ...key, sk: 'a' })).toMatchObject({ value: 'a' });
  });

  it('stay as they were when they are there already, and hinder nothing', async () => {
    const { table } = opened();
    const existing = await insertRow(table, { ...key, sk: 'a', value: 'kept' });
    expect(await table.insert({ ...key, value: 1 }, prerequisites('a'))).toMatchObject({ value: 1 });
    expect(await table.get(existing)).toEqual(existing);
  });

  it('change nothing of a row that is held, nor of one that was changed since it was read', async () => {
    const { table } = opened();
    const stored = await insertRow(table, { ...key, value: 1 });
    expect(await table.insert({ ...key, value: 2 }, prerequisites('a'))).toBeUndefined();
    await table.replace(stored, { value: 3 });
    expect(await table.replace(stored, { value: 4 }, { prerequisites: prerequisites('b') })).toBeUndefined();
    expect(await table.get(key)).toMatchObject({ value: 3 });
  });

  it('leave the row out when one of them is too large', async () => {
    const { table } = opened();
    const tooLarge = [...prerequisites('a'), { ...key, sk: 'b', value: 'x'.repeat(500_000) }];
    await expect(table.insert({ ...key, value: 1 }, tooLarge)).rejects.toThrow();
    const stored = await insertRow(table, { ...key, value: 1 });
    await expect(table.replace(stored, { value: 2 }, { prerequisites: tooLarge })).rejects.toThrow();
    expect(await table.get(key)).toEqual(stored);
  });

  it('are found by everybody who finds the row', async () => {
    const { table } = opened();
    await Promise.all(
      times(20, async (at) => {
        const pairKey = { ...key, pk: `${key.pk}#${at}` };
        const inserting = table.insert({ ...pairKey, value: at }, [{ ...pairKey, sk: 'a', value: at }]);
        while (!(await table.get(pairKey))) await new Promise((resolve) => setImmediate(resolve));
        expect(await table.get({ ...pairKey, sk: 'a' })).toMatchObject({ value: at });
        await inserting;
      }),
    );
  });
}
