import { describe, expect, it } from 'vitest';
import { updateRow } from '../../../shared/core/table-access.ts';
import type { Table } from '../../../shared/ports.ts';
import { countReads, useAccounts } from '../accounts/setup.ts';

const KEY = { pk: 'COUNTER', sk: 'ROW' };
const state = useAccounts();

const add = (table: Table) => updateRow<number>(table, KEY, (row) => ({ write: { value: (row?.value ?? 0) + 1 } }));
const valueIn = async (table: Table) => (await table.get<number>(KEY))?.value;

describe('an optimistic update', () => {
  it('inserts a missing row, then replaces it', async () => {
    const { table } = state();
    expect(await add(table)).toMatchObject({ written: { value: 1 } });
    expect(await add(table)).toMatchObject({ written: { value: 2 } });
  });

  it('loses no update among concurrent writers', async () => {
    const { table } = state();
    await Promise.all(Array.from({ length: 8 }, () => add(table)));
    expect(await valueIn(table)).toBe(8);
  });

  it('writes nothing when the change stops', async () => {
    const { table } = state();
    expect(await updateRow(table, KEY, () => ({ stop: 'no' }))).toEqual({ stopped: 'no' });
    expect(await valueIn(table)).toBeUndefined();
  });

  it('reports contention after its tries, and overwrites no other change', async () => {
    const { table } = state();
    const updated = await updateRow<number>(
      table,
      KEY,
      async () => {
        await add(table);
        return { write: { value: -1 } };
      },
      { maxTries: 3 },
    );
    expect(updated).toEqual({ contended: true });
    expect(await valueIn(table)).toBe(3);
  });
});

describe('a known row', () => {
  it('saves the first read', async () => {
    const table = countReads(state().table);
    const known = await table.insert({ ...KEY, value: 1 });
    await updateRow<number>(table, KEY, (row) => ({ write: { value: (row?.value ?? 0) + 1 } }), { cachedRow: known });
    expect(table.reads).toEqual([]);
    expect(await valueIn(table)).toBe(2);
  });

  it('stops the update only after a fresh read, unless the row is fresh itself', async () => {
    const { table } = state();
    const known = await table.insert({ ...KEY, value: 1 });
    await add(table);
    const stopAtOne = () =>
      updateRow<number, 'one'>(table, KEY, (row) => (row?.value === 1 ? { stop: 'one' } : { write: { value: 9 } }), {
        cachedRow: known,
      });
    expect(await stopAtOne()).toMatchObject({ written: { value: 9 } });
    const trusting = await updateRow<number, 'one'>(
      table,
      KEY,
      (row) => (row?.value === 1 ? { stop: 'one' } : { write: { value: 10 } }),
      { cachedRow: known, isCurrent: true },
    );
    expect(trusting).toEqual({ stopped: 'one' });
  });
});
