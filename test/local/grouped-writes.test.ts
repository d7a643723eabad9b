import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupedWrites } from '../../local/grouped-writes.ts';

/** A disk that syncs when it is told to. */
function opened() {
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
  const write = (what: string, mayFade = false) =>
    writes
      .write(() => db.prepare('INSERT INTO done VALUES (?)').run(what), mayFade)
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

test('answers a write when the disk has it, and not before', async () => {
  const { write, done, said, syncs, turns } = opened();
  void write('a');
  await turns();
  expect([done(), said]).toEqual([['a'], []]);
  syncs[0]?.resolve();
  await turns();
  expect(said).toEqual(['a']);
});

test('does not wait for the disk for what may fade, also beside what must last', async () => {
  const { write, said, syncs, turns } = opened();
  void write('lasting');
  void write('fading', true);
  await turns();
  expect(said).toEqual(['fading']);
  void write('another', true);
  await turns();
  expect([said, syncs.length]).toEqual([['fading', 'another'], 1]);
});

test('gathers what comes while the disk is at it into one group behind', async () => {
  const { write, done, said, syncs, turns } = opened();
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

test('acknowledges nothing that the disk would not take, and goes on', async () => {
  const { write, said, syncs, turns } = opened();
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

test('tells a reader when what it read lasts', async () => {
  const { write, writes, syncs, turns } = opened();
  expect(writes.settled()).toBeUndefined();
  void write('a');
  await turns();
  const settled = writes.settled();
  expect(settled).toBeInstanceOf(Promise);
  syncs[0]?.resolve();
  await settled;
  expect(writes.settled()).toBeUndefined();
});

test('leaves nothing unwritten or unsynced when it is closed', async () => {
  const { write, writes, done, said, syncs, closed, turns } = opened();
  void write('under way');
  await turns();
  void write('waiting');
  writes.close();
  expect([done(), closed()]).toEqual([['under way', 'waiting'], 1]);
  syncs[0]?.resolve();
  await turns();
  expect(said).toEqual(['waiting', 'under way']);
});
