import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { groupedWrites } from '../../../adapters/local/group-commit.ts';
import type { Durability } from '../../../shared/ports.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A file system double that completes a sync when the test says so. */
function open() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE done (what TEXT)');
  const syncs: PromiseWithResolvers<void>[] = [];
  let closed = 0;
  const writes = groupedWrites(db, {
    sync() {
      const asked = Promise.withResolvers<void>();
      syncs.push(asked);
      return asked.promise;
    },
    close: () => void closed++,
  });
  const said: string[] = [];
  const write = (what: string, durability: Durability = 'full') =>
    writes
      .write(() => db.prepare('INSERT INTO done VALUES (?)').run(what), durability)
      .then(
        () => void said.push(what),
        () => void said.push(`not ${what}`),
      );
  const done = () =>
    db
      .prepare('SELECT what FROM done')
      .all()
      .map(({ what }) => what);
  return {
    write,
    writes,
    done,
    said,
    syncs,
    closed: () => closed,
    turns: async () => {
      for (let n = 0; n < 3; n++) await nextTurn();
    },
  };
}

test('answers a write once it is on disk, and not before', async () => {
  const { write, done, said, syncs, turns } = open();
  void write('a');
  await turns();
  expect([done(), said]).toEqual([['a'], []]);
  syncs[0]?.resolve();
  await turns();
  expect(said).toEqual(['a']);
});

test('does not wait for the disk with relaxed durability, even next to a durable write', async () => {
  const { write, said, syncs, turns } = open();
  void write('lasting');
  void write('fading', 'relaxed');
  await turns();
  expect(said).toEqual(['fading']);
  void write('another', 'relaxed');
  await turns();
  expect([said, syncs.length]).toEqual([['fading', 'another'], 1]);
});

test('collects writes that arrive during a sync into the next group', async () => {
  const { write, done, said, syncs, turns } = open();
  void write('a');
  await turns();
  void write('b');
  await turns();
  void write('c');
  await turns();
  expect(done()).toEqual(['a']);
  syncs[0]?.resolve();
  await turns();
  expect([done(), said, syncs.length]).toEqual([['a', 'b', 'c'], ['a'], 2]);
  syncs[1]?.resolve();
  await turns();
  expect(said).toEqual(['a', 'b', 'c']);
});

test('acknowledges nothing that the disk refused, and continues', async () => {
  const { write, said, syncs, turns } = open();
  void write('a');
  await turns();
  syncs[0]?.reject(new Error('the disk is gone'));
  await turns();
  void write('b');
  await turns();
  syncs[1]?.resolve();
  await turns();
  expect(said).toEqual(['not a', 'b']);
});

test('lets a reader wait until the data it read is durable', async () => {
  const { write, writes, syncs, turns } = open();
  expect(writes.settled()).toBeUndefined();
  void write('a');
  await turns();
  const settled = writes.settled();
  expect(settled).toBeInstanceOf(Promise);
  syncs[0]?.resolve();
  await settled;
  expect(writes.settled()).toBeUndefined();
});

test('writes and syncs everything before it closes', async () => {
  const { write, writes, done, said, syncs, closed, turns } = open();
  void write('under way');
  await turns();
  void write('waiting');
  writes.close();
  expect([done(), closed()]).toEqual([['under way', 'waiting'], 1]);
  syncs[0]?.resolve();
  await turns();
  expect(said).toEqual(['waiting', 'under way']);
});

const AT_ONCE = { sync: async () => undefined, close: () => undefined };

/** Two connections to one file; the second one can hold its lock. */
function openShared() {
  const folder = temporaryFolder();
  const file = join(folder.path, 'shared.db');
  const [db, other] = [new DatabaseSync(file, { timeout: 0 }), new DatabaseSync(file)];
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE done (what TEXT)');
  const { write } = groupedWrites(db, AT_ONCE);
  const close = () => {
    other.close();
    db.close();
    folder.remove();
  };
  return { other, close, put: (what: string) => write(() => db.prepare('INSERT INTO done VALUES (?)').run(what)) };
}

test('waits for another process that locks the file briefly, and keeps the order', async () => {
  const { other, close, put } = openShared();
  other.exec('BEGIN IMMEDIATE');
  const writes = Promise.all([put('a'), put('b')]);
  await nextTurn();
  const later = put('c');
  other.exec('ROLLBACK');
  await Promise.all([writes, later]);
  const found = other.prepare('SELECT what FROM done ORDER BY rowid').all();
  close();
  expect(found.map(({ what }) => what)).toEqual(['a', 'b', 'c']);
});

test('fails with a clear message if the file stays locked', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { other, close, put } = openShared();
  other.exec('BEGIN IMMEDIATE');
  const refused = expect(put('a')).rejects.toMatchObject({ code: 'busy', message: expect.stringMatching(/again/) });
  await nextTurn();
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  await refused;
  other.exec('ROLLBACK');
  await put('b');
  const found = other.prepare('SELECT what FROM done').all();
  close();
  expect(found).toEqual([{ what: 'b' }]);
});

test('rejects the whole group if its transaction was rolled back, and stores none of it', async () => {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE done (what TEXT)');
  const { write } = groupedWrites(db, AT_ONCE);
  const put = (what: string) => write(() => db.prepare('INSERT INTO done VALUES (?)').run(what));
  const undone = write(() => {
    db.exec('ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  });
  const told = await Promise.allSettled([put('a'), undone, put('b')]);
  for (const one of told) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'busy' } });
  expect(db.prepare('SELECT what FROM done').all()).toEqual([]);
});
