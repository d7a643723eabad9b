import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalTable, sqliteTable } from '../../local/table.ts';
import { systemClock } from '../../shared/core/clock.ts';
import { ids } from '../../shared/core/ids.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';

const KEY = { pk: 'P', sk: 'S' };

let folder: ReturnType<typeof temporaryFolder>;
let table: LocalTable;
let other: LocalTable;

const open = () => sqliteTable({ file: join(folder.path, 'table.db'), clock: systemClock, ids: ids(systemClock) });

beforeEach(() => {
  folder = temporaryFolder();
  table = open();
  other = open();
});

afterEach(() => {
  table.close();
  other.close();
  folder.remove();
});

const value = async (of: LocalTable) => (await of.get(KEY))?.value;

it('sees its own write as soon as that is answered', async () => {
  expect(await value(table)).toBeUndefined();
  const row = await table.insert({ ...KEY, value: 1 });
  expect(await value(table)).toBe(1);
  if (row) await table.remove(row);
  expect(await value(table)).toBeUndefined();
});

it('does not stand in the way of a write that was asked for before', async () => {
  const writing = table.insert({ ...KEY, value: 1 });
  expect(await value(table)).toBeUndefined();
  expect(await writing).toBeDefined();
  expect(await value(table)).toBe(1);
});

it('sees what another process wrote from the next turn on', async () => {
  await value(table);
  await other.insert({ ...KEY, value: 1 });
  await nextTurn();
  expect(await value(table)).toBe(1);
});

it('never holds up a writer of another process', async () => {
  await value(other);
  expect(await table.insert({ ...KEY, value: 1 })).toBeDefined();
});

it('can be closed in the turn it was read in', async () => {
  await value(table);
  table.close();
  await nextTurn();
  table = open();
  expect(await value(table)).toBeUndefined();
});
