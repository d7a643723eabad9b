/** Get and getMany: the latest version, no expired rows, in the requested order. */
import { expect, it } from 'vitest';
import { fill, insertRow, key, type Opened, present, times } from './harness.ts';

export function readCases(opened: Opened): void {
  it('answers undefined where there is no row', async () => {
    const { table } = opened();
    expect(await table.get(key)).toBeUndefined();
  });

  it('sees every write at once', async () => {
    const { table } = opened();
    let stored = await insertRow(table, { ...key, value: 0 });
    for (let n = 1; n <= 20; n++) {
      stored = present(await table.replace(stored, { value: n }));
      expect((await table.get(key))?.value).toBe(n);
    }
    await table.remove(stored);
    expect(await table.get(key)).toBeUndefined();
  });

  it('knows, of what may lag, nothing that never was', async () => {
    const { table, clock } = opened();
    expect(await table.get(key, { consistency: 'eventual' })).toBeUndefined();
    const row = await insertRow(table, { ...key, value: 1, expiresAt: clock.now() + 1_000 });
    expect([row, undefined]).toContainEqual(await table.get(key, { consistency: 'eventual' }));
    clock.pass(1_000);
    expect(await table.get(key, { consistency: 'eventual' })).toBeUndefined();
  });

  it('shows a row until the very millisecond in which it expires', async () => {
    const { table, clock } = opened();
    await insertRow(table, { ...key, value: 1, expiresAt: clock.now() + 1_000 });
    clock.pass(999);
    expect(await table.get(key)).toBeDefined();
    expect(await table.getMany([key])).toEqual([expect.objectContaining({ value: 1 })]);
    clock.pass(1);
    expect(await table.get(key)).toBeUndefined();
    expect(await table.getMany([key])).toEqual([undefined]);
  });

  it('answers many in the order asked, with gaps where there is no row', async () => {
    const { table } = opened();
    await fill(table, 'P', ['a', 'b', 'c']);
    await fill(table, 'Q', ['a']);
    const rows = await table.getMany<string>([
      { pk: 'P', sk: 'c' },
      { pk: 'P', sk: 'none' },
      { pk: 'Q', sk: 'a' },
      { pk: 'P', sk: 'a' },
    ]);
    expect(rows.map((row) => row && [row.pk, row.value])).toEqual([['P', 'c'], undefined, ['Q', 'a'], ['P', 'a']]);
  });

  it('answers a key that is asked twice in both places', async () => {
    const { table } = opened();
    const row = await insertRow(table, { ...key, value: 1 });
    const none = { pk: 'P', sk: 'none' };
    expect(await table.getMany([key, none, key, none])).toEqual([row, undefined, row, undefined]);
  });

  it('does not mix up keys whose parts run together', async () => {
    const { table } = opened();
    await insertRow(table, { pk: 'A', sk: 'B#C', value: 1 });
    await insertRow(table, { pk: 'A#B', sk: 'C', value: 2 });
    const rows = await table.getMany([
      { pk: 'A#B', sk: 'C' },
      { pk: 'A', sk: 'B#C' },
    ]);
    expect(rows.map((row) => row?.value)).toEqual([2, 1]);
  });

  it('answers many of no keys with nothing', async () => {
    const { table } = opened();
    expect(await table.getMany([])).toEqual([]);
  });

  it('answers 100 keys and refuses 101', async () => {
    const { table } = opened();
    const rows = await fill(
      table,
      'P',
      times(100, (n) => `${n}`),
    );
    expect(await table.getMany(rows)).toEqual(rows);
    await expect(table.getMany([...rows, key])).rejects.toThrow(RangeError);
  });

  it('sees, in many, every write at once', async () => {
    const { table } = opened();
    const rows = await fill(
      table,
      'P',
      times(10, (n) => `${n}`),
    );
    const next = await Promise.all(rows.map((row) => table.replace(row, { value: 'next' })));
    expect(await table.getMany(rows)).toEqual(next);
  });

  it('answers copies: changing what was read, or what was written, changes nothing stored', async () => {
    const { table } = opened();
    const draft = { ...key, value: { list: [1] } };
    await insertRow(table, draft);
    draft.value.list.push(2);
    const [one, two] = await table.getMany<{ list: number[] }>([key, key]);
    one?.value.list.push(3);
    (await table.get<{ list: number[] }>(key))?.value.list.push(4);
    expect(two?.value).toEqual({ list: [1] });
    expect((await table.get(key))?.value).toEqual({ list: [1] });
  });
}
