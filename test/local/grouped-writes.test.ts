import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { groupedWrites } from '../../local/grouped-writes.ts';

const NORMAL = 1;
const FULL = 2;

function opened() {
  const db = new DatabaseSync(':memory:');
  db.exec('PRAGMA synchronous = FULL');
  const { write } = groupedWrites(db);
  const seen = () => Object.values(db.prepare('PRAGMA synchronous').get() ?? {})[0];
  return { write, seen };
}

test('does not wait for the disk for what may fade', async () => {
  const { write, seen } = opened();
  expect(await write(seen, true)).toBe(NORMAL);
});

test('waits for the disk when one of a group must last, whichever comes first', async () => {
  const { write, seen } = opened();
  expect(await Promise.all([write(seen, true), write(seen)])).toEqual([FULL, FULL]);
  expect(await Promise.all([write(seen), write(seen, true)])).toEqual([FULL, FULL]);
});

test('waits for the disk again after a group that did not', async () => {
  const { write, seen } = opened();
  await write(seen, true);
  expect(await write(seen)).toBe(FULL);
});
