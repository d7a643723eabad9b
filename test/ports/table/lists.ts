/** Listed: one list by instant, then id. An index, so it may lag behind the rows. */
import { expect, it } from 'vitest';
import { cursorOf } from '../../../shared/core/cursor.ts';
import type { ListEntry, Table } from '../../../shared/ports.ts';
import {
  eventually,
  fill,
  inByteOrder,
  inPages,
  insertRow,
  MINUTE,
  type Opened,
  pagesOf,
  present,
  times,
} from './harness.ts';

const entry = (at: number, id: string, more: Partial<ListEntry> = {}): ListEntry => ({
  list: 'L',
  at,
  id,
  state: 'queued',
  type: 'report',
  priority: 0,
  ...more,
});

const list = (table: Table, entries: ListEntry[], expiresAt?: number) =>
  Promise.all(
    entries.map((listed) =>
      insertRow(table, { pk: `P${listed.at}`, sk: listed.id, value: 1, listed, ...(expiresAt ? { expiresAt } : {}) }),
    ),
  );

export function listCases(opened: Opened): void {
  const ids = async (o: { newestFirst?: boolean } = {}, name = 'L') =>
    (await opened().table.listed(name, { limit: 5_000, ...o })).rows.map((row) => row.id);
  const expectIds = (expected: string[]) => eventually(async () => expect(await ids()).toEqual(expected));

  it('answers every field of the place, and endedAt only where there is one', async () => {
    const { table } = opened();
    const running = entry(1_780_000_000_123, 'a', { state: 'running', type: '', priority: -3 });
    const ended = entry(1_780_000_000_124, 'b', { state: 'failed', priority: 9, endedAt: 1_780_000_000_999 });
    await list(table, [running, ended]);
    await eventually(async () => expect(await table.listed('L', { limit: 9 })).toEqual({ rows: [running, ended] }));
  });

  it('sorts by instant as a number, then by id in byte order, both ways', async () => {
    const { table } = opened();
    const early = [entry(0, 'zero'), entry(9, 'nine'), entry(10, 'ten'), entry(1_780_000_000_000, 'now')];
    const same = inByteOrder(['a', 'B', 'a1', 'a#', '～', '😀', 'é']).map((id) => entry(2_000_000_000_000, id));
    await list(table, [...same, ...early].toReversed());
    const expected = [...early, ...same].map(({ id }) => id);
    await expectIds(expected);
    expect(await ids({ newestFirst: true })).toEqual(expected.toReversed());
  });

  it('leaves out rows without a place, and the places of other lists', async () => {
    const { table } = opened();
    await fill(table, 'P', ['unlisted']);
    await list(table, [entry(1, 'a'), entry(1, 'b', { list: 'LL' }), entry(2, 'c', { list: 'l' })]);
    await expectIds(['a']);
    await eventually(async () => expect(await ids({}, 'LL')).toEqual(['b']));
    expect(await ids({}, 'K')).toEqual([]);
  });

  it.each([1, 2, 3, 6, 7, 8])(
    'pages both ways by %i, with none lost or repeated, through equal instants',
    async (limit) => {
      const { table } = opened();
      const places = [entry(1, 'z'), ...['a', 'b', 'c', '～', '😀'].map((id) => entry(2, id)), entry(3, 'a')];
      await list(table, [...places, entry(2, 'other', { list: 'M' })]);
      await expectIds(places.map(({ id }) => id));
      for (const newestFirst of [false, true]) {
        const pages = await pagesOf((after) => table.listed('L', { ...after, limit, newestFirst }));
        expect(pages).toEqual(inPages(newestFirst ? places.toReversed() : places, limit));
      }
    },
  );

  it('pages through a hundred ids of one instant', async () => {
    const { table } = opened();
    const places = times(100, (n) => entry(5, String(n).padStart(3, '0')));
    await list(table, places);
    await expectIds(places.map(({ id }) => id));
    const pages = await pagesOf((after) => table.listed('L', { ...after, limit: 7 }));
    expect(pages).toEqual(inPages(places, 7));
  });

  it('answers more than a thousand places in one page', async () => {
    const { table } = opened();
    const places = times(1_100, (n) => entry(n, `id-${n}`));
    for (const page of inPages(places, 100)) await list(table, page);
    await eventually(async () => {
      const { rows, next } = await table.listed('L', { limit: 1_050, newestFirst: true });
      expect(rows).toEqual(places.toReversed().slice(0, 1_050));
      expect(next).toBeDefined();
    });
  });

  it('shows a place as its row was last written, and once only', async () => {
    const { table } = opened();
    const [stored] = await list(table, [entry(1, 'a')]);
    const next = entry(1, 'a', { state: 'succeeded', endedAt: 7 });
    await table.replace(present(stored), { value: 1, listed: next });
    await eventually(async () => expect((await table.listed('L', { limit: 9 })).rows).toEqual([next]));
  });

  it('moves a place when its instant, its id or its list changes', async () => {
    const { table } = opened();
    const rows = await list(table, [entry(1, 'a'), entry(2, 'b'), entry(3, 'c'), entry(4, 'd')]);
    const move = (at: number, listed: ListEntry) => table.replace(present(rows[at]), { value: 1, listed });
    await Promise.all([move(0, entry(9, 'a')), move(1, entry(2, 'B')), move(2, entry(3, 'c', { list: 'M' }))]);
    await expectIds(['B', 'd', 'a']);
    await eventually(async () => expect(await ids({}, 'M')).toEqual(['c']));
  });

  it('loses the place when the next draft leaves it out, or the row is removed', async () => {
    const { table } = opened();
    const [a, b] = await list(table, [entry(1, 'a'), entry(2, 'b'), entry(3, 'c')]);
    await table.replace(present(a), { value: 1 });
    await table.remove(present(b));
    await expectIds(['c']);
  });

  it('leaves expired rows out, to the millisecond, and still fills the pages', async () => {
    const { table, clock } = opened();
    await list(
      table,
      times(30, (n) => entry(n, `gone-${n}`)),
      clock.now() + MINUTE,
    );
    const remaining = times(5, (n) => entry(n * 7, `kept-${n}`));
    await list(table, remaining);
    clock.pass(MINUTE - 1);
    await eventually(async () => expect(await ids()).toHaveLength(35));
    clock.pass(1);
    for (const newestFirst of [false, true]) {
      const pages = await pagesOf((after) => table.listed('L', { ...after, limit: 2, newestFirst }));
      expect(pages).toEqual(inPages(newestFirst ? remaining.toReversed() : remaining, 2));
    }
  });

  it('has no next page when the last page is exactly full', async () => {
    const { table } = opened();
    await list(table, [entry(1, 'a'), entry(2, 'b')]);
    await expectIds(['a', 'b']);
    expect(await table.listed('L', { limit: 2 })).not.toHaveProperty('next');
  });

  it('goes on where the page ended, also when that place has moved', async () => {
    const { table } = opened();
    const [, b] = await list(table, [entry(1, 'a'), entry(2, 'b'), entry(3, 'c')]);
    await expectIds(['a', 'b', 'c']);
    const { next } = await table.listed('L', { limit: 2 });
    await table.replace(present(b), { value: 1 });
    await expectIds(['a', 'c']);
    const nextPage = await table.listed('L', { limit: 2, after: present(next) });
    expect(nextPage.rows.map(({ id }) => id)).toEqual(['c']);
  });

  it.each([
    ['no text at all', ''],
    ['no base64url', 'not a cursor!'],
    ['the address of a row', cursorOf('A#1')],
    ['no instant', cursorOf('#a')],
    ['an instant that is no number', cursorOf('000000000000000x#a')],
  ])('refuses a page address that is %s', async (_, after) => {
    await expect(opened().table.listed('L', { limit: 1, after })).rejects.toMatchObject({ code: 'badCursor' });
  });
}
